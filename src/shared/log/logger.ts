/** The logger's interface, which pino implements: a constant message, facts as fields. */

export type LogFields = Readonly<Record<string, unknown>>;

export type Logger = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};

/** @returns a logger that adds these fields to each of its lines */
export function withFields(log: Logger, added: LogFields): Logger {
  return {
    debug: (fields, message) => log.debug({ ...added, ...fields }, message),
    info: (fields, message) => log.info({ ...added, ...fields }, message),
    warn: (fields, message) => log.warn({ ...added, ...fields }, message),
    error: (fields, message) => log.error({ ...added, ...fields }, message),
  };
}
