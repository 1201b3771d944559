/** Files of a thread: uploads new ones and deletes outdated ones, each recorded before it is visible. */
import { createHash } from 'node:crypto';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { AnswerFile, ThreadReply } from '../../../commands/framework/command.ts';
import type { DeliveryServices } from '../../../outbox/results.ts';
import type { OpenDelivery, PostedFile } from '../../../store/outbox/delivery.ts';
import type { Outbox } from '../../../store/repositories/outbox.ts';
import type { OutboundSlack } from '../outbound-slack.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { describe } from '../web-api/errors.ts';
import type { ReadHistory } from '../web-api/history-reader.ts';

/** A message that carries files and nothing else. */
export type FileMessage = { readonly ts: string; readonly fileIds: readonly string[] };

/** @returns nothing for a message of the bot's own, which has metadata */
export function readFileMessage(message: JsonRecord): readonly FileMessage[] {
  if (!Array.isArray(message['files']) || message['metadata'] !== undefined) return [];
  const fileIds = message['files'].map(readRecord).flatMap((file) => readText(file, 'id') ?? []);
  return [{ ts: readText(message, 'ts') ?? '', fileIds }];
}

/** Slack's clock may be slow. */
const clockSkewMs = 60_000;

export interface ThreadServices {
  readonly slack: OutboundSlack;
  readonly outbox: Outbox;
  readonly poster: DeliveryServices;
  readonly readFiles: ReadHistory<FileMessage>;
}

type FileRequest = {
  readonly reply: ThreadReply;
  /** Below the root. */
  readonly target: MessageTarget;
  readonly thread: OpenDelivery;
  /** Files that an earlier attempt uploaded for this reply. */
  readonly uploaded: readonly PostedFile[];
};

/** @returns true if the file is uploaded and every outdated file is removed */
export async function writeFile(services: ThreadServices, request: FileRequest): Promise<boolean> {
  const { reply, uploaded } = request;
  const fileId = reply.file && (await ensureFile(services, request, reply.file));
  const isMissing = reply.file !== undefined && fileId === undefined;
  // After a failed upload the old file stays.
  const outdated = uploaded.filter((old) => old.fileId !== fileId && !(isMissing && old.contentHash !== null));
  return (await removeFiles(services, request, outdated)) && !isMissing;
}

/** @returns Slack's id of the uploaded file with this content; undefined if there is none */
async function ensureFile(
  services: ThreadServices,
  request: FileRequest,
  file: AnswerFile,
): Promise<string | undefined> {
  const { reply, target, thread, uploaded } = request;
  const content = await file.content().catch((thrown: unknown) => {
    services.poster.log.warn({ error: describe(thrown) }, 'file could not be made, message is posted without it');
  });
  if (!content) return undefined;
  const contentHash = hashOf(file, content);
  const same = uploaded.find((earlier) => earlier.contentHash === contentHash);
  if (same) return same.fileId;
  const known = { messageName: reply.name, fileName: file.name };
  let fileId: string | undefined;
  const sent = await services.slack.posting.upload(target, { ...file, content: async () => content }, async (id) => {
    fileId = id;
    // Stored before the file is visible: after a crash the next attempt removes it.
    await thread.lease.saveFile({ ...known, fileId: id, contentHash: null });
  });
  if (fileId === undefined) return undefined;
  if (sent.kind === 'done') {
    await thread.lease.saveFile({ ...known, fileId, contentHash });
    return fileId;
  }
  await removeFiles(services, request, [{ fileId }]);
  return undefined;
}

function hashOf({ name, title, altText = '' }: AnswerFile, content: Uint8Array): string {
  const hash = createHash('sha256').update(JSON.stringify([name, title, altText]));
  return hash.update(content).digest('base64url');
}

/** @returns true if all of them are gone */
async function removeFiles(
  { slack, readFiles, poster }: ThreadServices,
  { target, thread }: FileRequest,
  files: readonly Pick<PostedFile, 'fileId'>[],
): Promise<boolean> {
  if (files.length === 0) return true;
  // A message that only carried the file would stay with a note that its file was deleted.
  const read = await readFiles({
    target,
    span: { from: thread.openedAt - clockSkewMs },
    waitMsMax: poster.timing.historyWaitMsMax,
  });
  // The next attempt removes them.
  if ('kind' in read && read.kind === 'later') return false;
  const messages = 'kind' in read ? [] : read;
  let isDone = true;
  for (const { fileId } of files) {
    const carrying = messages.find(({ fileIds }) => fileIds.includes(fileId));
    if (carrying) await slack.posting.remove(target, carrying.ts);
    const removed = await slack.posting.removeFile(target, fileId);
    if (removed.kind === 'done') await thread.lease.forgetFile(fileId);
    isDone &&= removed.kind === 'done';
  }
  return isDone;
}
