/** Notifies, edits and uploads with the bot's token. Never repeats a call that several people may have seen. */

import type { FilesCompleteUploadExternalArguments } from '@slack/web-api';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { AnswerFile } from '../../../commands/framework/command.ts';
import { errorMeans, type Failure } from '../../../domain/slack-errors.ts';
import type { PostOnce } from '../../../outbox/single-post.ts';
import { fitMessage } from '../../../views/blocks/fit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import { classifyThrown } from '../web-api/errors.ts';
import { type Done, done, retryCall, retryNotSent } from '../web-api/retry.ts';
import { readSlackAddress } from '../web-api/slack-address.ts';
import type { SendBytes } from '../web-api/slack-fetch.ts';
import { type Content, contentsOf } from './payload.ts';
import { sendVariants } from './send-variants.ts';

/** `gone`: the message does not exist. */
export type Permalink = { readonly kind: 'link'; readonly url: string } | { readonly kind: 'gone' | 'unknown' };

export type Posting = PostingCalls & { readonly post: PostOnce };

export type PostingCalls = {
  /** In a person's direct messages. */
  readonly notify: (target: MessageTarget, message: Message) => Promise<Done>;
  /** Only this person sees it. */
  readonly postPrivately: (target: MessageTarget, userId: string, message: Message) => Promise<Done>;
  readonly update: (target: MessageTarget, ts: string, message: Message) => Promise<Done>;
  readonly remove: (target: MessageTarget, ts: string) => Promise<Done>;
  readonly permalink: (target: MessageTarget, ts: string) => Promise<Permalink>;
  /** @returns the channel of a person's direct messages with the bot; undefined if there is none */
  readonly directChannel: (botToken: string, userId: string) => Promise<string | undefined>;
  /** @param onNamed called with Slack's id of the file before anyone can see the file */
  readonly upload: (
    target: MessageTarget,
    file: AnswerFile,
    onNamed?: (fileId: string) => Promise<void>,
  ) => Promise<Done>;
  /** Succeeds if the file is already gone. */
  readonly removeFile: (target: MessageTarget, fileId: string) => Promise<Done>;
};

export type PostingDeps = {
  readonly clients: SlackClients;
  readonly sendBytes: SendBytes;
  readonly log: Logger;
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

export function createPosting(deps: PostingDeps): PostingCalls {
  const { clients, log } = deps;
  return {
    notify: ({ botToken, channelId, threadTs }, message) => {
      const at = { channel: channelId, ...(threadTs !== undefined && { thread_ts: threadTs }) };
      return send(deps, message, false, (content) =>
        clients.of(botToken).chat.postMessage({ ...at, ...content, unfurl_links: false, unfurl_media: false }),
      );
    },
    postPrivately: ({ botToken, channelId, threadTs }, user, message) => {
      const at = { channel: channelId, user, ...(threadTs !== undefined && { thread_ts: threadTs }) };
      return send(deps, message, true, (content) => clients.of(botToken).chat.postEphemeral({ ...at, ...content }));
    },
    update: ({ botToken, channelId }, ts, message) =>
      send(deps, message, true, (content) => clients.of(botToken).chat.update({ channel: channelId, ts, ...content })),
    remove: ({ botToken, channelId }, ts) =>
      retryCall(() => clients.of(botToken).chat.delete({ channel: channelId, ts })),
    permalink: async ({ botToken, channelId }, ts) => {
      const link = await retryNotSent(async () => {
        const { permalink: url } = await clients.of(botToken).chat.getPermalink({ channel: channelId, message_ts: ts });
        return url === undefined ? ({ kind: 'unknown', error: 'no_link' } as const) : ({ kind: 'link', url } as const);
      });
      if (link.kind === 'link') return link;
      return { kind: 'error' in link && errorMeans(link.error, 'message_gone') ? 'gone' : 'unknown' };
    },
    directChannel: async (botToken, userId) => {
      const opened = clients.of(botToken).conversations.open({ users: userId });
      return opened.then(({ channel }) => channel?.id).catch(() => undefined);
    },
    upload: async (target, file, onNamed) => {
      const sent = await upload(deps, target, file, onNamed).catch(classifyThrown);
      if (sent.kind !== 'done')
        log.warn({ error: sent.error }, 'file could not be uploaded, message is posted without it');
      return sent;
    },
    removeFile: async ({ botToken }, fileId) => {
      const removed = await retryCall(() => clients.of(botToken).files.delete({ file: fileId }));
      return removed.kind !== 'done' && errorMeans(removed.error, 'file_gone') ? done : removed;
    },
  };
}

/** @param isRepeatable true if a duplicate does no harm */
function send(
  { slashCommand, log }: PostingDeps,
  message: Message,
  isRepeatable: boolean,
  call: (content: Content) => Promise<unknown>,
): Promise<Done> {
  const forms = contentsOf(message, (one) => fitMessage(one, slashCommand));
  return sendVariants(forms, (content) => call(content).then(() => done), { isRepeatable, log });
}

/** The documented name for files.getUploadURLExternal. The SDK's types call it `alt_text`, which Slack does not read. */
const altTextField = 'alt_txt';

/**
 * https://docs.slack.dev/messaging/working-with-files#uploading_files: asks for an address, sends the bytes, attaches
 * the file.
 */
async function upload(
  { clients, sendBytes }: PostingDeps,
  { botToken, channelId, threadTs }: MessageTarget,
  file: AnswerFile,
  onNamed: ((fileId: string) => Promise<void>) | undefined,
): Promise<Done> {
  const { files, slackApiUrl } = clients.of(botToken);
  const content = await file.content();
  const altText = file.altText === undefined ? {} : { [altTextField]: file.altText };
  const named = await retryNotSent(async () => {
    const facts = { filename: file.name, length: content.byteLength, ...altText };
    const { upload_url: url, file_id: id } = await files.getUploadURLExternal(facts);
    if (url === undefined || id === undefined) return refused('no_upload_url');
    const address = readSlackAddress('upload', url, slackApiUrl);
    return address ? ({ kind: 'named', url: address.href, id } as const) : refused('foreign_upload_url');
  });
  if (named.kind !== 'named') return named;
  await onNamed?.(named.id);
  const received = await retryNotSent(async () => {
    const status = await sendBytes(named.url, content);
    return status === 200 ? done : refused(`upload_http_${status}`);
  });
  if (received.kind !== 'done') return received;
  const shared: FilesCompleteUploadExternalArguments = {
    files: [{ id: named.id, title: file.title }],
    channel_id: channelId,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  };
  return retryCall(() => files.completeUploadExternal(shared));
}

function refused(error: string): Failure {
  return { kind: 'permanent', error };
}
