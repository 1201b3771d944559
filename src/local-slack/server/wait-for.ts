/** Waits for the next message or view that matches a filter. */

import type { Emitter } from '../state/emitter.ts';
import type { SlackMessage } from '../state/history.ts';
import type { SlackView } from '../state/view.ts';
import { isVisible, type Workspace } from '../state/workspace.ts';

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

const waitMsMax = 60_000;

/**
 * Waits for the next message that is posted or changed from now on.
 * @throws Error after a minute, with the messages or views since
 */
export function nextMessage(workspaces: readonly Workspace[], filter: MessageFilter): Promise<SlackMessage> {
  return next(
    workspaces.map(({ history }) => history.events),
    (event) => (event.type === 'removed' ? undefined : event.message),
    (message) => messageFits(message, filter),
    ({ user, text }) => `${user}: ${text.slice(0, 80)}`,
  );
}

/**
 * Waits for the next modal or Home that is shown or changed from now on.
 * @throws Error after a minute, with the messages or views since
 */
export function nextView(workspaces: readonly Workspace[], filter: ViewFilter): Promise<SlackView> {
  return next(
    workspaces.map(({ views }) => views.events),
    (event) => (event.type === 'closed' ? undefined : event.view),
    (view) => viewFits(view, filter),
    ({ type, title, userId }) => `${type} ${title?.text ?? ''} for ${userId}`,
  );
}

function next<Event, Item>(
  sources: readonly Emitter<Event>[],
  pick: (event: Event) => Item | undefined,
  fits: (item: Item) => boolean,
  describe: (item: Item) => string,
): Promise<Item> {
  return new Promise((resolve, reject) => {
    const meanwhile: string[] = [];
    const stops: (() => void)[] = [];
    const stop = () => {
      clearTimeout(timer);
      for (const off of stops) off();
    };
    const timer = setTimeout(() => {
      stop();
      const others = meanwhile.join(' | ') || 'nothing';
      reject(new Error(`No such thing to see within ${waitMsMax / 1000} s. Seen meanwhile: ${others}`));
    }, waitMsMax);
    const look = (event: Event) => {
      const item = pick(event);
      if (item === undefined) return;
      meanwhile.push(describe(item));
      if (!fits(item)) return;
      stop();
      resolve(item);
    };
    stops.push(...sources.map((source) => source.on(look)));
  });
}

function messageFits(message: SlackMessage, filter: MessageFilter): boolean {
  const { channel, viewer, user, threadTs, ts, matches } = filter;
  return (
    (channel === undefined || message.channel === channel) &&
    (viewer === undefined || isVisible(message, viewer)) &&
    (user === undefined || message.user === user) &&
    (threadTs === undefined || message.threadTs === threadTs) &&
    (ts === undefined || message.ts === ts) &&
    (matches === undefined || matches(message))
  );
}

function viewFits(view: SlackView, { user, id, matches }: ViewFilter): boolean {
  return (
    (user === undefined || view.userId === user) &&
    (id === undefined || view.id === id) &&
    (matches === undefined || matches(view))
  );
}
