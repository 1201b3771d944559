/** A page of what stands in a conversation: which times, how many, and where the next one begins. */

import { type Fields, flagField } from '../server/json.ts';
import type { SlackMessage } from '../state/history.ts';

export type Page = {
  readonly messages: readonly SlackMessage[];
  /** Undefined on the last one. */
  readonly nextCursor: string | undefined;
};

export type PageRule = { readonly limitDefault: number; readonly limitMax: number };

/**
 * https://docs.slack.dev/reference/methods/conversations.history, and the same of conversations.replies.
 * @param messages in the order in which they are told @returns Slack's word for what it does not take
 */
export function pageOf(messages: readonly SlackMessage[], fields: Fields, rule: PageRule): Page | string {
  for (const name of ['oldest', 'latest']) {
    if (!isAbsent(fields[name]) && !/^\d{1,12}(?:\.\d{1,6})?$/.test(String(fields[name]))) return `invalid_ts_${name}`;
  }
  const limit = isAbsent(fields['limit']) ? rule.limitDefault : Number(fields['limit']);
  if (!Number.isSafeInteger(limit) || limit < 1) return 'invalid_limit';
  const cursor = isAbsent(fields['cursor']) ? null : readCursor(String(fields['cursor']));
  if (cursor === undefined) return 'invalid_cursor';
  const within = messages.filter(({ ts }) => isWithin(Number(ts), fields));
  const rest = cursor === null ? within : within.slice(startOf(within, cursor));
  const size = Math.min(limit, rule.limitMax);
  const next = rest[size];
  return { messages: rest.slice(0, size), nextCursor: next && cursorTo(next.ts) };
}

/** Where the page begins, though the message that was to be its first has been deleted since. */
function startOf(messages: readonly SlackMessage[], cursor: number): number {
  const isNewestFirst = Number(messages[0]?.ts) > Number(messages.at(-1)?.ts);
  const start = messages.findIndex(({ ts }) => (isNewestFirst ? Number(ts) <= cursor : Number(ts) >= cursor));
  return start < 0 ? messages.length : start;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === '';
}

/** The ends themselves count only where they are asked for. */
function isWithin(ts: number, fields: Fields): boolean {
  const isInclusive = flagField(fields, 'inclusive');
  const oldest = isAbsent(fields['oldest']) ? Number.NEGATIVE_INFINITY : Number(fields['oldest']);
  const latest = isAbsent(fields['latest']) ? Number.POSITIVE_INFINITY : Number(fields['latest']);
  return (oldest < ts && ts < latest) || (isInclusive && (ts === oldest || ts === latest));
}

const cursorMark = 'next_ts:';

function cursorTo(ts: string): string {
  return Buffer.from(cursorMark + ts).toString('base64');
}

/** @returns undefined for what is no cursor of ours */
function readCursor(cursor: string): number | undefined {
  const text = Buffer.from(cursor, 'base64').toString('utf8');
  const ts = text.startsWith(cursorMark) ? Number(text.slice(cursorMark.length)) : Number.NaN;
  return Number.isFinite(ts) ? ts : undefined;
}
