/** The page's state and its reducer: plain data and one pure function. */

import { windowId } from '../client.ts';
import type { AppTab, PageEvent, PageMessage, PageState, PageView } from '../protocol.ts';
import type { MessageAddress } from '../text/url.ts';
import { withMessage } from './messages.ts';
import { hasHome, isOpenTo, visibleChannels } from './viewer.ts';

export type Model = {
  /** Null until the server has answered. */
  readonly state: PageState | null;
  /** The open workspace; empty for the server's default. */
  readonly teamId: string;
  readonly userId: string;
  readonly channelId: string;
  /** The `ts` of the open thread's root. */
  readonly threadTs: string | null;
  /** The `ts` of the message in the page's address. */
  readonly targetTs: string | null;
  /** Messages by channel, oldest first, as the acting person sees them. */
  readonly messages: ReadonlyMap<string, readonly PageMessage[]>;
  readonly unread: ReadonlySet<string>;
  /** The open tab of the app while its direct messages are the open channel. */
  readonly tab: AppTab;
  /** The person's Home. */
  readonly home: PageView | null;
  /** Open modals, the lowest first. */
  readonly modals: readonly PageView[];
  /** Id of a lowest modal that another window opened, or this one before a reload: Slack shows a form in its window only. Undefined until it is known. */
  readonly otherModal: string | null | undefined;
  /** Buttons and menus that wait for a reply, by `pressKey`. */
  readonly pending: ReadonlySet<string>;
  /** The error of the person's last act; null for none. */
  readonly problem: string | null;
  /** State of the person's event stream; open once the channel's messages have come. */
  readonly stream: 'opening' | 'open' | 'lost';
};

export type Change =
  | { readonly type: 'event'; readonly event: PageEvent }
  | { readonly type: 'open workspace'; readonly teamId: string }
  | { readonly type: 'act as'; readonly userId: string }
  | { readonly type: 'open channel'; readonly channel: string }
  | { readonly type: 'open tab'; readonly tab: AppTab }
  | { readonly type: 'open message'; readonly message: MessageAddress }
  | { readonly type: 'open thread'; readonly ts: string | null }
  | { readonly type: 'lost' }
  | { readonly type: 'problem'; readonly problem: string | null }
  | { readonly type: 'pending'; readonly key: string; readonly isPending: boolean };

export type InitialRoute = Pick<Model, 'teamId' | 'userId' | 'channelId' | 'threadTs' | 'targetTs'>;

/** @param wanted workspace, person and channel of the page's address; empty for the first ones */
export function firstModel(wanted: InitialRoute): Model {
  return {
    ...wanted,
    ...{ state: null, messages: new Map(), unread: new Set(), pending: new Set() },
    // The address names a message, or the app opens on its Home.
    tab: wanted.targetTs === null ? 'home' : 'messages',
    ...{ home: null, modals: [], otherModal: undefined, problem: null, stream: 'opening' },
  };
}

export function reduce(model: Model, change: Change): Model {
  switch (change.type) {
    case 'event':
      return applyEvent(model, change.event);
    case 'open workspace':
      if (change.teamId === model.teamId) return model;
      return firstModel({ ...nowhere, ...change, userId: '', channelId: '' });
    case 'act as': {
      const { teamId, userId, channelId, state } = model;
      if (change.userId === userId) return model;
      return withValidChannel({ ...firstModel({ ...nowhere, ...change, teamId, channelId }), state });
    }
    case 'open channel':
      return goTo(model, { ...nowhere, channelId: change.channel, tab: tabFor(model, change.channel) });
    case 'open tab':
      return goTo(model, { ...nowhere, channelId: model.channelId, tab: change.tab });
    case 'open message': {
      const { channel, ts, threadTs } = change.message;
      return goTo(model, { channelId: channel, targetTs: ts, threadTs, tab: 'messages' });
    }
    case 'open thread':
      return { ...model, threadTs: change.ts, targetTs: null };
    case 'problem':
      return { ...model, problem: change.problem };
    case 'lost':
      return { ...model, stream: 'lost' };
    case 'pending':
      return {
        ...model,
        pending: change.isPending ? plus(model.pending, change.key) : without(model.pending, change.key),
      };
  }
}

const nowhere = { threadTs: null, targetTs: null } as const;

function goTo(model: Model, target: Pick<Model, 'channelId' | 'threadTs' | 'targetTs' | 'tab'>): Model {
  const next = withValidChannel({ ...model, ...target });
  return isRead(next, target.channelId) ? { ...next, unread: without(next.unread, target.channelId) } : next;
}

/** Opens the messages tab if the app has unread messages. */
function tabFor({ unread, channelId, tab }: Model, channel: string): AppTab {
  if (channel === channelId) return tab;
  return unread.has(channel) ? 'messages' : 'home';
}

/** Returns true if the person sees the messages of this channel. */
function isRead({ state, channelId, tab }: Model, channel: string): boolean {
  const isBehindHome = tab === 'home' && state?.channels.some((each) => each.id === channel && hasHome(each, state));
  return channel === channelId && isBehindHome !== true;
}

/** Ensures a valid acting person and a channel that they can see. */
function withValidChannel(model: Model): Model {
  const { state } = model;
  if (!state) return model;
  const people = state.users.filter(({ isBot }) => !isBot);
  const userId = people.some(({ id }) => id === model.userId) ? model.userId : (people[0]?.id ?? '');
  const channels = visibleChannels(state, userId);
  const isOpen = channels.some(({ id }) => id === model.channelId);
  const own = channels.find((channel) => isOpenTo(channel, userId)) ?? channels[0];
  return isOpen ? { ...model, userId } : { ...model, ...nowhere, userId, channelId: own?.id ?? '' };
}

function applyEvent(model: Model, event: PageEvent): Model {
  switch (event.type) {
    case 'state':
      return withValidChannel({ ...model, state: event.state, teamId: event.state.workspace.id });
    case 'messages':
      return { ...withMessages(model, event.channel, event.messages), stream: 'open' };
    case 'message': {
      const { message } = event;
      const isElsewhere = !isRead(model, message.channel) && message.user !== model.userId && !message.isEdited;
      const known = model.messages.get(message.channel) ?? [];
      const next = withMessages(model, message.channel, withMessage(known, message));
      const unread = isElsewhere ? plus(model.unread, message.channel) : model.unread;
      return { ...next, unread };
    }
    case 'removed': {
      const left = (model.messages.get(event.channel) ?? []).filter(({ ts }) => ts !== event.ts);
      return {
        ...withMessages(model, event.channel, left),
        threadTs: model.threadTs === event.ts ? null : model.threadTs,
      };
    }
    case 'modals': {
      const root = event.views[0]?.id ?? null;
      const isOpen = root === model.modals[0]?.id;
      const isOther = root === model.otherModal || !(isOpen || ['', windowId].includes(event.lastActedIn));
      if (isOther || model.otherModal === undefined) return { ...model, otherModal: root, modals: [] };
      return { ...model, modals: event.views };
    }
    case 'home':
      return { ...model, home: event.view };
  }
}

function withMessages(model: Model, channel: string, messages: readonly PageMessage[]): Model {
  return { ...model, messages: new Map([...model.messages, [channel, messages]]) };
}

function plus(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  return new Set([...set, value]);
}

function without(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  return new Set([...set].filter((each) => each !== value));
}

type PressTarget = { readonly channel: string; readonly ts: string } | { readonly view: string };
type Pressed = PressTarget & { readonly blockId: string; readonly actionId: string };

export function pressKey(pressed: Pressed): string {
  return `${pressPrefix(pressed)}${pressed.blockId}\n${pressed.actionId}`;
}

/** The common prefix of the keys of all presses in one message or view. */
export function pressPrefix(target: PressTarget): string {
  return 'view' in target ? `${target.view}\n` : `${target.channel}\n${target.ts}\n`;
}
