/** Writes one thread: posts missing messages, edits existing ones, and stores each id before the next post. */

import { createHash } from 'node:crypto';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { AnswerFile, ThreadAnswer, ThreadReply } from '../../../commands/framework/command.ts';
import type { ThreadFile, ThreadLease } from '../../../store/repositories/thread-lease.ts';
import type { StoredThread, ThreadClaim } from '../../../store/repositories/threads.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { Posted, Posting } from '../delivery/posting.ts';
import { withheldBy } from '../web-api/audience.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { describe, type Failure } from '../web-api/errors.ts';
import type { MarkedMessage, Span } from '../web-api/history.ts';
import type { ReadHistory } from '../web-api/history-reader.ts';
import type { Done } from '../web-api/retry.ts';

export type ThreadWritingDeps = {
  readonly posting: Posting;
  readonly readThread: ReadHistory<MarkedMessage>;
  readonly log: Logger;
};

export type ThreadRequest = {
  readonly answer: ThreadAnswer;
  readonly claim: Extract<ThreadClaim, { readonly kind: 'mine' }>;
  readonly target: MessageTarget;
  /** The message under which the thread belongs. If undefined, a root is posted. */
  readonly anchorTs: string | undefined;
};

export type Written =
  /** `beginTs`: the first reply, or the root without one. */
  | { readonly kind: 'written'; readonly beginTs: string; readonly isComplete: boolean }
  /** Another process has taken the lease. */
  | { readonly kind: 'lost'; readonly beginTs: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Posts or edits the messages of a thread. After a crash between a post and its storage, only Slack's history knows the
 * message.
 */
export async function writeThread(deps: ThreadWritingDeps, request: ThreadRequest): Promise<Written> {
  const { claim, answer, target } = request;
  const known = await knownParts(deps, request);
  if ('kind' in known) return { kind: 'failed', failure: known };
  const root = await ensureRoot(deps, request, known.get(rootPart));
  if (root.kind !== 'posted') return { kind: 'failed', failure: root };
  const thread = { ...target, threadTs: root.ts };
  let isComplete = true;
  let beginTs = root.ts;
  for (const reply of answer.replies) {
    if (!(await claim.lease.keep())) return { kind: 'lost', beginTs };
    const sent = await writeReply(deps, { ...request, target: thread }, reply, known.get(reply.name));
    if (sent.kind !== 'posted') {
      if (isNotHere(sent)) return { kind: 'failed', failure: sent };
      deps.log.warn({ reply: reply.name, error: sent.error }, 'reply could not be posted');
      isComplete = false;
      continue;
    }
    await claim.lease.saveReply(reply.name, sent.ts, digestOfMessage(reply.message));
    if (reply === answer.replies[0]) beginTs = sent.ts;
  }
  // Slack shares files some time after it took them, so they come after every reply.
  for (const reply of answer.replies) {
    if (!(await claim.lease.keep())) return { kind: 'lost', beginTs };
    const uploaded = claim.thread.files.filter((file) => file.reply === reply.name);
    const files = { reply, target: thread, span: spanOf(claim.thread), lease: claim.lease, uploaded };
    const areFilesComplete = await writeFiles(deps, files);
    isComplete &&= areFilesComplete;
  }
  const isRootComplete = root.isAnchored || (await deps.posting.update(target, root.ts, answer.root)).kind === 'done';
  isComplete &&= isRootComplete;
  return { kind: 'written', beginTs, isComplete };
}

const rootPart = 'root';
/** Slack's clock may be slow. */
const clockSkewMs = 60_000;

/** The history may have messages of an earlier attempt, and cannot be read now. */
export const notChecked = 'thread_not_checked';

/**
 * On a later attempt, adds the messages that Slack's history has and the store lacks.
 * @returns a failure while the history may be readable later: what was posted already must not be posted again
 */
async function knownParts(
  { readThread, log }: ThreadWritingDeps,
  { claim, answer, target }: ThreadRequest,
): Promise<ReadonlyMap<string, string> | Failure> {
  const { rootTs, replies } = claim.thread;
  const missing =
    rootTs === null ? [rootPart] : answer.replies.flatMap(({ name }) => (replies.has(name) ? [] : [name]));
  if (claim.isNew || missing.length === 0) return replies;
  const found = await readThread({
    target: rootTs === null ? target : { ...target, threadTs: rootTs },
    span: spanOf(claim.thread),
    isEnough: (messages) => missing.every((part) => partsOf(messages, answer).some(([name]) => name === part)),
  });
  if (!('kind' in found)) return new Map([...partsOf(found, answer), ...replies]);
  if (found.kind === 'unreadable') return replies;
  log.warn({ channelId: target.channelId, error: found.error }, 'thread waits: its history cannot be read now');
  return { kind: 'not_sent', error: notChecked };
}

/** Nothing of a thread is older than its first attempt. */
function spanOf({ openedAt }: StoredThread): Span {
  return { from: openedAt - clockSkewMs };
}

function partsOf(
  messages: readonly MarkedMessage[],
  { subject }: ThreadAnswer,
): readonly (readonly [string, string])[] {
  return messages.flatMap(({ ts, mark }) => (mark?.subject === subject ? [[mark.part, ts] as const] : []));
}

type Root = { readonly kind: 'posted'; readonly ts: string; readonly isAnchored: boolean } | Failure;

async function ensureRoot(
  { posting }: ThreadWritingDeps,
  { claim, answer, target, anchorTs }: ThreadRequest,
  foundTs: string | undefined,
): Promise<Root> {
  const { rootTs, isAnchored } = claim.thread;
  if (rootTs !== null) return { kind: 'posted', ts: rootTs, isAnchored };
  const existingTs = foundTs ?? anchorTs;
  const mark = { subject: answer.subject, part: rootPart };
  const root =
    existingTs === undefined
      ? await posting.post(target, answer.progress, mark)
      : ({ kind: 'posted', ts: existingTs } as const);
  if (root.kind !== 'posted') return root;
  const isAnchor = root.ts === anchorTs && foundTs === undefined;
  await claim.lease.saveRoot(root.ts, isAnchor);
  return { ...root, isAnchored: isAnchor };
}

/**
 * An edit folds a plan that people have opened (slackapi/node-slack-sdk#2701), so a reply that says the same is not edited.
 * @param existingTs of the same reply if it was posted before
 */
async function writeReply(
  { posting }: ThreadWritingDeps,
  { answer, claim, target }: ThreadRequest,
  { name, message }: ThreadReply,
  existingTs: string | undefined,
): Promise<Posted> {
  if (existingTs !== undefined) {
    const isSame = claim.thread.digests.get(name) === digestOfMessage(message);
    const updated = isSame
      ? await find(posting, target, existingTs)
      : await posting.update(target, existingTs, message);
    if (updated.kind === 'done') return { kind: 'posted', ts: existingTs };
    if (!goneErrors.includes(updated.error)) return updated;
  }
  return posting.post(target, message, { subject: answer.subject, part: name });
}

async function find(posting: Posting, target: MessageTarget, ts: string): Promise<Done> {
  const { kind } = await posting.permalink(target, ts);
  return kind === 'gone' ? { kind: 'permanent', error: 'message_not_found' } : { kind: 'done' };
}

function digestOfMessage(message: Message): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

/** The message was deleted, or another app wrote it. */
const goneErrors = ['message_not_found', 'cant_update_message'];

const notHereErrors = [
  'not_in_channel',
  'channel_not_found',
  'restricted_action',
  'is_archived',
  'cannot_reply_to_message',
  'thread_not_found',
];

/** @returns true if the bot cannot write in this channel, or may not because another company reads it */
export function isNotHere(failure: Failure): boolean {
  return notHereErrors.includes(failure.error) || withheldBy(failure) !== undefined;
}

export type ThreadFilesDeps = Pick<ThreadWritingDeps, 'posting' | 'readThread' | 'log'>;

export type FilesRequest = {
  readonly reply: ThreadReply;
  /** The thread. */
  readonly target: MessageTarget;
  /** The time in which the bot posted. */
  readonly span: Span;
  readonly lease: ThreadLease;
  /** Files that an earlier attempt uploaded for this reply. */
  readonly uploaded: readonly ThreadFile[];
};

/** @returns true if every file is uploaded and every outdated file is removed */
export async function writeFiles(deps: ThreadFilesDeps, request: FilesRequest): Promise<boolean> {
  const current = new Set<string>();
  let isComplete = true;
  for (const file of request.reply.files ?? []) {
    const fileId = await ensureFile(deps, request, file);
    if (fileId !== undefined) current.add(fileId);
    isComplete &&= fileId !== undefined;
    // The upload failed, so the old file stays.
    if (fileId === undefined) for (const old of shared(request, file.name)) current.add(old.fileId);
  }
  const outdated = request.uploaded.filter(({ fileId }) => !current.has(fileId));
  return (await removeFiles(deps, request, outdated)) && isComplete;
}

function shared({ uploaded }: FilesRequest, name: string): readonly ThreadFile[] {
  return uploaded.filter((file) => file.name === name && file.digest !== null);
}

/** @returns Slack's id of the uploaded file with this content; undefined if there is none */
async function ensureFile(deps: ThreadFilesDeps, request: FilesRequest, file: AnswerFile): Promise<string | undefined> {
  const { reply, target, lease } = request;
  const content = await file.content().catch((thrown: unknown) => {
    deps.log.warn({ error: describe(thrown) }, 'file could not be made, message is posted without it');
  });
  if (!content) return undefined;
  const digest = digestOf(file, content);
  const same = shared(request, file.name).find((uploaded) => uploaded.digest === digest);
  if (same) return same.fileId;
  let fileId: string | undefined;
  const sent = await deps.posting.upload(target, { ...file, content: async () => content }, async (id) => {
    fileId = id;
    // Stored before the file is visible: after a crash the next attempt removes it.
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

/** @returns true if all of them are gone */
async function removeFiles(
  { posting, readThread }: ThreadFilesDeps,
  { target, span, lease }: FilesRequest,
  files: readonly Pick<ThreadFile, 'fileId'>[],
): Promise<boolean> {
  if (files.length === 0) return true;
  // A message that only carried the file would stay with a note that its file was deleted.
  const read = await readThread({ target, span });
  // The next attempt removes them.
  if ('kind' in read && read.kind === 'later') return false;
  const messages = 'kind' in read ? [] : read;
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
