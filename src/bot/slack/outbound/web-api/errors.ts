/** Classifies Slack's errors, and describes errors and the lines of Slack's libraries for the log. */
import {
  LogLevel,
  type Logger as SdkLogger,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { readNetworkFailure } from '../../../../shared/http/network-failure.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import { safeBeginning } from '../../../../shared/redaction/redact.ts';
import { classOf, type Failure } from '../../../domain/slack-errors.ts';
import { outsideError } from '../../../views/format/outside-text.ts';
import { WithheldError } from './audience.ts';

/** @param error the `error` of an answer with `ok: false`, or a page of HTML */
export function classifySlackError(error: string): Failure {
  if (!/^[a-z0-9_:.-]{1,80}$/i.test(error)) return { kind: 'unknown', error: 'not_an_answer_of_slack' };
  return { error, ...classOf(error) };
}

/** Longer values are mistakes, such as a date instead of a duration. */
const retryAfterMsMax = 3_600_000;

/** Slack calls a token expired and has done nothing, and no new token is available now. */
export class TokenNotRenewed extends Error {
  override readonly name = 'TokenNotRenewed';
}

/** @param thrown by @slack/web-api or by fetch */
export function classifyThrown(thrown: unknown): Failure {
  if (thrown instanceof WithheldError) return { kind: 'permanent', error: thrown.word };
  // The SDK also throws this error for `{}`.
  if (thrown instanceof WebAPIPlatformError) return classifySlackError(String(thrown.data.error ?? ''));
  if (thrown instanceof WebAPIRateLimitedError) {
    const retryAfterMs = Math.min(thrown.retryAfter * 1000, retryAfterMsMax);
    return { kind: 'not_sent', error: 'ratelimited', retryAfterMs };
  }
  if (thrown instanceof WebAPIHTTPError) return classifyStatus(thrown.statusCode);
  if (originalOf(thrown) instanceof TokenNotRenewed) return { kind: 'not_sent', error: 'token_not_renewed' };
  const { code, kind } = readNetworkFailure(thrown);
  if (kind === 'not_sent') return { kind, error: code ?? 'no_answer' };
  return { kind: 'unknown', error: code ?? (isTimeout(thrown) ? 'time_out' : 'no_answer') };
}

/** @param status of an answer without an error word from Slack */
export function classifyStatus(status: number): Failure {
  const error = `http_${status}`;
  if (status >= 500 || status === 408) return { kind: 'unknown', error };
  return { kind: status === 425 || status === 429 ? 'not_sent' : 'permanent', error };
}

/** @returns true if Slack or the network failed, false if only this call did */
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
/** The mark of a masked value may contain a blank. */
const address =
  /\b((?:https?|wss?):\/\/)(?:(?:\[[^\]\n]{1,40}\]|[^\s/@[]){0,300}@)?([^\s/?#"'<>]+)(?:\[[^\]\n]{1,40}\]|[^\s"'<>[])*/gi;
const detailUnitsMax = 300;

/** @returns one line for the log: no token, no address beyond its host, no page of HTML */
export function describe(thrown: unknown): string {
  return describeText(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
}

/** As `describe`, for a sentence from the SDK. */
export function describeText(text: string): string {
  const hostsOnly = safeBeginning(text, readUnitsMax)
    .replace(/<[!a-z].*/is, '(a page of HTML)')
    .replace(address, '$1$2/…');
  return outsideError(hostsOnly, detailUnitsMax);
}

/** The only debug line without parts of a payload. */
const harmlessDetail = /^apiCall\('[\w.]+'\) (?:start|end)$/;

/**
 * Slack's libraries log whole envelopes, tokens and texts at debug level.
 * @returns a logger that passes only harmless debug lines and masks the other lines
 */
export function createSdkLog(log: Logger): SdkLogger {
  const fields = (parts: readonly unknown[]) => ({ detail: parts.map(wordsOf).join(' ') });
  return {
    debug: (line) => {
      if (typeof line === 'string' && harmlessDetail.test(line)) log.debug(fields([line]), 'slack library detail');
    },
    info: (...parts) => log.info(fields(parts), 'slack library info'),
    warn: (...parts) => log.warn(fields(parts), 'slack library warns'),
    error: (...parts) => log.error(fields(parts), 'slack library reports an error'),
    getLevel: () => LogLevel.INFO,
    // The bot sets the level, and several SDK objects share one logger.
    setLevel: () => undefined,
    setName: () => undefined,
  };
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return describeText(value);
  return value instanceof Error ? describe(value) : typeof value;
}
