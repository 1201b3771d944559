/** Uploads files to Slack and deletes them. */
import type { FilesCompleteUploadExternalArguments } from '@slack/web-api';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { AnswerFile } from '../../../commands/framework/command.ts';
import type { MessageTarget, SlackClients } from './client.ts';
import { classifyThrown, type Failure } from './errors.ts';
import { type Done, retryNotSent } from './retry.ts';
import { readSlackAddress } from './slack-address.ts';
import type { SendBytes } from './slack-fetch.ts';

export type FileUploads = {
  /** @param onNamed called with Slack's id of the file before anyone can see the file */
  readonly upload: (
    target: MessageTarget,
    file: AnswerFile,
    onNamed?: (fileId: string) => Promise<void>,
  ) => Promise<Done>;
  /** Succeeds if the file is already gone. */
  readonly removeFile: (target: MessageTarget, fileId: string) => Promise<Done>;
};

export type FileUploadsDeps = { readonly clients: SlackClients; readonly sendBytes: SendBytes; readonly log: Logger };

/** The documented name for files.getUploadURLExternal. The SDK's types call it `alt_text`, which Slack does not read. */
const altTextField = 'alt_txt';
const goneErrors = ['file_not_found', 'file_deleted'];

export function createFileUploads(deps: FileUploadsDeps): FileUploads {
  return {
    upload: async (target, file, onNamed) => {
      const sent = await upload(deps, target, file, onNamed).catch(classifyThrown);
      if (sent.kind !== 'done') {
        deps.log.warn({ error: sent.error }, 'file could not be uploaded, message is posted without it');
      }
      return sent;
    },
    removeFile: async ({ botToken }, fileId) => {
      const removed = await retryNotSent(async () => {
        await deps.clients.of(botToken).files.delete({ file: fileId });
        return done;
      });
      return removed.kind !== 'done' && goneErrors.includes(removed.error) ? done : removed;
    },
  };
}

const done = { kind: 'done' } as const;

/**
 * https://docs.slack.dev/messaging/working-with-files#uploading_files: asks for an address, sends the bytes, attaches
 * the file.
 */
async function upload(
  { clients, sendBytes }: FileUploadsDeps,
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
  return retryNotSent(async () => {
    await files.completeUploadExternal(shared);
    return done;
  });
}

function refused(error: string): Failure {
  return { kind: 'permanent', error };
}
