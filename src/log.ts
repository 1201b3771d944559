/** The logger: constant messages, facts as fields, and errors stripped to what is known to be harmless. */
import { type DestinationStream, type Level, type Logger as PinoLogger, pino } from 'pino';
import { safeText } from './core/redact.ts';

export type LogOptions = {
  readonly level: Level | 'silent';
  /** Where lines go; standard output when left out. */
  readonly destination?: DestinationStream;
};

/** In blocks rather than line by line, which would cost as much as answering; at its end the process writes the rest. */
const standardOutput = { dest: 1, sync: false, minLength: 4096, periodicFlush: 250 } as const;
const messageUnitsMax = 500;
/** Longer messages are not looked at beyond this many units. */
const inspectedUnitsMax = 10_000;
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
    redact: {
      paths: ['token', 'apiKey', 'authorization', '*.token', '*.apiKey', '*.authorization'],
      censor: '[secret]',
    },
  };
  return pino(options, destination ?? pino.destination(standardOutput));
}

/** The last thing before a line is written: what slipped into a field in spite of all is masked there. */
function maskFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > plainUnitsMax ? safeText(value) : value,
    ]),
  );
}

/** Error objects of libraries carry requests, headers and bodies; none of that is copied. */
function describeError(error: unknown, causesLeft: number): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause =
    error.cause !== undefined && causesLeft > 0 ? { cause: describeError(error.cause, causesLeft - 1) } : {};
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    ...code,
    message: safeText(messageOf(error).slice(0, inspectedUnitsMax)).slice(0, messageUnitsMax),
    stack: places.join('\n'),
    ...cause,
  };
}

/** An error that carries an exchange has it in its message too, after the first words: what was asked, and the answer. */
function messageOf(error: Error): string {
  const carriesExchange = 'request' in error || 'response' in error;
  return carriesExchange ? (error.message.split('{')[0] ?? '') : error.message;
}
