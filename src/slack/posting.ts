/** Posting, editing and uploading with the bot's own token; nothing here is ever repeated after it may have been seen. */
import { setTimeout as timer } from 'node:timers/promises';
import type { AnswerFile } from '../commands/command.ts';
import type { Logger } from '../core/log.ts';
import type { Message } from '../views/kit/message.ts';
import type { SlackClients } from './client.ts';
import { classifyThrown, describe, type Failure } from './errors.ts';
import { type Content, simplerContents } from './payload.ts';
import type { SendBytes } from './slack-fetch.ts';

export type Posted = { readonly kind: 'posted'; readonly ts: string } | Failure;
export type Done = { readonly kind: 'done' } | Failure;

export type Place = {
  readonly botToken: string;
  readonly channelId: string;
  /** The root of the thread, for a reply. */
  readonly threadTs?: string;
};

export type Posting = {
  readonly post: (place: Place, message: Message) => Promise<Posted>;
  /** Only this person sees it. */
  readonly postPrivately: (place: Place, userId: string, message: Message) => Promise<Done>;
  readonly update: (place: Place, ts: string, message: Message) => Promise<Done>;
  readonly upload: (place: Place, file: AnswerFile) => Promise<Done>;
  /** @returns undefined where Slack does not tell */
  readonly permalink: (place: Place, ts: string) => Promise<string | undefined>;
  /** @returns the channel of a person's direct messages with the bot; undefined where there is none */
  readonly directChannel: (botToken: string, userId: string) => Promise<string | undefined>;
};

export type PostingDeps = {
  readonly clients: SlackClients;
  readonly sendBytes: SendBytes;
  readonly log: Logger;
};

const attemptsMax = 4;
const waitMaxMs = 10_000;

export function createPosting(deps: PostingDeps): Posting {
  const { clients } = deps;
  const quiet = { unfurl_links: false, unfurl_media: false } as const;
  return {
    post: ({ botToken, channelId, threadTs }, message) => {
      const at = { channel: channelId, ...(threadTs !== undefined && { thread_ts: threadTs }), ...quiet };
      const send = async (content: Content) => {
        const { ts } = await clients.of(botToken).chat.postMessage({ ...at, ...content });
        return ts === undefined ? ({ kind: 'unknown', error: 'no_ts' } as const) : ({ kind: 'posted', ts } as const);
      };
      return simplified(message, send, deps.log);
    },
    postPrivately: ({ botToken, channelId, threadTs }, user, message) => {
      const at = { channel: channelId, user, ...(threadTs !== undefined && { thread_ts: threadTs }) };
      const send = async (content: Content) => {
        await clients.of(botToken).chat.postEphemeral({ ...at, ...content });
        return { kind: 'done' } as const;
      };
      return simplified(message, send, deps.log);
    },
    update: ({ botToken, channelId }, ts, message) => {
      const send = async (content: Content) => {
        await clients.of(botToken).chat.update({ channel: channelId, ts, ...content });
        return { kind: 'done' } as const;
      };
      return simplified(message, send, deps.log);
    },
    upload: (place, file) => upload(deps, place, file),
    permalink: async ({ botToken, channelId }, ts) => {
      const asked = clients.of(botToken).chat.getPermalink({ channel: channelId, message_ts: ts });
      return asked.then(({ permalink }) => permalink).catch(() => undefined);
    },
    directChannel: async (botToken, userId) => {
      const opened = clients.of(botToken).conversations.open({ users: userId });
      return opened.then(({ channel }) => channel?.id).catch(() => undefined);
    },
  };
}

/** With its blocks, and where Slack refuses them in simpler ones. */
async function simplified<Sent extends { readonly kind: string }>(
  message: Message,
  send: (content: Content) => Promise<Sent | Failure>,
  log: Logger,
): Promise<Sent | Failure> {
  let sent = await patiently(() => send({ text: message.text, blocks: [...message.blocks] }));
  for (const simpler of simplerContents(message)) {
    if (sent.kind !== 'content' || !('error' in sent)) break;
    log.error({ error: sent.error }, 'slack refused the blocks, sending a simpler form');
    sent = await patiently(() => send(simpler));
  }
  return sent;
}

/** Waits and repeats only what certainly was not sent. */
async function patiently<Sent>(send: () => Promise<Sent | Failure>): Promise<Sent | Failure> {
  for (let attempt = 1; ; attempt += 1) {
    const failure = await send().catch(classifyThrown);
    const isNotSent =
      typeof failure === 'object' && failure !== null && 'kind' in failure && failure.kind === 'not_sent';
    if (!isNotSent || attempt === attemptsMax) return failure;
    const { retryAfterMs } = failure as Failure;
    await timer(Math.min(retryAfterMs ?? 500 * attempt, waitMaxMs));
  }
}

/** As documented for files.getUploadURLExternal; the SDK's types name it `alt_text`, which Slack does not read. */
const altTextField = 'alt_txt';

/** https://docs.slack.dev/messaging/working-with-files#uploading_files: ask where, send the bytes, say where they belong. */
async function upload(deps: PostingDeps, place: Place, file: AnswerFile): Promise<Done> {
  const client = deps.clients.of(place.botToken);
  try {
    const content = await file.content();
    const { upload_url, file_id } = await client.files.getUploadURLExternal({
      filename: file.name,
      length: content.byteLength,
      ...(file.altText !== undefined && { [altTextField]: file.altText }),
    });
    if (upload_url === undefined || file_id === undefined) return { kind: 'permanent', error: 'no_upload_url' };
    const status = await deps.sendBytes(upload_url, content);
    if (status !== 200) return { kind: 'permanent', error: `upload_http_${status}` };
    const thread = place.threadTs === undefined ? {} : { thread_ts: place.threadTs };
    await client.files.completeUploadExternal({
      files: [{ id: file_id, title: file.title }],
      channel_id: place.channelId,
      ...thread,
    });
    return { kind: 'done' };
  } catch (thrown) {
    deps.log.warn({ error: describe(thrown) }, 'a file could not be uploaded, its message stands without it');
    return classifyThrown(thrown);
  }
}
