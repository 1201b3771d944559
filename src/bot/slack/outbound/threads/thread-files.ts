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
  readonly place: MessageTarget;
  readonly hold: ThreadLease;
  /** What was uploaded for this reply before. */
  readonly standing: readonly ThreadFile[];
};

/** @returns whether every file stands, and nothing that is out of date does */
export async function writeFiles(deps: ThreadFilesDeps, request: FilesRequest): Promise<boolean> {
  const current = new Set<string>();
  let isWhole = true;
  for (const file of request.reply.files ?? []) {
    const fileId = await ensureFile(deps, request, file);
    if (fileId !== undefined) current.add(fileId);
    isWhole &&= fileId !== undefined;
    // The old one is better than none.
    if (fileId === undefined) for (const old of shared(request, file.name)) current.add(old.fileId);
  }
  const outdated = request.standing.filter(({ fileId }) => !current.has(fileId));
  return (await removeFiles(deps, request, outdated)) && isWhole;
}

function shared({ standing }: FilesRequest, name: string): readonly ThreadFile[] {
  return standing.filter((file) => file.name === name && file.digest !== null);
}

/** @returns Slack's id of the file that stands with this content; undefined where none does */
async function ensureFile(deps: ThreadFilesDeps, request: FilesRequest, file: AnswerFile): Promise<string | undefined> {
  const { reply, place, hold } = request;
  const content = await file.content().catch((thrown: unknown) => {
    deps.log.warn({ error: describe(thrown) }, 'a file could not be made, its message stands without it');
  });
  if (!content) return undefined;
  const digest = digestOf(file, content);
  const same = shared(request, file.name).find((standing) => standing.digest === digest);
  if (same) return same.fileId;
  let fileId: string | undefined;
  const sent = await deps.posting.upload(place, { ...file, content: async () => content }, async (id) => {
    fileId = id;
    // Known before it can be seen: whoever comes after a crash takes it away again.
    await hold.saveFile({ fileId, reply: reply.name, name: file.name, digest: null });
  });
  if (fileId === undefined) return undefined;
  if (sent.kind === 'done') {
    await hold.saveFile({ fileId, reply: reply.name, name: file.name, digest });
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
  { place, hold }: FilesRequest,
  files: readonly Pick<ThreadFile, 'fileId'>[],
): Promise<boolean> {
  if (files.length === 0) return true;
  // A message that carried nothing else would stay and say that its file was deleted.
  const messages = (await posting.history(place, 0)) ?? [];
  let isDone = true;
  for (const { fileId } of files) {
    const carrying = messages.find(({ fileIds, mark }) => mark === undefined && fileIds.includes(fileId));
    if (carrying) await posting.remove(place, carrying.ts);
    const removed = await posting.removeFile(place, fileId);
    if (removed.kind === 'done') await hold.forgetFile(fileId);
    isDone &&= removed.kind === 'done';
  }
  return isDone;
}
