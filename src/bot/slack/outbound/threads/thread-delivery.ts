/** Delivers an answer that is a thread: one for each subject in a channel, however often people press. */
import type { ThreadAnswer } from '../../../commands/framework/command.ts';
import type { Actor } from '../../../domain/person.ts';
import type { ThreadLease } from '../../../store/repositories/thread-lease.ts';
import type { ThreadKey, Threads } from '../../../store/repositories/threads.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { Permalink } from '../delivery/posting.ts';
import { withheldBy } from '../web-api/audience.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { describe, type Failure } from '../web-api/errors.ts';
import { type Elsewhere, type ThreadNote, threadNoteMessage } from './thread-notices.ts';
import { isNotHere, type ThreadWritingDeps, type Written, writeThread } from './thread-writing.ts';

export type ThreadOrigin = {
  readonly actor: Actor;
  readonly botToken: string | undefined;
  /** The message in the channel under which the thread belongs; a new root is posted where there is none. */
  readonly anchorTs?: string | undefined;
};

/** @returns what the person who asked is told, privately */
export type ThreadDelivery = (answer: ThreadAnswer, at: ThreadOrigin) => Promise<Message>;

export type ThreadDeliveryDeps = ThreadWritingDeps & { readonly threads: Threads };

/** After a crash others wait no longer than this. */
const leaseMs = 15_000;

export function createThreadDelivery(deps: ThreadDeliveryDeps): ThreadDelivery {
  return async (answer, { actor, botToken, anchorTs }) => {
    if (botToken === undefined) return threadNoteMessage({ kind: 'nowhere' });
    const { channelId, teamId } = actor;
    const here = await deliver(deps, answer, { place: { botToken, channelId }, teamId, anchorTs });
    if (here.kind !== 'not_here') return threadNoteMessage(here);
    const directId = await deps.posting.directChannel(botToken, actor.userId);
    if (directId === undefined) return threadNoteMessage({ kind: 'nowhere' });
    const there = await deliver(deps, answer, {
      place: { botToken, channelId: directId },
      teamId,
      anchorTs: undefined,
    });
    return threadNoteMessage(there.kind === 'not_here' ? { kind: 'nowhere' } : there, here.elsewhere);
  };
}

type ThreadTarget = { readonly place: MessageTarget; readonly teamId: string; readonly anchorTs: string | undefined };
type Delivered = ThreadNote | { readonly kind: 'not_here'; readonly elsewhere: Elsewhere };

async function deliver(deps: ThreadDeliveryDeps, answer: ThreadAnswer, to: ThreadTarget): Promise<Delivered> {
  const { place, teamId, anchorTs } = to;
  const key: ThreadKey = { teamId, channelId: place.channelId, subject: answer.subject };
  const claim = await deps.threads.claim(key, deps.clock(), leaseMs);
  const { rootTs, isAnchored, replies } = claim.thread;
  const link = rootTs === null ? undefined : await deps.posting.permalink(place, rootTs);
  const beginTs = isAnchored ? replies.get(answer.replies[0]?.name ?? '') : undefined;
  const url = await addressOf(deps, place, beginTs, link);
  if (claim.kind === 'taken') return { kind: 'busy', link: url };
  if (rootTs !== null && link?.kind === 'gone') {
    // Somebody has deleted it; the next claim finds no root.
    await deps.threads.forget(key, rootTs);
    return deliver(deps, answer, to);
  }
  if (claim.kind === 'final') return { kind: 'stands', isWhole: true, link: url };
  const written = await whileHeld(deps, claim.lease, answer.isFinal, () =>
    writeThread(deps, { answer, claim, place, anchorTs }),
  );
  if (written.kind !== 'failed') return standing(deps, place, written, url);
  const { failure } = written;
  deps.log.warn({ teamId, error: failure.error }, 'thread could not be opened');
  if (isNotHere(failure)) return { kind: 'not_here', elsewhere: elsewhereOf(failure) };
  return { kind: failure.kind === 'unknown' ? 'unknown' : 'refused' };
}

function elsewhereOf(failure: Failure): Elsewhere {
  return withheldBy(failure) ?? (failure.error === 'is_archived' ? 'archived' : 'not_invited');
}

/** Below a message that says something else the first reply may stand far down, after other threads: it is what is linked to. */
async function addressOf(
  { posting }: ThreadDeliveryDeps,
  place: MessageTarget,
  beginTs: string | undefined,
  root: Permalink | undefined,
): Promise<string | undefined> {
  if (root?.kind !== 'link') return undefined;
  const begin = beginTs === undefined ? undefined : await posting.permalink(place, beginTs);
  return begin?.kind === 'link' ? begin.url : root.url;
}

/** Keeps the hold while the thread is written, and ends it whatever happens. */
async function whileHeld(
  { clock, log }: ThreadDeliveryDeps,
  hold: ThreadLease,
  isFinal: boolean,
  write: () => Promise<Written>,
): Promise<Written> {
  const keep = () => {
    hold.keep(clock()).catch((thrown: unknown) => log.warn({ error: describe(thrown) }, 'thread could not be kept'));
  };
  const beat = setInterval(keep, leaseMs / 3);
  let isDone = false;
  try {
    const written = await write();
    isDone = written.kind === 'written' && written.isWhole && isFinal;
    return written;
  } finally {
    clearInterval(beat);
    await hold.release(isDone);
  }
}

async function standing(
  { posting }: ThreadDeliveryDeps,
  place: MessageTarget,
  written: Exclude<Written, { readonly kind: 'failed' }>,
  knownUrl: string | undefined,
): Promise<ThreadNote> {
  const asked = knownUrl === undefined ? await posting.permalink(place, written.beginTs) : undefined;
  const link = asked?.kind === 'link' ? asked.url : knownUrl;
  return written.kind === 'lost' ? { kind: 'busy', link } : { kind: 'stands', isWhole: written.isWhole, link };
}
