/** Notifies, edits and uploads with the bot's token. Never repeats a call that several people may have seen. */

import type { FilesCompleteUploadExternalArguments, WebClient } from '@slack/web-api';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { AnswerFile } from '../../../commands/framework/command.ts';
import { errorMeans, type Failure } from '../../../domain/slack-errors.ts';
import type { PostOnce, PostResult } from '../../../outbox/message-poster.ts';
import { fitMessage } from '../../../views/blocks/fit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import { classifyThrown } from '../web-api/errors.ts';
import { type Done, done, retryCall, retryNotSent, sendVariants } from '../web-api/retry.ts';
import { readSlackAddress } from '../web-api/slack-address.ts';
import type { SendBytes } from '../web-api/slack-fetch.ts';
import { type Content, contentsOf } from './payload.ts';

/** `gone`: the message does not exist. */
export type Permalink = { readonly kind: 'link'; readonly url: string } | { readonly kind: 'gone' | 'unknown' };

/** `unconfirmed`: Slack may have taken it. `refused`: Slack certainly did not. */
type Arrival = 'arrived' | 'unconfirmed' | 'refused';

const arrivals: Readonly<Record<(Done | PostResult)['kind'], Arrival>> = {
  ...{ done: 'arrived', sent: 'arrived' },
  ...{ unknown: 'unconfirmed', unchecked: 'unconfirmed', uncertain: 'unconfirmed', passed: 'unconfirmed' },
  ...{ refused: 'refused', later: 'refused', content: 'refused', not_sent: 'refused', permanent: 'refused' },
};

export function arrivalOf({ kind }: Done | PostResult): Arrival {
  return arrivals[kind];
}

type PostingParts = {
  readonly clients: SlackClients;
  readonly sendBytes: SendBytes;
  readonly log: Logger;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly post: PostOnce;
};

/** Works with the token of the target. No method rejects. */
export class Posting {
  /** For several people. */
  readonly post: PostOnce;
  readonly #parts: PostingParts;

  constructor(parts: PostingParts) {
    this.#parts = parts;
    this.post = parts.post;
  }

  /** In a person's direct messages. */
  notify({ botToken, channelId, threadTs }: MessageTarget, message: Message): Promise<Done> {
    const { chat } = this.#of(botToken);
    const at = { channel: channelId, ...(threadTs !== undefined && { thread_ts: threadTs }) };
    return this.#send(message, false, (content) =>
      chat.postMessage({ ...at, ...content, unfurl_links: false, unfurl_media: false }),
    );
  }

  /** Only this person sees it. */
  postPrivately({ botToken, channelId, threadTs }: MessageTarget, user: string, message: Message): Promise<Done> {
    const { chat } = this.#of(botToken);
    const at = { channel: channelId, user, ...(threadTs !== undefined && { thread_ts: threadTs }) };
    return this.#send(message, true, (content) => chat.postEphemeral({ ...at, ...content }));
  }

  /**
   * Sends one person a message that only they see: an ephemeral one in the channel if there is one and the bot can write
   * there, otherwise a direct message.
   * @returns true if Slack accepted it
   */
  async notifyUser({ botToken, channelId }: NotifyTarget, userId: string, message: Message): Promise<boolean> {
    if (channelId !== undefined) {
      const sent = await this.postPrivately({ botToken, channelId }, userId, message);
      if (arrivalOf(sent) !== 'refused') return true;
    }
    const directId = await this.directChannel(botToken, userId);
    if (directId === undefined) return false;
    return (await this.notify({ botToken, channelId: directId }, message)).kind === 'done';
  }

  update({ botToken, channelId }: MessageTarget, ts: string, message: Message): Promise<Done> {
    const { chat } = this.#of(botToken);
    return this.#send(message, true, (content) => chat.update({ channel: channelId, ts, ...content }));
  }

  remove({ botToken, channelId }: MessageTarget, ts: string): Promise<Done> {
    return retryCall(() => this.#of(botToken).chat.delete({ channel: channelId, ts }));
  }

  async permalink({ botToken, channelId }: MessageTarget, ts: string): Promise<Permalink> {
    const link = await retryNotSent(async () => {
      const { permalink: url } = await this.#of(botToken).chat.getPermalink({ channel: channelId, message_ts: ts });
      return url === undefined ? ({ kind: 'unknown', error: 'no_link' } as const) : ({ kind: 'link', url } as const);
    });
    if (link.kind === 'link') return link;
    return { kind: 'error' in link && errorMeans(link.error, 'message_gone') ? 'gone' : 'unknown' };
  }

  /** @returns the channel of a person's direct messages with the bot; undefined if there is none */
  async directChannel(botToken: string, userId: string): Promise<string | undefined> {
    const opened = this.#of(botToken).conversations.open({ users: userId });
    return opened.then(({ channel }) => channel?.id).catch(() => undefined);
  }

  /** @param onNamed called with Slack's id of the file before anyone can see the file */
  async upload(target: MessageTarget, file: AnswerFile, onNamed?: (fileId: string) => Promise<void>): Promise<Done> {
    const { clients, sendBytes, log } = this.#parts;
    const sent = await upload(clients.of(target.botToken), sendBytes, { target, file, onNamed }).catch(classifyThrown);
    if (sent.kind !== 'done')
      log.warn({ error: sent.error }, 'file could not be uploaded, message is posted without it');
    return sent;
  }

  /** Succeeds if the file is already gone. */
  async removeFile({ botToken }: MessageTarget, fileId: string): Promise<Done> {
    const removed = await retryCall(() => this.#of(botToken).files.delete({ file: fileId }));
    return removed.kind !== 'done' && errorMeans(removed.error, 'file_gone') ? done : removed;
  }

  #of(botToken: string) {
    return this.#parts.clients.of(botToken);
  }

  /** @param isRepeatable true if a duplicate does no harm */
  #send(message: Message, isRepeatable: boolean, call: (content: Content) => Promise<unknown>): Promise<Done> {
    const { slashCommand, log } = this.#parts;
    const forms = contentsOf(message, (one) => fitMessage(one, slashCommand));
    return sendVariants(forms, (content) => call(content).then(() => done), { isRepeatable, log });
  }
}

type NotifyTarget = { readonly botToken: string; readonly channelId?: string | undefined };

type Upload = {
  readonly target: MessageTarget;
  readonly file: AnswerFile;
  readonly onNamed: ((fileId: string) => Promise<void>) | undefined;
};

/** The documented name for files.getUploadURLExternal. The SDK's types call it `alt_text`, which Slack does not read. */
const altTextField = 'alt_txt';

/**
 * https://docs.slack.dev/messaging/working-with-files#uploading_files: asks for an address, sends the bytes, attaches
 * the file.
 */
async function upload(
  { files, slackApiUrl }: WebClient,
  sendBytes: SendBytes,
  { target: { channelId, threadTs }, file, onNamed }: Upload,
): Promise<Done> {
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
