/** The views of one workspace: a stack of modals and a Home for each person. */
import { randomBytes } from 'node:crypto';
import { limits } from '../../shared/block-kit/limits.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { InputValues } from '../page/protocol.ts';
import { createEmitter, type Emitter } from './emitter.ts';
import { newSlackId } from './ids.ts';
import type { SlackView, ViewContent } from './view.ts';

type ViewEvent = { readonly type: 'shown' | 'closed'; readonly view: SlackView };

export type Views = {
  readonly events: Emitter<ViewEvent>;
  /** Opens a modal and closes those that the person had open. */
  readonly open: (content: ViewContent, from: Pick<SlackView, 'userId' | 'channelId'>) => SlackView;
  /** Opens a modal over the others. */
  readonly push: (content: ViewContent, userId: string) => SlackView | 'not_found' | 'push_limit_reached';
  /** Replaces the content of a view; entered values remain for blocks and elements that still exist. */
  readonly update: (view: SlackView, content: ViewContent) => SlackView;
  /** Fills a person's Home; it keeps its id. */
  readonly publish: (content: ViewContent, userId: string) => SlackView;
  /** Stores entered values over earlier ones; emits nothing. */
  readonly enter: (view: SlackView, entered: InputValues) => SlackView;
  /** Closes a modal and those above it. */
  readonly close: (view: SlackView) => void;
  readonly find: (id: string) => SlackView | undefined;
  readonly findExternal: (externalId: string) => SlackView | undefined;
  /** The modals of one person, the lowest first. */
  readonly stack: (userId: string) => readonly SlackView[];
  /** @returns undefined until the app has published one */
  readonly home: (userId: string) => SlackView | undefined;
};

type ViewStorage = {
  readonly events: Emitter<ViewEvent>;
  readonly stacks: ReturnType<typeof createStacks>;
  readonly homes: Map<string, SlackView>;
  /** A new view, before it is shown. */
  readonly fresh: (content: ViewContent) => ViewContent & Pick<SlackView, 'id' | 'hash' | 'entered'>;
  /** Emits that a view is shown. */
  readonly show: (view: SlackView) => SlackView;
};

export function createViews(clock: Clock): Views {
  const events = createEmitter<ViewEvent>();
  const storage: ViewStorage = {
    events,
    stacks: createStacks(),
    homes: new Map(),
    fresh: (content) => ({ ...content, id: newSlackId('V'), hash: newHash(clock), entered: {} }),
    show: (view) => {
      events.emit({ type: 'shown', view });
      return view;
    },
  };
  const { stacks, homes, show } = storage;
  const find = (fits: (view: SlackView) => boolean) => [...stacks.all(), ...homes.values()].find(fits);
  return {
    events,
    ...opening(storage),
    update: (view, content) => show(stacks.replace({ ...view, ...content, hash: newHash(clock) })),
    enter: (view, entered) => {
      const filled = { ...view, entered: merged(view.entered, entered) };
      if (view.type === 'modal') return stacks.replace(filled);
      homes.set(view.userId, filled);
      return filled;
    },
    find: (id) => find((view) => view.id === id),
    findExternal: (externalId) => find((view) => externalId !== '' && view.externalId === externalId),
    stack: stacks.of,
    home: (userId) => homes.get(userId),
  };
}

/** Opens, pushes, publishes and closes views. */
function opening({
  events,
  stacks,
  homes,
  fresh,
  show,
}: ViewStorage): Pick<Views, 'open' | 'push' | 'publish' | 'close'> {
  return {
    open: (content, { userId, channelId }) => {
      const view = fresh(content);
      const root = { ...view, userId, channelId, rootId: view.id, previousId: null };
      stacks.set(userId, [root]);
      return show(root);
    },
    push: (content, userId) => {
      const below = stacks.of(userId);
      const last = below.at(-1);
      if (!last) return 'not_found';
      if (below.length >= limits.view.stackMax) return 'push_limit_reached';
      const { rootId, channelId } = last;
      const view = { ...fresh(content), userId, rootId, channelId, previousId: last.id };
      stacks.set(userId, [...below, view]);
      return show(view);
    },
    publish: (content, userId) => {
      const view = fresh(content);
      const { id, entered } = homes.get(userId) ?? view;
      const home = { ...view, id, entered, userId, rootId: id, previousId: null, channelId: null };
      homes.set(userId, home);
      return show(home);
    },
    close: (view) => {
      const open = stacks.of(view.userId);
      const at = open.findIndex(({ id }) => id === view.id);
      if (at === -1) return;
      stacks.set(view.userId, open.slice(0, at));
      events.emit({ type: 'closed', view });
    },
  };
}

/** Stacks by person, the lowest view first. */
function createStacks() {
  const stacks = new Map<string, readonly SlackView[]>();
  const of = (userId: string) => stacks.get(userId) ?? [];
  return {
    of,
    all: () => [...stacks.values()].flat(),
    set: (userId: string, views: readonly SlackView[]) => void stacks.set(userId, views),
    /** Replaces the view with the same id. */
    replace: (view: SlackView) => {
      stacks.set(
        view.userId,
        of(view.userId).map((each) => (each.id === view.id ? view : each)),
      );
      return view;
    },
  };
}

function merged(before: InputValues, now: InputValues): InputValues {
  const blockIds = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return Object.fromEntries(blockIds.map((blockId) => [blockId, { ...before[blockId], ...now[blockId] }]));
}

/** A hash in Slack's form: seconds, then a unique part. */
function newHash(clock: Clock): string {
  return `${Math.floor(clock() / 1000)}.${randomBytes(4).toString('hex')}`;
}
