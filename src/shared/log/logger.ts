/** The logger's interface, which pino implements: a constant message, facts as fields. */

export type LogFields = Readonly<Record<string, unknown>>;

export type Logger = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};
