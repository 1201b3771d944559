/** Carrying out an answer that is a thread: one for each subject in a channel, whoever presses, however often. */
import type { Actor, ThreadAnswer, ThreadReply } from '../commands/command.ts';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import type { StandingThread, ThreadKey, Threads } from '../store/threads.ts';
import type { Message } from '../views/kit/message.ts';
import type { Failure } from './errors.ts';
import type { Place, Posting } from './posting.ts';
import { type ThreadNote, threadNoteMessage } from './thread-notices.ts';

export type ThreadRequest = {
  readonly actor: Actor;
  readonly botToken: string | undefined;
  /** The message in the channel under which the thread belongs; a new root is posted where there is none. */
  readonly anchorTs?: string | undefined;
};

/** @returns what the person who asked is told, privately */
export type ThreadDelivery = (answer: ThreadAnswer, request: ThreadRequest) => Promise<Message>;

export type ThreadDeliveryDeps = {
  readonly posting: Posting;
  readonly threads: Threads;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Longer than a thread takes to write; then somebody else may finish it. */
const leaseMs = 60_000;

export function createThreadDelivery(deps: ThreadDeliveryDeps): ThreadDelivery {
  return async (answer, { actor, botToken, anchorTs }) => {
    if (botToken === undefined) return threadNoteMessage({ kind: 'failed' });
    const { channelId } = actor;
    const here = await write(deps, answer, { botToken, channelId }, actor.teamId, anchorTs);
    if (here !== 'not_here') return threadNoteMessage(here);
    const direct = await deps.posting.directChannel(botToken, actor.userId);
    if (direct === undefined) return threadNoteMessage({ kind: 'failed' });
    const there = await write(deps, answer, { botToken, channelId: direct }, actor.teamId, undefined);
    if (there === 'not_here') return threadNoteMessage({ kind: 'failed' });
    return threadNoteMessage(there.kind === 'stands' ? { ...there, kind: 'elsewhere' } : there);
  };
}

type Written = ThreadNote | 'not_here';

async function write(
  deps: ThreadDeliveryDeps,
  answer: ThreadAnswer,
  place: Place,
  teamId: string,
  anchorTs: string | undefined,
): Promise<Written> {
  const key: ThreadKey = { teamId, channelId: place.channelId, subject: answer.subject };
  const { kind, thread } = await deps.threads.claim(key, deps.clock(), leaseMs);
  if (kind !== 'mine') return stands(deps, place, thread.rootTs, kind === 'taken');
  const root = await ensureRoot(deps, key, place, thread, answer, anchorTs);
  if (root.kind !== 'posted') {
    await deps.threads.release(key, false);
    deps.log.warn({ teamId, error: root.error }, 'thread could not be opened');
    return isNotHere(root) ? 'not_here' : { kind: 'failed' };
  }
  const isComplete = await writeReplies(deps, key, { ...place, threadTs: root.ts }, thread, answer.replies);
  if (root.ts !== anchorTs) await deps.posting.update(place, root.ts, answer.root);
  await deps.threads.release(key, isComplete && answer.isFinal);
  return stands(deps, place, root.ts, false);
}

async function stands(
  deps: ThreadDeliveryDeps,
  place: Place,
  rootTs: string | null,
  isBusy: boolean,
): Promise<ThreadNote> {
  const link = rootTs === null ? undefined : await deps.posting.permalink(place, rootTs);
  return { kind: isBusy ? 'busy' : 'stands', link };
}

async function ensureRoot(
  { posting, threads }: ThreadDeliveryDeps,
  key: ThreadKey,
  place: Place,
  thread: StandingThread,
  answer: ThreadAnswer,
  anchorTs: string | undefined,
) {
  if (thread.rootTs !== null) return { kind: 'posted', ts: thread.rootTs } as const;
  const root =
    anchorTs === undefined ? await posting.post(place, answer.progress) : { kind: 'posted' as const, ts: anchorTs };
  if (root.kind === 'posted') await threads.saveRoot(key, root.ts);
  return root;
}

/** In order: a reply that stands is written anew in place, one that is missing is posted. @returns whether all stand */
async function writeReplies(
  { posting, threads }: ThreadDeliveryDeps,
  key: ThreadKey,
  place: Place,
  thread: StandingThread,
  replies: readonly ThreadReply[],
): Promise<boolean> {
  let isComplete = true;
  for (const { name, message, files = [] } of replies) {
    const standing = thread.replies.get(name);
    const sent =
      standing === undefined ? await posting.post(place, message) : await posting.update(place, standing, message);
    if (sent.kind === 'posted') await threads.saveReply(key, name, sent.ts);
    isComplete &&= sent.kind === 'posted' || sent.kind === 'done';
    if (standing !== undefined) continue;
    for (const file of files) await posting.upload(place, file);
  }
  return isComplete;
}

/** Slack's words for a channel the bot cannot post in. */
function isNotHere({ error }: Failure): boolean {
  return [
    'not_in_channel',
    'channel_not_found',
    'restricted_action',
    'is_archived',
    'cannot_reply_to_message',
  ].includes(error);
}
