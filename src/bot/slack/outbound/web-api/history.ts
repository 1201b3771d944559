/** Reads one page of the history of a conversation, and the bot's own messages in it. */

import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { Failure } from '../../../domain/slack-errors.ts';
import type { MessageTarget, SlackClients } from './client.ts';
import { classifyThrown } from './errors.ts';

export type OwnMessage = { readonly ts: string; readonly opaqueId: string };

/** Epoch milliseconds, both ends included. A missing end means no limit. */
export type Span = { readonly from?: number; readonly to?: number };

export type HistoryPage = {
  readonly kind: 'read';
  /** Messages as Slack returns them. */
  readonly messages: readonly JsonRecord[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
};

/** The maximum that Slack recommends for a page; it returns fifteen to some apps. */
const limit = 200;
const messageEvent = 'workflow_bot_message';
/** Of digests of earlier versions. */
const formerEvent = 'workflow_bot_digest';

/** https://docs.slack.dev/messaging/message-metadata: people do not see it, but the whole workspace can read it. */
export function metadataOf(opaqueId: string) {
  return { event_type: messageEvent, event_payload: { id: opaqueId } };
}

/**
 * Asks once and never rejects. Refuses an answer that could be mistaken for an empty channel.
 * @param cursor of the page; the first page if left out
 */
export async function readPage(
  clients: SlackClients,
  { botToken, channelId: channel, threadTs }: MessageTarget,
  { from, to }: Span,
  cursor?: string,
): Promise<HistoryPage | Failure> {
  const { conversations } = clients.of(botToken);
  const query = {
    ...{ channel, limit, include_all_metadata: true, inclusive: true },
    ...(from !== undefined && { oldest: timestamp(from) }),
    ...(to !== undefined && { latest: timestamp(to) }),
    ...(cursor !== undefined && { cursor }),
  };
  try {
    const { messages, has_more, response_metadata } =
      threadTs === undefined
        ? await conversations.history(query)
        : await conversations.replies({ ...query, ts: threadTs });
    const nextCursor = response_metadata?.next_cursor || undefined;
    if (!Array.isArray(messages)) return { kind: 'unknown', error: 'no_messages' };
    if (has_more === true && nextCursor === undefined) return { kind: 'unknown', error: 'no_cursor' };
    return { kind: 'read', messages: messages.map(readRecord), nextCursor };
  } catch (thrown) {
    return classifyThrown(thrown);
  }
}

/** Formats a time as Slack's `ts`. @param ms epoch milliseconds */
function timestamp(ms: number): string {
  return (Math.max(ms, 0) / 1000).toFixed(6);
}

/** The root of a thread, with the number of its replies and the `ts` of the last one. */
export type Root = { readonly ts: string; readonly count: number; readonly lastTs: string };

/** @returns nothing for a message without replies */
export function readRoot(message: JsonRecord): readonly Root[] {
  const [ts, lastTs] = [readText(message, 'ts'), readText(message, 'latest_reply')];
  return ts === undefined || lastTs === undefined ? [] : [{ ts, count: Number(message['reply_count']), lastTs }];
}

/** @returns nothing for a message without the bot's metadata, which another app can write, too */
export function readOwnMessage(message: JsonRecord): readonly OwnMessage[] {
  const metadata = readRecord(message['metadata']);
  const isOwn = metadata['event_type'] === messageEvent || metadata['event_type'] === formerEvent;
  const opaqueId = isOwn ? readText(readRecord(metadata['event_payload']), 'id') : undefined;
  const ts = readText(message, 'ts');
  return ts === undefined || opaqueId === undefined ? [] : [{ ts, opaqueId }];
}
