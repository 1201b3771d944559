/** Posts and edits with the bot's token. Never repeats a call that may have been seen. */
import type { Logger } from '../../../../shared/log/logger.ts';
import { fitMessage } from '../../../views/blocks/fit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import type { Failure } from '../web-api/errors.ts';
import { createFileUploads, type FileUploads, type FileUploadsDeps } from '../web-api/file-upload.ts';
import { type Mark, metadataOf } from '../web-api/history.ts';
import { type Done, retryNotSent } from '../web-api/retry.ts';
import { type Content, contentsOf, type Fit } from './payload.ts';

export type Posted = { readonly kind: 'posted'; readonly ts: string } | Failure;
/** `gone`: the message does not exist. */
export type Permalink = { readonly kind: 'link'; readonly url: string } | { readonly kind: 'gone' | 'unknown' };

export type Posting = FileUploads & {
  /** @param mark metadata by which the message can be found again */
  readonly post: (target: MessageTarget, message: Message, mark?: Mark) => Promise<Posted>;
  /** Only this person sees it. */
  readonly postPrivately: (target: MessageTarget, userId: string, message: Message) => Promise<Done>;
  readonly update: (target: MessageTarget, ts: string, message: Message) => Promise<Done>;
  readonly remove: (target: MessageTarget, ts: string) => Promise<Done>;
  readonly permalink: (target: MessageTarget, ts: string) => Promise<Permalink>;
  /** @returns the channel of a person's direct messages with the bot; undefined if there is none */
  readonly directChannel: (botToken: string, userId: string) => Promise<string | undefined>;
};

export type PostingDeps = FileUploadsDeps & {
  readonly clients: SlackClients;
  readonly log: Logger;
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

export function createPosting(deps: PostingDeps): Posting {
  const { clients } = deps;
  const fit: Fit = (message) => fitMessage(message, deps.slashCommand);
  const simplified: Simplified = (message, send) => sendSimplified(contentsOf(message, fit), send, deps.log);
  const quiet = { unfurl_links: false, unfurl_media: false } as const;
  return {
    ...createFileUploads(deps),
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
      return simplified(message, send);
    },
    postPrivately: ({ botToken, channelId, threadTs }, user, message) => {
      const at = { channel: channelId, user, ...(threadTs !== undefined && { thread_ts: threadTs }) };
      const send = async (content: Content) => {
        await clients.of(botToken).chat.postEphemeral({ ...at, ...content });
        return { kind: 'done' } as const;
      };
      return simplified(message, send);
    },
    update: ({ botToken, channelId }, ts, message) =>
      simplified(message, async (content) => {
        await clients.of(botToken).chat.update({ channel: channelId, ts, ...content });
        return { kind: 'done' } as const;
      }),
    remove: ({ botToken, channelId }, ts) =>
      retryNotSent(async () => {
        await clients.of(botToken).chat.delete({ channel: channelId, ts });
        return { kind: 'done' } as const;
      }),
    permalink: async ({ botToken, channelId }, ts) => {
      const link = await retryNotSent(async () => {
        const { permalink: url } = await clients.of(botToken).chat.getPermalink({ channel: channelId, message_ts: ts });
        return url === undefined ? ({ kind: 'unknown', error: 'no_link' } as const) : ({ kind: 'link', url } as const);
      });
      if (link.kind === 'link') return link;
      return { kind: 'error' in link && link.error === 'message_not_found' ? 'gone' : 'unknown' };
    },
    directChannel: async (botToken, userId) => {
      const opened = clients.of(botToken).conversations.open({ users: userId });
      return opened.then(({ channel }) => channel?.id).catch(() => undefined);
    },
  };
}

type Send<Sent> = (content: Content) => Promise<Sent | Failure>;
type Simplified = <Sent extends { readonly kind: string }>(
  message: Message,
  send: Send<Sent>,
) => Promise<Sent | Failure>;

/** Sends a message with its blocks, or with simpler ones if Slack refuses them. */
async function sendSimplified<Sent extends { readonly kind: string }>(
  [whole, ...simpler]: ReturnType<typeof contentsOf>,
  send: Send<Sent>,
  log: Logger,
): Promise<Sent | Failure> {
  let sent = await retryNotSent(() => send(whole));
  for (const content of simpler) {
    if (sent.kind !== 'content' || !('error' in sent)) break;
    log.error({ error: sent.error }, 'slack refused the blocks, sending a simpler form');
    sent = await retryNotSent(() => send(content));
  }
  return sent;
}
