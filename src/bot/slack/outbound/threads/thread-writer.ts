/** Writes one thread: posts missing messages, edits those whose content has changed, and records each before the next. */
import type { ThreadAnswer, ThreadReply } from '../../../commands/framework/command.ts';
import { errorMeans } from '../../../domain/slack-errors.ts';
import { hashOf, MessagePoster, type NotPosted, type PostResult } from '../../../outbox/message-poster.ts';
import { type OpenDelivery, rootName } from '../../../store/outbox/delivery.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { sharingBlockOf } from '../web-api/audience.ts';
import type { MessageTarget } from '../web-api/client.ts';
import { type ThreadServices, writeFile } from './thread-files.ts';

export type ThreadRequest = {
  readonly answer: ThreadAnswer;
  readonly thread: OpenDelivery;
  readonly target: MessageTarget;
  /** The message under which the thread belongs. If undefined, a root is posted. */
  readonly anchorTs: string | undefined;
};

/** The part that is missing; `unknown` if Slack does not show whether all of it was posted. */
export type Lacks = 'nothing' | 'part' | 'unknown';

export type Written =
  /** `beginTs`: the first reply, or the root without one. */
  | { readonly kind: 'written'; readonly beginTs: string; readonly lacks: Lacks }
  /** Another process has taken the lease. */
  | { readonly kind: 'lost'; readonly beginTs: string | null }
  | { readonly kind: 'failed'; readonly failure: NotPosted };

export class ThreadWriter {
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
    const { answer, target } = this.#request;
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
    const below = { ...target, threadTs: root.ts };
    for (const reply of answer.replies) if (!(await this.#writeFile(reply, below))) lacks = 'part';
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

  async #writeFile(reply: ThreadReply, target: MessageTarget): Promise<boolean> {
    const { thread } = this.#request;
    const uploaded = thread.files.filter(({ messageName }) => messageName === reply.name);
    return writeFile(this.#services, { reply, target, thread, uploaded });
  }
}

/** @returns true if the bot cannot write in this channel, or may not because another company reads it */
export function isNotHere(error: string): boolean {
  return errorMeans(error, 'channel_closed') || sharingBlockOf({ kind: 'refused', error }) !== undefined;
}
