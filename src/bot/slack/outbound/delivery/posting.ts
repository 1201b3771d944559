/** Posting and editing with the bot's own token; nothing here is ever repeated after it may have been seen. */
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { SlackClients } from '../web-api/client.ts';
import type { Failure } from '../web-api/errors.ts';
import { type Mark, type MarkedMessage, metadataOf, readHistory } from '../web-api/history.ts';
import { type Done, patiently } from '../web-api/patiently.ts';
import { createUploading, type Uploading, type UploadingDeps } from '../web-api/uploading.ts';
import { type Content, simplerContents } from './payload.ts';
import type { Place } from './place.ts';

export type Posted = { readonly kind: 'posted'; readonly ts: string } | Failure;
/** `gone`: there is no such message. */
export type Permalink = { readonly kind: 'link'; readonly url: string } | { readonly kind: 'gone' | 'unknown' };

export type Posting = Uploading & {
  /** @param mark by which it can be found again */
  readonly post: (place: Place, message: Message, mark?: Mark) => Promise<Posted>;
  /** Only this person sees it. */
  readonly postPrivately: (place: Place, userId: string, message: Message) => Promise<Done>;
  readonly update: (place: Place, ts: string, message: Message) => Promise<Done>;
  readonly remove: (place: Place, ts: string) => Promise<Done>;
  readonly permalink: (place: Place, ts: string) => Promise<Permalink>;
  /** What stands in the thread, or in the channel since then. @returns undefined where Slack does not tell */
  readonly history: (place: Place, sinceMs: number) => Promise<readonly MarkedMessage[] | undefined>;
  /** @returns the channel of a person's direct messages with the bot; undefined where there is none */
  readonly directChannel: (botToken: string, userId: string) => Promise<string | undefined>;
};

export type PostingDeps = UploadingDeps & { readonly clients: SlackClients; readonly log: Logger };

export function createPosting(deps: PostingDeps): Posting {
  const { clients } = deps;
  const quiet = { unfurl_links: false, unfurl_media: false } as const;
  return {
    ...createUploading(deps),
    post: ({ botToken, channelId, threadTs }, message, mark) => {
      const at = {
        channel: channelId,
        ...quiet,
        ...(threadTs !== undefined && { thread_ts: threadTs }),
        ...(mark && { metadata: metadataOf(mark) }),
      };
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
    remove: ({ botToken, channelId }, ts) =>
      patiently(async () => {
        await clients.of(botToken).chat.delete({ channel: channelId, ts });
        return { kind: 'done' } as const;
      }),
    permalink: async ({ botToken, channelId }, ts) => {
      const asked = await patiently(async () => {
        const { permalink: url } = await clients.of(botToken).chat.getPermalink({ channel: channelId, message_ts: ts });
        return url === undefined ? ({ kind: 'unknown', error: 'no_link' } as const) : ({ kind: 'link', url } as const);
      });
      if (asked.kind === 'link') return asked;
      return { kind: 'error' in asked && asked.error === 'message_not_found' ? 'gone' : 'unknown' };
    },
    history: (place, sinceMs) => readHistory(clients, place, sinceMs),
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
