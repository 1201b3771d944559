/** Classifies Slack's errors, and describes errors for the log. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { readNetworkFailure } from '../../../../shared/http/network-failure.ts';
import { safeBeginning } from '../../../../shared/redaction/redact.ts';
import { outsideError } from '../../../views/format/outside-text.ts';
import { WithheldError } from './audience.ts';
import { errorRow, type FailureClass } from './error-table.ts';

export type Failure = {
  readonly kind: FailureClass;
  /** Slack's own word, such as `invalid_blocks`, or ours; safe to log. */
  readonly error: string;
  /** How long Slack asked us to wait. */
  readonly retryAfterMs?: number;
};

/** @param error the `error` of an answer with `ok: false`; a page of HTML ends up here too */
export function classifySlackError(error: string): Failure {
  if (!/^[a-z0-9_:.-]{1,80}$/i.test(error)) return { kind: 'unknown', error: 'not_an_answer_of_slack' };
  return { error, ...errorRow(error) };
}

/** More cannot be meant: a date in place of a duration would be waited for all our lives. */
const retryAfterMsMax = 3_600_000;

/** Slack calls a token expired, did nothing, and the token that takes its place could not be had now. */
export class TokenNotRenewed extends Error {
  override readonly name = 'TokenNotRenewed';
}

/** @param thrown by @slack/web-api or by fetch */
export function classifyThrown(thrown: unknown): Failure {
  if (thrown instanceof WithheldError) return { kind: 'permanent', error: thrown.word };
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
  if (originalOf(thrown) instanceof TokenNotRenewed) return { kind: 'not_sent', error: 'token_not_renewed' };
  const { code, kind } = readNetworkFailure(thrown);
  if (kind === 'not_sent') return { kind, error: code ?? 'no_answer' };
  return { kind: 'unknown', error: code ?? (isTimeout(thrown) ? 'time_out' : 'no_answer') };
}

/** @param status of an answer that names no error of Slack's */
export function classifyStatus(status: number): Failure {
  const error = `http_${status}`;
  if (status >= 500 || status === 408) return { kind: 'unknown', error };
  return { kind: status === 425 || status === 429 ? 'not_sent' : 'permanent', error };
}

/** Whether it was Slack itself, or the way to it, that failed, and not this one call. */
export function isOutage({ error }: Failure): boolean {
  return /^(?:http_5\d\d|no_answer|not_an_answer_of_slack|time_out|[A-Z][A-Z0-9_]+)$/.test(error);
}

function isTimeout(thrown: unknown): boolean {
  const error = originalOf(thrown);
  return error instanceof Error && error.name === 'TimeoutError';
}

function originalOf(thrown: unknown): unknown {
  return thrown instanceof WebAPIRequestError ? thrown.original : thrown;
}

const readUnitsMax = 10_000;
/** A mark of what was masked may hold a blank. */
const address =
  /\b((?:https?|wss?):\/\/)(?:(?:\[[^\]\n]{1,40}\]|[^\s/@[]){0,300}@)?([^\s/?#"'<>]+)(?:\[[^\]\n]{1,40}\]|[^\s"'<>[])*/gi;
const detailUnitsMax = 300;

/** @returns one line for the log: no token, no address beyond its host, no page of HTML */
export function describe(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return describeText(text);
}

/** As `describe`, for a sentence of the SDK's. */
export function describeText(text: string): string {
  const hostsOnly = safeBeginning(text, readUnitsMax)
    .replace(/<[!a-z].*/is, '(a page of HTML)')
    .replace(address, '$1$2/…');
  return outsideError(hostsOnly, detailUnitsMax);
}
