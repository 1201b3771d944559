/** The views of one workspace: a stack of modals and a Home for each person. */
import { randomBytes } from 'node:crypto';
import { limits } from '../../shared/block-kit/limits.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { InputValues } from '../page/protocol.ts';
import { Refused } from './content.ts';
import { Emitter } from './emitter.ts';
import { newSlackId } from './ids.ts';
import type { SlackView, ViewContent } from './view.ts';

export class Views {
  readonly events = new Emitter<{ readonly type: 'shown' | 'closed'; readonly view: SlackView }>();
  readonly #clock: Clock;
  /** By person, the lowest view first. */
  readonly #stacks = new Map<string, readonly SlackView[]>();
  /** By person. */
  readonly #homes = new Map<string, SlackView>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Opens a modal and closes those that the person had open. */
  open(content: ViewContent, userId: string): SlackView {
    const id = newSlackId('V');
    const place = { id, hash: this.#newHash(), userId, rootId: id, previousId: null };
    return this.#show([], { ...content, ...place, entered: {} });
  }

  /** Opens a modal over the others. @throws Refused */
  push(content: ViewContent, userId: string): SlackView {
    const below = this.stack(userId);
    const last = below.at(-1);
    if (!last) throw new Refused('not_found');
    if (below.length >= limits.view.stackMax) throw new Refused('push_limit_reached');
    const place = { ...last, id: newSlackId('V'), hash: this.#newHash(), previousId: last.id };
    return this.#show(below, { ...place, ...content, entered: {} });
  }

  /** Replaces the content of a view; entered values remain for blocks and elements that still exist. */
  update(view: SlackView, content: ViewContent): SlackView {
    const updated = this.#replace({ ...view, ...content, hash: this.#newHash() });
    this.events.emit({ type: 'shown', view: updated });
    return updated;
  }

  /** Fills a person's Home; it keeps its id. */
  publish(content: ViewContent, userId: string): SlackView {
    const { id, entered } = this.home(userId) ?? { id: newSlackId('V'), entered: {} };
    const place = { id, hash: this.#newHash(), userId, rootId: id, previousId: null };
    const view = this.#replace({ ...content, ...place, entered });
    this.events.emit({ type: 'shown', view });
    return view;
  }

  /** Stores entered values over earlier ones; emits nothing. */
  enter(view: SlackView, entered: InputValues): SlackView {
    return this.#replace({ ...view, entered: merged(view.entered, entered) });
  }

  /** Closes a modal and those above it. */
  close(view: SlackView): void {
    const open = this.stack(view.userId);
    const at = open.findIndex(({ id }) => id === view.id);
    if (at === -1) return;
    this.#stacks.set(view.userId, open.slice(0, at));
    this.events.emit({ type: 'closed', view });
  }

  find(id: string): SlackView | undefined {
    return [...this.#stacks.values(), ...this.#homes.values()].flat().find((view) => view.id === id);
  }

  /** The modals of one person, the lowest first. */
  stack(userId: string): readonly SlackView[] {
    return this.#stacks.get(userId) ?? [];
  }

  /** @returns undefined until the app has published one */
  home(userId: string): SlackView | undefined {
    return this.#homes.get(userId);
  }

  #show(below: readonly SlackView[], view: SlackView): SlackView {
    this.#stacks.set(view.userId, [...below, view]);
    this.events.emit({ type: 'shown', view });
    return view;
  }

  #replace(view: SlackView): SlackView {
    const stack = this.stack(view.userId).map((each) => (each.id === view.id ? view : each));
    if (view.type === 'home') this.#homes.set(view.userId, view);
    else this.#stacks.set(view.userId, stack);
    return view;
  }

  /** A hash in Slack's form: seconds, then a unique part. */
  #newHash(): string {
    return `${Math.floor(this.#clock() / 1000)}.${randomBytes(4).toString('hex')}`;
  }
}

function merged(before: InputValues, now: InputValues): InputValues {
  const blockIds = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return Object.fromEntries(blockIds.map((blockId) => [blockId, { ...before[blockId], ...now[blockId] }]));
}
