/** What Slack's refusals mean for us, in four classes, and how an error is described in a log. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { readNetworkFailure } from '../core/network-failure.ts';
import { outsideError } from '../views/format/outside.ts';

/**
 * `content`: a simpler message may pass. `not_sent`: certainly nothing was posted, the same may be sent again.
 * `unknown`: it may have been posted. `permanent`: repeating it cannot help.
 */
export type FailureClass = 'content' | 'not_sent' | 'unknown' | 'permanent';

export type Failure = {
  readonly kind: FailureClass;
  /** Slack's own word, such as `invalid_blocks`, or ours; safe to log. */
  readonly error: string;
  /** How long Slack asked us to wait. */
  readonly retryAfterMs?: number;
};

/** From the error tables of chat.postMessage, chat.postEphemeral and of responses to interactions (docs.slack.dev/reference/methods). */
const contentErrors = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_block',
  'invalid_attachments',
  'invalid_arguments',
  'invalid_charset',
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'invalid_payload',
  'metadata_too_large',
  'msg_too_long',
  'msg_blocks_too_long',
  'no_text',
  'slack_connect_file_link_sharing_blocked',
  'too_many_attachments',
]);
/** Slack documents that these calls may have had an effect. */
const unknownErrors = new Set([
  'internal_error',
  'fatal_error',
  'request_timeout',
  'service_unavailable',
  'team_not_found',
  'duplicate_channel_not_found',
  'duplicate_message_not_found',
]);
/** What passes by itself, and after how long it is worth another attempt. */
const waitMsByError: ReadonlyMap<string, number> = new Map([
  ['ratelimited', 1_000],
  ['rate_limited', 1_000],
  // The workspace, or the channel, is moved to an enterprise.
  ['org_login_required', 3_600_000],
  ['team_added_to_org', 3_600_000],
  ['external_channel_migrating', 3_600_000],
]);

/** @param error the `error` of an answer with `ok: false`; a page of HTML ends up here too */
export function classifySlackError(error: string): Failure {
  if (!/^[a-z0-9_:.-]{1,80}$/i.test(error)) return { kind: 'unknown', error: 'not_an_answer_of_slack' };
  if (contentErrors.has(error)) return { kind: 'content', error };
  if (unknownErrors.has(error)) return { kind: 'unknown', error };
  const retryAfterMs = waitMsByError.get(error);
  if (retryAfterMs !== undefined) return { kind: 'not_sent', error, retryAfterMs };
  return { kind: 'permanent', error };
}

/** More cannot be meant: a date in place of a duration would be waited for all our lives. */
const retryAfterMsMax = 3_600_000;

/** @param thrown by @slack/web-api or by fetch */
export function classifyThrown(thrown: unknown): Failure {
  // The SDK takes `{}` for a refusal, too.
  if (thrown instanceof WebAPIPlatformError) return classifySlackError(String(thrown.data.error ?? ''));
  if (thrown instanceof WebAPIRateLimitedError) {
    return {
      kind: 'not_sent',
      error: 'ratelimited',
      retryAfterMs: Math.min(thrown.retryAfter * 1000, retryAfterMsMax),
    };
  }
  if (thrown instanceof WebAPIHTTPError) return classifyStatus(thrown.statusCode);
  const { code, kind } = readNetworkFailure(thrown);
  if (kind === 'not_sent') return { kind, error: code ?? 'no_answer' };
  return { kind: 'unknown', error: code ?? (isTimeout(thrown) ? 'time_out' : 'no_answer') };
}

/** @param status of an answer that names no error of Slack's */
export function classifyStatus(status: number): Failure {
  return { kind: status >= 500 ? 'unknown' : 'permanent', error: `http_${status}` };
}

/** Whether it was Slack itself, or the way to it, that failed, and not this one call. */
export function isOutage({ error }: Failure): boolean {
  return /^(?:http_5\d\d|no_answer|not_an_answer_of_slack|time_out|[A-Z][A-Z0-9_]+)$/.test(error);
}

function isTimeout(thrown: unknown): boolean {
  const error = thrown instanceof WebAPIRequestError ? thrown.original : thrown;
  return error instanceof Error && error.name === 'TimeoutError';
}

const detailUnitsMax = 300;

/** @returns one line for the log: no token, no address beyond its host, no page of HTML */
export function describe(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return describeText(text);
}

/** As `describe`, for a sentence of the SDK's. */
export function describeText(text: string): string {
  const hostsOnly = text
    .slice(0, 20_000)
    .replace(/<[!a-z].*/is, '(a page of HTML)')
    .replace(/\b((?:https?|wss?):\/\/)(?:[^\s/@]*@)?([^\s/?#"'<>]+)[^\s"'<>]*/gi, '$1$2/…');
  return outsideError(hostsOnly, detailUnitsMax);
}
