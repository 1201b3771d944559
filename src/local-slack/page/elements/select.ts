/** Select menus for one or several choices: static options, users, conversations, channels, or options from the app. */
import type {
  ChannelsSelect,
  ConversationsSelect,
  ExternalSelect,
  MultiChannelsSelect,
  MultiConversationsSelect,
  MultiExternalSelect,
  MultiStaticSelect,
  MultiUsersSelect,
  StaticSelect,
  UsersSelect,
} from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ElementProps } from '../blocks/scope.ts';
import { drawPlain } from '../blocks/text-object.ts';
import type { Viewer } from '../model/viewer.ts';
import type { PageSuggestions } from '../protocol.ts';
import { choiceGroups, initialItems, type MenuItem, type MenuProps, placeholderOf, toItem } from './choices.ts';
import { useConfirmation } from './confirm.ts';
import { Menu } from './menu.ts';

type SingleSelect = StaticSelect | UsersSelect | ConversationsSelect | ChannelsSelect;

export function SelectElement(props: ElementProps<SingleSelect>): VNode {
  return html`<${OneOf} ...${props} groups=${choiceGroups(props.element, props.scope.viewer)} />`;
}

export function ExternalSelectElement(props: ElementProps<ExternalSelect>): VNode {
  return html`<${OneOf} ...${props} ...${useSuggestions(props)} />`;
}

type OneOfProps = ElementProps<SingleSelect | ExternalSelect> & Pick<MenuProps, 'groups' | 'note' | 'search'>;

function OneOf({ element, blockId, scope, frame, groups, ...suggestions }: OneOfProps): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const [chosen, setChosen] = useState<MenuItem | undefined>(
    initialItems(element, scope.form?.stateOf(blockId, actionId), groups)[0],
  );
  const placeholder = placeholderOf(element);
  const choose = (item: MenuItem) =>
    guard(() => {
      setChosen(item);
      scope.press({ blockId, actionId, selected: item.value });
    });
  const isPending = scope.isPending(blockId, actionId);
  return html`<span class="element">
    <${Menu}
      ...${suggestions}
      kind="select"
      name=${placeholder.text}
      className=${`button select${isPending ? ' is-pending' : ''}`}
      groups=${groups}
      choose=${choose}
      viewer=${scope.viewer}
      frame=${frame}
    >
      <span class=${`button-label${chosen ? '' : ' is-placeholder'}`}>${drawPlain(chosen?.text ?? placeholder, scope.viewer)}</span>
      <span class="chevron" aria-hidden="true"></span>
    <//>
    ${dialog}
  </span>`;
}

type MultiSelect = MultiStaticSelect | MultiUsersSelect | MultiConversationsSelect | MultiChannelsSelect;

export function MultiSelectElement(props: ElementProps<MultiSelect>): VNode {
  return html`<${SomeOf} ...${props} groups=${choiceGroups(props.element, props.scope.viewer)} />`;
}

export function MultiExternalSelectElement(props: ElementProps<MultiExternalSelect>): VNode {
  return html`<${SomeOf} ...${props} ...${useSuggestions(props)} />`;
}

type SomeOfProps = ElementProps<MultiSelect | MultiExternalSelect> & Pick<MenuProps, 'groups' | 'note' | 'search'>;

function SomeOf({ element, blockId, scope, frame, groups, ...suggestions }: SomeOfProps): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const [chosen, setChosen] = useState<readonly MenuItem[]>(
    initialItems(element, scope.form?.stateOf(blockId, actionId), groups),
  );
  const change = (next: readonly MenuItem[]) =>
    guard(() => {
      setChosen(next);
      scope.press({ blockId, actionId, selected: next.map(({ value }) => value) });
    });
  const isChosen = ({ value }: MenuItem) => chosen.some((item) => item.value === value);
  const left = groups.map(({ label, items }) => ({ label, items: items.filter((item) => !isChosen(item)) }));
  const isFull = element.max_selected_items !== undefined && chosen.length >= element.max_selected_items;
  const placeholder = placeholderOf(element);
  return html`<span class="element several">
    ${drawChosen(chosen, scope.viewer, (item) => change(chosen.filter((each) => each !== item)))}
    <${Menu}
      ...${suggestions}
      kind="select"
      name=${placeholder.text}
      className=${`button select${scope.isPending(blockId, actionId) ? ' is-pending' : ''}`}
      groups=${isFull ? [] : left.filter(({ items }) => items.length > 0)}
      ...${isFull ? { note: `No more than ${element.max_selected_items}`, search: undefined } : {}}
      choose=${(item: MenuItem) => change([...chosen, item])}
      viewer=${scope.viewer}
      frame=${frame}
    >
      <span class="button-label is-placeholder">${drawPlain(placeholder, scope.viewer)}</span>
      <span class="chevron" aria-hidden="true"></span>
    <//>
    ${dialog}
  </span>`;
}

function drawChosen(chosen: readonly MenuItem[], viewer: Viewer, remove: (item: MenuItem) => void): VNode | null {
  if (chosen.length === 0) return null;
  return html`<ul class="chips">
    ${chosen.map(
      (item) => html`<li key=${item.value} class="chip">
        <span class="chip-text">${drawPlain(item.text, viewer)}</span>
        <button type="button" class="chip-remove" aria-label=${`Remove ${item.text.text}`} onClick=${() => remove(item)}>
          <span aria-hidden="true">×</span>
        </button>
      </li>`,
    )}
  </ul>`;
}

/** Slack's default. */
const queryLengthDefault = 3;
/** Delay from the last key to the request. */
const pauseMs = 250;

type Suggestions = Required<Pick<MenuProps, 'groups' | 'note' | 'search'>>;

/** Debounced search; ignores all but the latest reply. */
function useSuggestions(props: ElementProps<ExternalSelect | MultiExternalSelect>): Suggestions {
  const { element, blockId, scope } = props;
  const lengthMin = element.min_query_length ?? queryLengthDefault;
  const [{ groups, note }, setState] = useState<Pick<Suggestions, 'groups' | 'note'>>({ groups: [], note: null });
  const latest = useRef(0);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  const search = (typed: string) => {
    clearTimeout(pause.current);
    latest.current += 1;
    const number = latest.current;
    if (typed.length < lengthMin) {
      setState({ groups: [], note: typeMore(lengthMin) });
      return;
    }
    setState({ groups: [], note: 'Loading…' });
    const run = async () => {
      const answer = await scope.suggest({ blockId, actionId: element.action_id ?? '', value: typed });
      if (latest.current === number) setState(answer.ok ? shown(answer) : { groups: [], note: answer.error });
    };
    pause.current = setTimeout(() => void run(), typed === '' ? 0 : pauseMs);
  };
  return { groups, note, search };
}

function shown({ groups }: PageSuggestions & { ok: true }): Pick<Suggestions, 'groups' | 'note'> {
  const drawn = groups.map(({ label, options }) => ({ label: label?.text ?? '', items: options.map(toItem) }));
  return { groups: drawn, note: null };
}

function typeMore(lengthMin: number): string {
  return `Type ${lengthMin} ${lengthMin === 1 ? 'character' : 'characters'} or more to search`;
}
