/** The logger: constant messages, facts as fields, and errors stripped to what is known to be harmless. */
import { type DestinationStream, type Level, type Logger as PinoLogger, pino } from 'pino';
import { safeBeginning, safeText } from '../redaction/redact.ts';

export type LogOptions = {
  readonly level: Level | 'silent';
  /** Destination of the lines; standard output by default. */
  readonly destination?: DestinationStream;
};

/** Writes in blocks, because writing line by line would cost as much as answering. At its end the process writes the rest. */
export function blocksTo(stream: 'standard output' | 'standard error'): DestinationStream {
  const dest = stream === 'standard output' ? 1 : 2;
  return pino.destination({ dest, sync: false, minLength: 16_000, periodicFlush: 250 });
}

const messageUnitsMax = 500;
const causesMax = 3;
/** No secret of a known shape is as short, so that ids, words and codes stay as they are. */
const plainUnitsMax = 12;

/** @returns a pino logger whose `err` fields contain only a name, a code, a masked message and the places of the stack */
export function createLog({ level, destination }: LogOptions): PinoLogger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: maskFields },
    serializers: { err: (error: unknown) => describeError(error, causesMax) },
  };
  return pino(options, destination ?? blocksTo('standard output'));
}

/** Fields of these names are never written, not even masked. */
const secretNames: ReadonlySet<string> = new Set(['token', 'apiKey', 'authorization']);
/** Facts are flat or nearly so; deeper values are left out. */
const depthMax = 4;

/** Runs last before a line is written, and masks secrets that reached a field in spite of all other checks. */
function maskFields(fields: Record<string, unknown>): Record<string, unknown> {
  const isHarmless = Object.entries(fields).every(([name, value]) => !secretNames.has(name) && isPlain(value));
  return isHarmless ? fields : maskedFields(fields, depthMax);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= plainUnitsMax : typeof value !== 'object' || value === null;
}

function maskedFields(fields: object, depthLeft: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretNames.has(name) ? '[secret]' : masked(value, depthLeft),
    ]),
  );
}

/** Leaves errors to their serializer. */
function masked(value: unknown, depthLeft: number): unknown {
  if (isPlain(value) || value instanceof Error) return value;
  if (typeof value === 'string') return safeText(value);
  if (depthLeft === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((each) => masked(each, depthLeft - 1));
  return typeof value === 'object' && value !== null ? maskedFields(value, depthLeft - 1) : value;
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
