/** Select menus for one or several choices: static options, people, conversations, or options from the app. */
import type {
  ConversationsSelect,
  ExternalSelect,
  MultiConversationsSelect,
  MultiExternalSelect,
  MultiStaticSelect,
  MultiUsersSelect,
  PlainTextOption,
  StaticSelect,
  UsersSelect,
} from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { currentValues, type ElementProps, isOption } from '../blocks/scope.ts';
import { channelTitle, displayName, type Viewer } from '../model/viewer.ts';
import type { PageSuggestions } from '../protocol.ts';
import { drawPlain } from '../text/mrkdwn.ts';
import { Menu, type MenuGroup, type MenuItem, type Suggestions } from './menu.ts';

type Filled =
  | StaticSelect
  | MultiStaticSelect
  | UsersSelect
  | MultiUsersSelect
  | ConversationsSelect
  | MultiConversationsSelect;
type External = ExternalSelect | MultiExternalSelect;

export function SelectElement(props: ElementProps<Filled>): VNode {
  return html`<${Select} ...${props} groups=${choiceGroups(props.element, props.scope.viewer)} />`;
}

export function ExternalSelectElement(props: ElementProps<External>): VNode {
  return html`<${Select} ...${props} ...${useSuggestions(props)} />`;
}

type SelectProps = ElementProps<Filled | External> & Suggestions & { readonly groups: readonly MenuGroup[] };

function Select({ element, blockId, scope, frame, groups, search, note }: SelectProps): VNode {
  const { viewer } = scope;
  const actionId = element.action_id ?? '';
  const isMany = element.type.startsWith('multi_');
  const itemOf = (value: unknown) => groups.flatMap(({ items }) => items).find((item) => item.value === value);
  const [chosen, setChosen] = useState<readonly MenuItem[]>(() =>
    currentValues(element, blockId, scope).flatMap((value) =>
      isOption(value) ? toItem(value) : (itemOf(value) ?? []),
    ),
  );
  const change = (next: readonly MenuItem[]) => {
    const values = next.map(({ value }) => value);
    setChosen(next);
    scope.press({ blockId, actionId, selected: isMany ? values : (values[0] ?? null) });
  };
  const isChosen = ({ value }: MenuItem) => chosen.some((item) => item.value === value);
  const left = groups.map(({ label, items }) => ({ label, items: items.filter((item) => !isMany || !isChosen(item)) }));
  const isFull =
    'max_selected_items' in element && chosen.length >= (element.max_selected_items ?? Number.POSITIVE_INFINITY);
  const placeholder = element.placeholder ?? {
    type: 'plain_text',
    text: isMany ? 'Choose options' : 'Choose an option',
  };
  const shown = (isMany ? undefined : chosen[0]?.text) ?? placeholder;
  const options = isFull ? { groups: [], note: `No more than ${chosen.length}` } : { groups: left, search, note };
  return html`<span class=${`element${isMany ? ' several' : ''}`}>
    ${isMany && drawChosen(chosen, viewer, (item) => change(chosen.filter((each) => each !== item)))}
    <${Menu}
      ...${options}
      kind="select"
      name=${placeholder.text}
      className=${`button select${scope.isPending(blockId, actionId) ? ' is-pending' : ''}`}
      choose=${(item: MenuItem) => change(isMany ? [...chosen, item] : [item])}
      viewer=${viewer}
      frame=${frame}
    >
      <span class=${`button-label${shown === placeholder ? ' soft' : ''}`}>${drawPlain(shown, viewer)}</span>
      <span class="chevron" aria-hidden="true"></span>
    <//>
  </span>`;
}

function drawChosen(chosen: readonly MenuItem[], viewer: Viewer, remove: (item: MenuItem) => void): VNode {
  return html`<ul class="chips">
    ${chosen.map(
      (item) => html`<li key=${item.value} class="chip">
        <span class="ellipsis">${drawPlain(item.text, viewer)}</span>
        <button type="button" class="chip-remove" aria-label=${`Remove ${item.text.text}`} onClick=${() => remove(item)}>×</button>
      </li>`,
    )}
  </ul>`;
}

/** @returns all items that can be chosen */
function choiceGroups(element: Filled, viewer: Viewer): readonly MenuGroup[] {
  switch (element.type) {
    case 'static_select':
    case 'multi_static_select':
      return [
        { label: '', items: (element.options ?? []).map(toItem) },
        ...(element.option_groups ?? []).map(({ label, options }) => ({
          label: label.text,
          items: options.map(toItem),
        })),
      ].filter(({ items }) => items.length > 0);
    case 'users_select':
    case 'multi_users_select':
      return [{ label: '', items: [...viewer.users.keys()].map((id) => idItem(id, displayName(viewer, id))) }];
    default:
      return [{ label: '', items: conversationItems(element, viewer) }];
  }
}

const kindNames = { public: 'public', private: 'private', dm: 'im' } as const;

/** Without a filter, a person can choose every conversation that they see. */
function conversationItems({ filter }: ConversationsSelect | MultiConversationsSelect, viewer: Viewer) {
  return [...viewer.channels.values()]
    .filter(({ kind, isArchived }) => !isArchived && (filter?.include?.includes(kindNames[kind]) ?? true))
    .map((channel) => idItem(channel.id, `${channel.kind === 'dm' ? '' : '#'}${channelTitle(channel, viewer)}`));
}

function idItem(id: string, name: string): MenuItem {
  return { text: { type: 'plain_text', text: name, emoji: false }, value: id };
}

function toItem({ text, value = '', description }: PlainTextOption): MenuItem {
  return { text, description, value };
}

/** Delay from the last key to the request. */
const pauseMs = 250;

/** Debounced search; ignores all but the latest reply. */
function useSuggestions({ element, blockId, scope }: ElementProps<External>) {
  // Slack's default.
  const lengthMin = element.min_query_length ?? 3;
  const [shown, setShown] = useState<{ readonly groups: readonly MenuGroup[]; readonly note: string | null }>(none);
  const latest = useRef(0);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  const search = (typed: string) => {
    clearTimeout(pause.current);
    latest.current += 1;
    const number = latest.current;
    if (typed.length < lengthMin) {
      setShown({
        groups: [],
        note: `Type ${lengthMin} ${lengthMin === 1 ? 'character' : 'characters'} or more to search`,
      });
      return;
    }
    setShown({ groups: [], note: 'Loading…' });
    const run = async () => {
      const answer = await scope.suggest({ blockId, actionId: element.action_id ?? '', value: typed });
      if (latest.current === number) setShown(readAnswer(answer));
    };
    pause.current = setTimeout(() => void run(), typed === '' ? 0 : pauseMs);
  };
  return { ...shown, search };
}

const none = { groups: [], note: null };

function readAnswer(answer: PageSuggestions) {
  if (!answer.ok) return { groups: [], note: answer.error };
  const groups = answer.groups.map(({ label, options }) => ({ label: label?.text ?? '', items: options.map(toItem) }));
  return { groups, note: null };
}
