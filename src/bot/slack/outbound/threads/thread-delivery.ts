/** Delivers an answer as a thread: one per subject and channel, however often people press. */

import { waitUpTo } from '../../../../shared/time/timeout.ts';
import type { ThreadAnswer, ThreadReply } from '../../../commands/framework/command.ts';
import type { Actor } from '../../../domain/person.ts';
import { errorMeans } from '../../../domain/slack-errors.ts';
import {
  hashOf,
  MessagePoster,
  type NotPosted,
  type PostResult,
  posterServices,
} from '../../../outbox/message-poster.ts';
import { withLease } from '../../../outbox/results.ts';
import { type OpenDelivery, rootName } from '../../../store/outbox/delivery.ts';
import { threadKey } from '../../../store/outbox/open-delivery.ts';
import type { Store } from '../../../store/store.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { rich, trusted, type Words } from '../../../views/blocks/rich-text.ts';
import { lineMessage, withheldReason } from '../delivery/notices.ts';
import type { Posting } from '../delivery/posting.ts';
import type { OutboundSlack } from '../outbound-slack.ts';
import { type SharingBlock, sharingBlockOf } from '../web-api/audience.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { describe } from '../web-api/errors.ts';
import { readFileMessage, ThreadFiles, type ThreadServices } from './thread-files.ts';

export type ThreadOrigin = {
  readonly actor: Actor;
  readonly botToken: string | undefined;
  /** The message in the channel under which the thread belongs. If undefined, a new root is posted. */
  readonly anchorTs?: string | undefined;
};

/** The answer for the person who asked; `isSeen` if the thread has just appeared below, so that nothing need be said. */
type ThreadTold = { readonly message: Message; readonly isSeen: boolean };

export class ThreadDelivery {
  readonly #services: ThreadServices;
  readonly #openWithinMs: number;

  /** @param openWithinMs the person gets a note after this time; the thread is written further */
  constructor(slack: OutboundSlack, store: Pick<Store, 'outbox' | 'postPermits'>, openWithinMs: number) {
    const poster = posterServices(slack, store);
    this.#services = { slack, outbox: store.outbox, poster, readFiles: slack.history(readFileMessage) };
    this.#openWithinMs = openWithinMs;
  }

  async open(answer: ThreadAnswer, origin: ThreadOrigin): Promise<ThreadTold> {
    let note: ThreadTold | undefined;
    const opening = openThread(this.#services, answer, origin).then((opened) => {
      note = opened;
    });
    await waitUpTo(this.#openWithinMs, opening);
    if (note) return note;
    const { log } = this.#services.poster;
    opening.catch((thrown: unknown) => log.error({ error: describe(thrown) }, 'thread could not be written'));
    return told({ kind: 'slow' }, answer);
  }
}

async function openThread(
  services: ThreadServices,
  answer: ThreadAnswer,
  { actor, botToken, anchorTs }: ThreadOrigin,
): Promise<ThreadTold> {
  if (botToken === undefined) return told({ kind: 'nowhere' }, answer);
  const { channelId, teamId } = actor;
  const here: Delivered = answer.isPrivate
    ? { kind: 'not_here', elsewhere: 'private' }
    : await deliver(services, answer, { target: { botToken, channelId }, teamId, anchorTs });
  if (here.kind !== 'not_here') return told(here, answer);
  const directId = await services.slack.posting.directChannel(botToken, actor.userId);
  if (directId === undefined) return told({ kind: 'nowhere' }, answer, here.elsewhere);
  const target = { botToken, channelId: directId };
  const there = await deliver(services, answer, { target, teamId, anchorTs: undefined });
  if (there.kind === 'not_here') return told({ kind: 'nowhere' }, answer, here.elsewhere);
  const isSeen = there.isSeen === true && directId === channelId;
  return told({ ...there, isSeen }, answer, here.elsewhere);
}

type ThreadTarget = { readonly target: MessageTarget; readonly teamId: string; readonly anchorTs: string | undefined };
type Delivered =
  | (ThreadNote & { readonly isSeen?: boolean })
  | { readonly kind: 'not_here'; readonly elsewhere: Elsewhere };

async function deliver(services: ThreadServices, answer: ThreadAnswer, to: ThreadTarget): Promise<Delivered> {
  const { slack, outbox, poster } = services;
  const { target, teamId, anchorTs } = to;
  const { channelId } = target;
  const key = threadKey({ teamId, channelId }, answer.subject);
  const claim = await outbox.open(key, { channelId, leaseMs: poster.timing.leaseMs });
  const tsOf = (name: string) => claim.delivery.messages.find((message) => message.name === name)?.ts ?? null;
  const rootTs = tsOf(rootName);
  const link = rootTs === null ? undefined : await slack.posting.permalink(target, rootTs);
  const isLinked = link?.kind === 'link';
  const url = isLinked ? await linkAt(slack.posting, target, tsOf(answer.replies[0]?.name ?? ''), link.url) : undefined;
  if (claim.kind === 'taken') return { kind: 'busy', link: url };
  if (rootTs !== null && link?.kind === 'gone') {
    // The root was deleted; the next claim finds no root.
    await outbox.forgetThread(key, rootTs);
    return deliver(services, answer, to);
  }
  if (claim.kind === 'final') return { kind: 'posted', lacks: 'nothing', link: url };
  const { delivery: thread, isNew } = claim;
  const writer = new ThreadWriter(services, { answer, thread, target, anchorTs });
  const isWhole = (written: Written) => written.kind === 'written' && written.lacks === 'nothing';
  const write = async (): Promise<Written> => {
    // A send waits for Slack's answer for a second only, and finds this one.
    const audience = await slack.connectCheck.audienceOf(target);
    return audience === 'own' ? writer.write() : { kind: 'failed', failure: { kind: 'refused', error: audience } };
  };
  const written = await withLease(poster, thread, write, (one) => isWhole(one) && answer.isFinal);
  if (written.kind !== 'failed') {
    const isSeen = isNew && anchorTs === undefined && isWhole(written);
    const begin = url ?? (await linkAt(slack.posting, target, written.beginTs));
    if (written.kind === 'lost') return { kind: 'busy', link: begin };
    return { kind: 'posted', lacks: written.lacks, link: begin, isSeen };
  }
  const { failure } = written;
  poster.log.warn({ teamId, error: failure.error }, 'thread could not be opened');
  if (isNotHere(failure.error)) return { kind: 'not_here', elsewhere: whyElsewhere(failure.error) };
  if (failure.kind === 'later') return { kind: 'refused' };
  return { kind: failure.kind === 'uncertain' ? 'unknown' : failure.kind };
}

/** @param error by which Slack refused to post here */
function whyElsewhere(error: string): Elsewhere {
  if (error.startsWith('restricted_action')) return 'restricted';
  if (errorMeans(error, 'thread_closed')) return 'threadless';
  return sharingBlockOf({ kind: 'refused', error }) ?? (error === 'is_archived' ? 'archived' : 'not_invited');
}

/** The link leads to the first reply: Slack opens the thread for a reply, not for its root, and others may be above it. */
async function linkAt(
  posting: Posting,
  target: MessageTarget,
  beginTs: string | null,
  known?: string,
): Promise<string | undefined> {
  const begin = beginTs === null ? undefined : await posting.permalink(target, beginTs);
  return begin?.kind === 'link' ? begin.url : known;
}

type ThreadNote =
  | { readonly kind: 'posted'; readonly lacks: Lacks; readonly link?: string | undefined }
  /** Another process writes it. */
  | { readonly kind: 'busy'; readonly link?: string | undefined }
  /** `unknown`: Slack may have opened it. `nowhere`: neither the channel nor the direct messages accept it. */
  | { readonly kind: 'unknown' | 'refused' | 'nowhere' }
  /** `slow`: it is still being written. `unchecked`: Slack did not show what an earlier attempt has posted. */
  | { readonly kind: 'slow' | 'unchecked' };

/** Reasons for a thread in the person's direct messages instead of the channel. */
type Elsewhere = 'private' | 'not_invited' | 'archived' | 'restricted' | 'threadless' | SharingBlock;

/** Names the execution, since several notes in a row are read apart from their threads. */
function told(
  note: Exclude<Delivered, { kind: 'not_here' }>,
  { about }: ThreadAnswer,
  elsewhere?: Elsewhere,
): ThreadTold {
  return { message: lineMessage(noteWords(note, about, elsewhere)), isSeen: note.isSeen === true };
}

function noteWords(note: ThreadNote, about: Words, elsewhere: Elsewhere | undefined): Words {
  switch (note.kind) {
    case 'posted': {
      const lacking = lackingWords[note.lacks];
      const invite =
        elsewhere === 'not_invited' ? ' To have them here, type /invite, choose the bot, and try again.' : '';
      return rich`${whereWords(about, elsewhere)}${lacking}${trusted(invite)} ${linkTo(note.link)}`;
    }
    case 'busy':
      return rich`The thread${about} is being written. ${linkTo(note.link)}`;
    case 'unknown':
      return rich`Slack did not answer, so the thread${about} may be missing. Try again: the bot continues where it stopped.`;
    case 'slow':
      return rich`The thread${about} is still being written. If it is not complete in ten minutes, try again.`;
    case 'unchecked':
      return rich`Part of the thread${about} may be posted already, and Slack does not let the bot check now. Try again in a few minutes: the bot adds the rest.`;
    case 'refused':
      return rich`Slack did not accept the thread${about}. Try again in a minute.`;
    case 'nowhere':
      return nowhereWords(about, elsewhere);
  }
}

function nowhereWords(about: Words, elsewhere: Elsewhere | undefined): Words {
  if (elsewhere === 'private')
    return rich`The bot could not send you the thread${about} in direct messages. Investigate in the channel instead.`;
  if (elsewhere === 'sharing_needs_scopes' || elsewhere === 'sharing_unknown')
    return rich`The bot could not open a thread${about} in your direct messages, nor here, because ${withheldReason(elsewhere)}`;
  const isInviting = [undefined, 'not_invited', 'sharing_needs_membership'].includes(elsewhere);
  const step = isInviting ? 'Invite the bot to the channel and try again.' : 'Try another channel.';
  return rich`The bot could not open a thread${about} here or in your direct messages. ${trusted(step)}`;
}

const lackingWords: Readonly<Record<Lacks, Words>> = {
  nothing: [],
  part: rich` Slack did not accept all of the details: try again to add the rest.`,
  unknown: rich` Slack did not confirm all of the details. If a part is missing, investigate privately.`,
};

function whereWords(about: Words, elsewhere: Elsewhere | undefined): Words {
  const direct = rich`The details${about} are in your direct messages with the bot`;
  switch (elsewhere) {
    case undefined:
      return rich`The details${about} are in a thread here.`;
    case 'private':
      return rich`${direct}. Only you see them.`;
    case 'not_invited':
      return rich`${direct}, because the bot is not in this channel.`;
    case 'archived':
      return rich`${direct}, because this channel is archived.`;
    case 'restricted':
      return rich`${direct}, because Slack does not let apps post such a thread in this channel.`;
    case 'threadless':
      return rich`${direct}, because Slack accepted no reply under the message in this channel.`;
    case 'channel_is_shared':
    case 'sharing_needs_scopes':
    case 'sharing_needs_membership':
    case 'sharing_unknown':
      return rich`${direct}, because ${withheldReason(elsewhere)}`;
  }
}

function linkTo(link: string | undefined): Words {
  return link === undefined ? [] : [{ type: 'link', url: link, text: 'Open the thread' }];
}

type ThreadRequest = {
  readonly answer: ThreadAnswer;
  readonly thread: OpenDelivery;
  readonly target: MessageTarget;
  /** The message under which the thread belongs. If undefined, a root is posted. */
  readonly anchorTs: string | undefined;
};

/** The part that is missing; `unknown` if Slack does not show whether all of it was posted. */
type Lacks = 'nothing' | 'part' | 'unknown';

type Written =
  /** `beginTs`: the first reply, or the root without one. */
  | { readonly kind: 'written'; readonly beginTs: string; readonly lacks: Lacks }
  /** Another process has taken the lease. */
  | { readonly kind: 'lost'; readonly beginTs: string | null }
  | { readonly kind: 'failed'; readonly failure: NotPosted };

/** Posts missing messages, edits those whose content has changed, and records each before the next. */
class ThreadWriter {
  readonly #services: ThreadServices;
  readonly #request: ThreadRequest;
  readonly #poster: MessagePoster;
  #rootTs: string | null = null;
  #beginTs: string | null = null;

  constructor(services: ThreadServices, request: ThreadRequest) {
    this.#services = services;
    this.#request = request;
    this.#poster = new MessagePoster(services.poster, request.thread);
  }

  async write(): Promise<Written> {
    const { answer, thread, target } = this.#request;
    if (!(await this.#addMessages())) return this.#lost();
    const root = await this.#poster.post(rootName, answer.progress, null, false);
    if (root.kind === 'passed') return this.#lost();
    if (root.kind !== 'sent') return { kind: 'failed', failure: root };
    this.#rootTs = root.ts;
    this.#beginTs = root.ts;
    const replies = await this.#writeReplies();
    if (replies.kind !== 'written') return replies;
    let { lacks } = replies;
    // Slack shares files some time after it took them, so they come after every reply.
    const files = new ThreadFiles(this.#services, thread, { ...target, threadTs: root.ts });
    for (const reply of answer.replies) if (!(await files.write(reply))) lacks = 'part';
    const edited = await this.#finishRoot(root.ts);
    if (edited.kind === 'passed') return this.#lost();
    return { ...replies, lacks: edited.kind === 'sent' ? lacks : 'part' };
  }

  async #writeReplies(): Promise<Written> {
    const [first] = this.#request.answer.replies;
    let lacks: Lacks = 'nothing';
    for (const reply of this.#request.answer.replies) {
      const sent = await this.#writeReply(reply);
      if (sent.kind === 'passed') return this.#lost();
      if (sent.kind === 'sent') {
        if (reply === first) this.#beginTs = sent.ts;
        continue;
      }
      if (isNotHere(sent.error)) return { kind: 'failed', failure: sent };
      this.#services.poster.log.warn({ reply: reply.name, error: sent.error }, 'reply could not be posted');
      if (sent.kind === 'unchecked') return { kind: 'failed', failure: sent };
      if (lacks !== 'part') lacks = sent.kind === 'uncertain' ? 'unknown' : 'part';
    }
    return { kind: 'written', beginTs: this.#beginTs ?? '', lacks };
  }

  async #addMessages(): Promise<boolean> {
    const { answer, anchorTs } = this.#request;
    const isAdopted = anchorTs !== undefined && this.#poster.find(rootName) === undefined;
    if (isAdopted && !(await this.#poster.adoptRoot(anchorTs))) return false;
    return this.#poster.add([rootName, ...answer.replies.map(({ name }) => name)]);
  }

  #lost(): Written {
    return { kind: 'lost', beginTs: this.#beginTs };
  }

  /** A root that was there before is not the bot's to edit. */
  async #finishRoot(ts: string): Promise<PostResult> {
    const { state, attempts } = this.#poster.find(rootName) ?? {};
    if (state === 'sent' && attempts === 0) return { kind: 'sent', ts };
    return this.#update(rootName, ts, this.#request.answer.root);
  }

  async #writeReply({ name, message }: ThreadReply): Promise<PostResult> {
    const { ts = null } = this.#poster.find(name) ?? {};
    if (ts === null) return this.#poster.post(name, message, this.#rootTs);
    const updated = await this.#update(name, ts, message);
    if (!('error' in updated) || !errorMeans(updated.error, 'message_gone')) return updated;
    return (await this.#poster.renew(name)) ? this.#poster.post(name, message, this.#rootTs) : { kind: 'passed' };
  }

  /** An edit folds a plan that people have opened (slackapi/node-slack-sdk#2701), so a message that says the same stays. */
  async #update(name: string, ts: string, content: Message): Promise<PostResult> {
    const { posting } = this.#services.slack;
    const { thread, target } = this.#request;
    const contentHash = hashOf(content);
    if (this.#poster.find(name)?.contentHash === contentHash) {
      const { kind } = await posting.permalink(target, ts);
      return kind === 'gone' ? { kind: 'refused', error: 'message_not_found' } : { kind: 'sent', ts };
    }
    const updated = await posting.update(target, ts, content);
    if (updated.kind !== 'done') return { kind: 'refused', error: updated.error };
    return (await thread.lease.recordEdit(name, contentHash)) ? { kind: 'sent', ts } : { kind: 'passed' };
  }
}

/** @returns true if the bot cannot write in this channel, or may not because another company reads it */
function isNotHere(error: string): boolean {
  return errorMeans(error, 'channel_closed') || sharingBlockOf({ kind: 'refused', error }) !== undefined;
}
