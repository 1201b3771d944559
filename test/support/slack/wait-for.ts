/** Waits for the next message or view that matches a filter. */

import type { Emitter } from '../../../src/local-slack/state/emitter.ts';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import type { SlackView } from '../../../src/local-slack/state/view.ts';
import { isVisible, type Workspace } from '../../../src/local-slack/state/workspace.ts';

export type MessageFilter = {
  readonly channel?: string;
  /** Only what this person sees. */
  readonly viewer?: string;
  /** Only from this author. */
  readonly user?: string;
  readonly threadTs?: string | null;
  /** Only this message, for waiting until it changes. */
  readonly ts?: string;
  readonly matches?: (message: SlackMessage) => boolean;
};

export type ViewFilter = {
  /** The person who sees it. */
  readonly user?: string;
  /** Only this view, for waiting until it changes. */
  readonly id?: string;
  readonly matches?: (view: SlackView) => boolean;
};

/** Below the time limit of a test, so that what was seen is told. */
const waitMsMax = 200_000;

/**
 * Waits for the next message that is posted or changed from now on.
 * @throws Error after 200 s, with the messages since
 */
export function nextMessage(workspaces: readonly Workspace[], filter: MessageFilter): Promise<SlackMessage> {
  const { viewer, matches, ...wanted } = filter;
  return next(
    workspaces.map(({ history }) => history.events),
    ({ type, message }) => (type === 'removed' ? undefined : message),
    (message) =>
      (viewer === undefined || isVisible(message, viewer)) && has(message, wanted) && matches?.(message) !== false,
    ({ user, text }) => `${user}: ${text.slice(0, 80)}`,
  );
}

/**
 * Waits for the next modal or Home that is shown or changed from now on.
 * @throws Error after 200 s, with the views since
 */
export function nextView(workspaces: readonly Workspace[], { user, id, matches }: ViewFilter): Promise<SlackView> {
  return next(
    workspaces.map(({ views }) => views.events),
    ({ type, view }) => (type === 'closed' ? undefined : view),
    (view) => has(view, { userId: user, id }) && matches?.(view) !== false,
    ({ type, title, userId }) => `${type} ${title?.text ?? ''} for ${userId}`,
  );
}

/** Returns true if the item has each of the wanted values that is not undefined. */
function has(item: object, wanted: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(wanted).every(([name, value]) => value === undefined || Reflect.get(item, name) === value);
}

async function next<Event, Item>(
  sources: readonly Emitter<Event>[],
  pick: (event: Event) => Item | undefined,
  fits: (item: Item) => boolean,
  describe: (item: Item) => string,
): Promise<Item> {
  const { promise, resolve, reject } = Promise.withResolvers<Item>();
  const meanwhile: string[] = [];
  const stops = sources.map((source) =>
    source.on((event) => {
      const item = pick(event);
      if (item === undefined) return;
      meanwhile.push(describe(item));
      if (fits(item)) resolve(item);
    }),
  );
  const timer = setTimeout(() => {
    const others = meanwhile.join(' | ') || 'nothing';
    reject(new Error(`No such thing to see within ${waitMsMax / 1000} s. Seen meanwhile: ${others}`));
  }, waitMsMax);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    for (const stop of stops) stop();
  }
}
