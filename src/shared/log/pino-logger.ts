/** The logger: constant messages, facts as fields, and errors stripped to what is known to be harmless. */
import { type DestinationStream, type Level, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino';
import { createLruCache } from '../cache/lru-cache.ts';
import { isRecord } from '../json.ts';
import { safeBeginning, safeText } from '../redaction/redact.ts';

export type LogOptions = {
  readonly level: Level | 'silent';
  /** Destination of the lines; standard output by default. */
  readonly destination?: DestinationStream;
};

/** Writes in blocks, because writing line by line would cost as much as answering. At its end the process writes the rest. */
export function blocksTo(stream: 'standard output' | 'standard error'): DestinationStream {
  const dest = stream === 'standard output' ? 1 : 2;
  const blocks = pino.destination({ dest, sync: false, minLength: 16_000, periodicFlush: 250, contentMode: 'buffer' });
  // Given text, the library joins the whole block again at each line.
  const write: (bytes: never) => boolean = blocks.write;
  return Object.assign(blocks, { write: (line: string) => write.call(blocks, Buffer.from(line) as never) });
}

const messageUnitsMax = 500;
const causesMax = 3;
/** No secret of a known shape is as short, so that ids, words and codes stay as they are. */
const plainUnitsMax = 12;
/** The shape of most ids, which masking keeps. */
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Longer texts are seldom the same. */
const knownUnitsMax = 64;

/** @returns a pino logger whose `err` fields contain only a name, a code, a masked message and the places of the stack */
export function createLog({ level, destination = blocksTo('standard output') }: LogOptions): PinoLogger {
  const maskText = createMaskText();
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => maskedFields(fields, maskText, depthMax) },
    serializers: { err: (error: unknown) => describeError(error, causesMax) },
    hooks: {
      logMethod([fields, message], write, levelNumber) {
        const line = plainLine(pino.levels.labels[levelNumber], fields, message, maskText);
        if (line === undefined) write.call(this, fields, message);
        else destination.write(line);
      },
    },
  };
  return pino(options, destination);
}

const { isoTime } = pino.stdTimeFunctions;

/**
 * Most lines have flat fields, such as the line of each request, for which pino takes twice as long and four times the memory.
 * @returns the line that pino would write; undefined if pino has to
 */
function plainLine(
  label: string | undefined,
  fields: unknown,
  message: unknown,
  maskText: MaskText,
): string | undefined {
  if (!isRecord(fields) || fields instanceof Error || typeof message !== 'string') return undefined;
  let line = `{"level":"${label}"${isoTime()}`;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === undefined) continue;
    if (name === 'err' || secretNames.has(name) || !isFlat(value)) return undefined;
    line += `,"${name}":${JSON.stringify(typeof value === 'string' ? maskText(value) : value)}`;
  }
  return `${line},"msg":${JSON.stringify(message)}}\n`;
}

/** Fields of these names are never written, not even masked. */
const secretNames: ReadonlySet<string> = new Set(['token', 'apiKey', 'authorization']);
/** Facts are flat or nearly so; deeper values are left out. */
const depthMax = 4;

function isFlat(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null;
}

type MaskText = (text: string) => string;

/** Remembers short texts: operations and organizations are few, and come with every request. */
function createMaskText(): MaskText {
  const known = createLruCache<string>({ entriesMax: 1_000 });
  return (text) => {
    if (text.length <= plainUnitsMax || uuid.test(text)) return text;
    if (text.length > knownUnitsMax) return safeText(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const safe = safeText(text);
    known.set(text, safe);
    return safe;
  };
}

/** Runs last before a line is written, and masks secrets that reached a field in spite of all other checks. */
function maskedFields(fields: object, maskText: MaskText, depthLeft: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretNames.has(name) ? '[secret]' : masked(value, maskText, depthLeft),
    ]),
  );
}

/** Leaves errors to their serializer. */
function masked(value: unknown, maskText: MaskText, depthLeft: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depthLeft === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((each) => masked(each, maskText, depthLeft - 1));
  return maskedFields(value, maskText, depthLeft - 1);
}

/** Copies only known members, because error objects of libraries contain requests, headers and bodies. */
function describeError(error: unknown, causesLeft: number): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause =
    error.cause !== undefined && causesLeft > 0 ? { cause: describeError(error.cause, causesLeft - 1) } : {};
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    ...code,
    message: safeBeginning(messageOf(error), messageUnitsMax),
    stack: frames.join('\n'),
    ...cause,
  };
}

/** If an error carries an exchange, its message also contains the request and the answer after the first words. */
function messageOf(error: Error): string {
  const carriesExchange = 'request' in error || 'response' in error;
  return carriesExchange ? (error.message.split('{')[0] ?? '') : error.message;
}
