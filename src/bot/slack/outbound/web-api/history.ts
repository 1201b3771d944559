/** Reads one page of the history of a conversation, and the bot's own messages in it. */

import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { MessageTarget, SlackClients } from './client.ts';
import { classifyThrown, type Failure } from './errors.ts';

/** Metadata of a message by which a later attempt finds it. */
export type Mark = {
  /** Subject of the thread. */
  readonly subject: string;
  /** Name of the message within the thread. */
  readonly part: string;
};

export type MarkedMessage = {
  readonly ts: string;
  readonly mark: Mark | undefined;
  readonly fileIds: readonly string[];
};

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
const threadEvent = 'workflow_bot_thread';

/** https://docs.slack.dev/messaging/message-metadata: people do not see it. */
export function metadataOf(mark: Mark) {
  return { event_type: threadEvent, event_payload: { ...mark } };
}

/** @returns the metadata payload of a message of this kind; an empty object for any other message */
export function markOf(message: JsonRecord, eventType: string): JsonRecord {
  const metadata = readRecord(message['metadata']);
  return metadata['event_type'] === eventType ? readRecord(metadata['event_payload']) : {};
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

/** @returns the id, the mark and the files of a message of a thread */
export function readMarked(message: JsonRecord): MarkedMessage {
  const payload = markOf(message, threadEvent);
  const [subject, part] = [readText(payload, 'subject'), readText(payload, 'part')];
  const files = Array.isArray(message['files']) ? message['files'].map(readRecord) : [];
  return {
    ts: readText(message, 'ts') ?? '',
    mark: subject !== undefined && part !== undefined ? { subject, part } : undefined,
    fileIds: files.flatMap((file) => readText(file, 'id') ?? []),
  };
}
