/** Options of a select menu, and the options that are selected at first. */
import type {
  ChannelsSelect,
  ConversationsSelect,
  MultiChannelsSelect,
  MultiConversationsSelect,
  MultiSelect,
  MultiStaticSelect,
  MultiUsersSelect,
  PlainTextElement,
  PlainTextOption,
  Select,
  StaticSelect,
  UsersSelect,
} from '@slack/types';
import type { ComponentChildren } from 'preact';
import type { InputFrame } from '../blocks/scope.ts';
import { channelTitle, displayName, type Viewer } from '../model/viewer.ts';
import type { ElementState, PageChannel } from '../protocol.ts';
import { safeUrl } from '../text/url.ts';

type Static = StaticSelect | MultiStaticSelect;
type Users = UsersSelect | MultiUsersSelect;
type Conversations = ConversationsSelect | MultiConversationsSelect;
type Channels = ChannelsSelect | MultiChannelsSelect;

/** @returns all items that can be chosen */
export function choiceGroups(element: Static | Users | Conversations | Channels, viewer: Viewer): readonly MenuGroup[] {
  switch (element.type) {
    case 'static_select':
    case 'multi_static_select':
      return optionGroups(element);
    case 'users_select':
    case 'multi_users_select':
      return [{ label: '', items: [...viewer.users.keys()].map((id) => idItem(id, displayName(viewer, id))) }];
    case 'channels_select':
    case 'multi_channels_select':
      return [{ label: '', items: channelItems(['public'], viewer) }];
    case 'conversations_select':
    case 'multi_conversations_select':
      return [{ label: '', items: channelItems(kindsOf(element), viewer) }];
  }
}

/**
 * @param state the element's `state.values`; undefined in a message, where the element has the initial values
 * @param groups to look up items by id
 */
export function initialItems(
  element: Select | MultiSelect,
  state: ElementState | undefined,
  groups: readonly MenuGroup[],
): readonly MenuItem[] {
  const items = groups.flatMap((group) => group.items);
  const chosen = Object.entries(state ?? element).filter(([name]) => /^(initial|selected)_/.test(name));
  return chosen
    .flatMap(([, value]) => value)
    .flatMap((value: unknown) => {
      if (isOption(value)) return [toItem(value)];
      return items.find((item) => item.value === value) ?? [];
    });
}

const placeholders: Readonly<Record<string, string>> = {
  users_select: 'Select a user',
  multi_users_select: 'Select users',
  conversations_select: 'Select a conversation',
  multi_conversations_select: 'Select conversations',
  channels_select: 'Select a channel',
  multi_channels_select: 'Select channels',
};

/** @returns Slack's default if the app has none */
export function placeholderOf({ type, placeholder }: Select | MultiSelect): PlainTextElement {
  const own = placeholders[type] ?? (type.startsWith('multi_') ? 'Choose options' : 'Choose an option');
  return placeholder ?? { type: 'plain_text', text: own };
}

export function toItem({ text, value, description, url }: PlainTextOption): MenuItem {
  return {
    text,
    description: description ?? null,
    value: value ?? '',
    url: url === undefined ? null : safeUrl(url),
  };
}

function isOption(value: unknown): value is PlainTextOption {
  return typeof value === 'object' && value !== null && 'text' in value;
}

function idItem(id: string, name: string): MenuItem {
  return { text: { type: 'plain_text', text: name, emoji: false }, description: null, value: id, url: null };
}

function optionGroups({ options, option_groups: groups }: Static): readonly MenuGroup[] {
  const named = (groups ?? []).map((group) => ({ label: group.label.text, items: group.options.map(toItem) }));
  return options ? [{ label: '', items: options.map(toItem) }, ...named] : named;
}

function channelItems(kinds: readonly PageChannel['kind'][], viewer: Viewer): readonly MenuItem[] {
  const channels = [...viewer.channels.values()].filter(({ kind, isArchived }) => kinds.includes(kind) && !isArchived);
  return channels.map((channel) => {
    return idItem(channel.id, `${channel.kind === 'dm' ? '' : '#'}${channelTitle(channel, viewer)}`);
  });
}

const kindNames = { public: 'public', private: 'private', dm: 'im' } as const;

/** Without a filter, a person can choose every conversation that they see. */
function kindsOf({ filter }: Conversations): readonly PageChannel['kind'][] {
  const all = ['public', 'private', 'dm'] as const;
  return all.filter((kind) => filter?.include?.includes(kindNames[kind]) ?? true);
}

export type MenuItem = {
  readonly text: PlainTextElement;
  readonly description: PlainTextElement | null;
  readonly value: string;
  /** Safe, or null. */
  readonly url: string | null;
};

/** `label` is empty for items that belong to no group. */
export type MenuGroup = { readonly label: string; readonly items: readonly MenuItem[] };

export type MenuProps = {
  readonly kind: 'select' | 'menu';
  /** For screen readers. */
  readonly name: string;
  readonly className: string;
  readonly groups: readonly MenuGroup[];
  readonly choose: (item: MenuItem) => void;
  readonly viewer: Viewer;
  /** Searches the options by the typed text, empty at first. Without it the menu filters them itself. */
  readonly search?: ((typed: string) => void) | undefined;
  /** Replaces the options while they load or after an error. */
  readonly note?: string | null;
  /** Set in an input block. */
  readonly frame?: InputFrame | null;
  readonly children?: ComponentChildren;
};
