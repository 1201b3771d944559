/** The only error class: a code for machines, a sentence for people, the cause for the log. */

export type ErrorCode =
  | 'usage'
  | 'not_found'
  | 'ambiguous'
  | 'unauthorized'
  | 'forbidden'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

/** Reason for a refused key, if the other side gives one. `not_connected`: no key exists. `not_listed`: the service of the key is not allowed. */
export type RefusalReason = 'expired' | 'not_connected' | 'not_listed';

/** A stored secret that cannot be decrypted. */
type Unreadable = {
  /** For example `API key`. */
  readonly what: string;
  /** A clause for people, such as `its row was changed`. */
  readonly why: string;
};

export type HelpfulCommand = {
  /** Without the slash command, such as `list`. */
  readonly line: string;
  /** Completes “Type … to”. */
  readonly purpose: string;
  /** Another one, for what may have been meant instead. */
  readonly or?: { readonly line: string; readonly purpose: string };
};

export type AppErrorOptions = {
  /** The underlying error; logged, never shown. */
  readonly cause?: unknown;
  /** The next step for the person, as a sentence. */
  readonly hint?: string | undefined;
  /** A command that helps, to follow the hint; shown where the name of the slash command is known. */
  readonly command?: HelpfulCommand;
  /** True if the same request may succeed when repeated. */
  readonly isRetryable?: boolean;
  /** Epoch milliseconds since when this fails, if known. */
  readonly since?: number;
  /** Time to wait before the next attempt, if the other side gave one. */
  readonly retryAfterMs?: number;
  readonly reason?: RefusalReason;
  readonly unreadable?: Unreadable;
  /** True if an admin of the bot can help; the message names them. */
  readonly isForAdmins?: boolean;
  /** Slack's ids of the channels where the same would work. */
  readonly channelIds?: readonly string[];
};

/** An error whose `publicMessage` may be shown to the person who asked. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly hint: string | undefined;
  readonly command: HelpfulCommand | undefined;
  readonly isRetryable: boolean;
  readonly since: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly reason: RefusalReason | undefined;
  readonly unreadable: Unreadable | undefined;
  readonly isForAdmins: boolean;
  readonly channelIds: readonly string[];

  constructor(code: ErrorCode, publicMessage: string, options: AppErrorOptions = {}) {
    super(publicMessage, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.publicMessage = publicMessage;
    this.hint = options.hint;
    this.command = options.command;
    this.isRetryable = options.isRetryable ?? false;
    this.since = options.since;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
    this.unreadable = options.unreadable;
    this.isForAdmins = options.isForAdmins ?? (code === 'unauthorized' || options.unreadable !== undefined);
    this.channelIds = options.channelIds ?? [];
  }
}
