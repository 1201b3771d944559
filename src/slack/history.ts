/** What of ours stands in a conversation by Slack's own account, where the bot may read it. */
import type { SlackClients } from './client.ts';
import { patiently } from './patiently.ts';
import type { Place } from './place.ts';
import { readRecord, readText } from './read.ts';

/** What a message is, said to Slack with it, for whoever looks for it later. */
export type Mark = {
  /** What its thread is about. */
  readonly subject: string;
  /** Which message of the thread. */
  readonly part: string;
};

export type MarkedMessage = {
  readonly ts: string;
  readonly mark: Mark | undefined;
  readonly fileIds: readonly string[];
};

const eventType = 'workflow_bot_thread';
/** A thread's beginning, and more than is said in a channel while a thread is opened. */
const limit = 200;

/** https://docs.slack.dev/messaging/message-metadata: people do not see it. */
export function metadataOf(mark: Mark) {
  return { event_type: eventType, event_payload: { ...mark } };
}

/** @param sinceMs epoch milliseconds @returns undefined where Slack does not tell: the scopes for channels are optional */
export async function readHistory(
  clients: SlackClients,
  { botToken, channelId: channel, threadTs }: Place,
  sinceMs: number,
): Promise<readonly MarkedMessage[] | undefined> {
  const { conversations } = clients.of(botToken);
  const page = { channel, limit, include_all_metadata: true };
  const oldest = String(Math.floor(sinceMs / 1000));
  const answer = await patiently(async () => {
    const { messages = [] } =
      threadTs === undefined
        ? await conversations.history({ ...page, oldest })
        : await conversations.replies({ ...page, ts: threadTs });
    return { kind: 'read', messages: messages.map(readMessage) } as const;
  });
  return answer.kind === 'read' ? answer.messages : undefined;
}

function readMessage(sent: unknown): MarkedMessage {
  const message = readRecord(sent);
  const metadata = readRecord(message['metadata']);
  const payload = readRecord(metadata['event_payload']);
  const [subject, part] = [readText(payload, 'subject'), readText(payload, 'part')];
  const isOurs = metadata['event_type'] === eventType && subject !== undefined && part !== undefined;
  const files = Array.isArray(message['files']) ? message['files'].map(readRecord) : [];
  return {
    ts: readText(message, 'ts') ?? '',
    mark: isOurs ? { subject, part } : undefined,
    fileIds: files.flatMap((file) => readText(file, 'id') ?? []),
  };
}
