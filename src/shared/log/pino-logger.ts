/** The logger: constant messages, facts as fields, and errors stripped to what is known to be harmless. */
import { type DestinationStream, type Level, type Logger as PinoLogger, pino } from 'pino';
import { safeBeginning, safeText } from '../redaction/redact.ts';

export type LogOptions = {
  readonly level: Level | 'silent';
  /** Takes the lines; standard output by default. */
  readonly destination?: DestinationStream;
};

/** In blocks rather than line by line, which would cost as much as answering; at its end the process writes the rest. */
export function blocksTo(stream: 'standard output' | 'standard error'): DestinationStream {
  const dest = stream === 'standard output' ? 1 : 2;
  return pino.destination({ dest, sync: false, minLength: 16_000, periodicFlush: 250 });
}

const messageUnitsMax = 500;
const causesMax = 3;
/** No secret of a known shape is as short: ids, words and codes are left as they are. */
const plainUnitsMax = 12;

/** @returns a pino logger whose `err` fields carry a name, a code, a masked message and the stack's places, nothing else */
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
/** Facts are flat, or nearly so; what lies deeper is left out. */
const depthMax = 4;

/** The last thing before a line is written: what slipped into a field in spite of all is masked there. */
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

/** An error is left to its serializer. */
function masked(value: unknown, depthLeft: number): unknown {
  if (isPlain(value) || value instanceof Error) return value;
  if (typeof value === 'string') return safeText(value);
  if (depthLeft === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((each) => masked(each, depthLeft - 1));
  return typeof value === 'object' && value !== null ? maskedFields(value, depthLeft - 1) : value;
}

/** Error objects of libraries carry requests, headers and bodies; none of that is copied. */
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

/** An error that carries an exchange has it in its message too, after the first words: what was asked, and the answer. */
function messageOf(error: Error): string {
  const carriesExchange = 'request' in error || 'response' in error;
  return carriesExchange ? (error.message.split('{')[0] ?? '') : error.message;
}
