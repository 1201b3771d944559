/** What the house needs of a logger: pino in production and in tests, a constant message and facts as fields. */

export type LogFields = Readonly<Record<string, unknown>>;

export type Logger = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};
