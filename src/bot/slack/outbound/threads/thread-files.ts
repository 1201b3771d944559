/** Uploads the files of one reply once, and replaces those whose content changed: the old file goes after the new one is up. */
import { createHash } from 'node:crypto';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { AnswerFile, ThreadReply } from '../../../commands/framework/command.ts';
import type { ThreadFile, ThreadLease } from '../../../store/repositories/thread-lease.ts';
import type { Posting } from '../delivery/posting.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { describe } from '../web-api/errors.ts';

export type ThreadFilesDeps = { readonly posting: Posting; readonly log: Logger };

export type FilesRequest = {
  readonly reply: ThreadReply;
  /** In the thread. */
  readonly target: MessageTarget;
  readonly lease: ThreadLease;
  /** What was uploaded for this reply before. */
  readonly uploaded: readonly ThreadFile[];
};

/** @returns whether every file stands, and nothing that is out of date does */
export async function writeFiles(deps: ThreadFilesDeps, request: FilesRequest): Promise<boolean> {
  const current = new Set<string>();
  let isComplete = true;
  for (const file of request.reply.files ?? []) {
    const fileId = await ensureFile(deps, request, file);
    if (fileId !== undefined) current.add(fileId);
    isComplete &&= fileId !== undefined;
    // The old one is better than none.
    if (fileId === undefined) for (const old of shared(request, file.name)) current.add(old.fileId);
  }
  const outdated = request.uploaded.filter(({ fileId }) => !current.has(fileId));
  return (await removeFiles(deps, request, outdated)) && isComplete;
}

function shared({ uploaded }: FilesRequest, name: string): readonly ThreadFile[] {
  return uploaded.filter((file) => file.name === name && file.digest !== null);
}

/** @returns Slack's id of the file that stands with this content; undefined where none does */
async function ensureFile(deps: ThreadFilesDeps, request: FilesRequest, file: AnswerFile): Promise<string | undefined> {
  const { reply, target, lease } = request;
  const content = await file.content().catch((thrown: unknown) => {
    deps.log.warn({ error: describe(thrown) }, 'a file could not be made, its message stands without it');
  });
  if (!content) return undefined;
  const digest = digestOf(file, content);
  const same = shared(request, file.name).find((uploaded) => uploaded.digest === digest);
  if (same) return same.fileId;
  let fileId: string | undefined;
  const sent = await deps.posting.upload(target, { ...file, content: async () => content }, async (id) => {
    fileId = id;
    // Known before it can be seen: whoever comes after a crash takes it away again.
    await lease.saveFile({ fileId, reply: reply.name, name: file.name, digest: null });
  });
  if (fileId === undefined) return undefined;
  if (sent.kind === 'done') {
    await lease.saveFile({ fileId, reply: reply.name, name: file.name, digest });
    return fileId;
  }
  await removeFiles(deps, request, [{ fileId }]);
  return undefined;
}

function digestOf({ name, title, altText = '' }: AnswerFile, content: Uint8Array): string {
  const hash = createHash('sha256').update(JSON.stringify([name, title, altText]));
  return hash.update(content).digest('base64url');
}

/** @returns whether all of them are gone */
async function removeFiles(
  { posting }: ThreadFilesDeps,
  { target, lease }: FilesRequest,
  files: readonly Pick<ThreadFile, 'fileId'>[],
): Promise<boolean> {
  if (files.length === 0) return true;
  // A message that carried nothing else would stay and say that its file was deleted.
  const messages = (await posting.history(target, 0)) ?? [];
  let isDone = true;
  for (const { fileId } of files) {
    const carrying = messages.find(({ fileIds, mark }) => mark === undefined && fileIds.includes(fileId));
    if (carrying) await posting.remove(target, carrying.ts);
    const removed = await posting.removeFile(target, fileId);
    if (removed.kind === 'done') await lease.forgetFile(fileId);
    isDone &&= removed.kind === 'done';
  }
  return isDone;
}
