/** Menus of which several choices stand, each with a way to take it out again. */
import type {
  MultiChannelsSelect,
  MultiConversationsSelect,
  MultiExternalSelect,
  MultiStaticSelect,
  MultiUsersSelect,
} from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ElementProps } from '../blocks/scope.ts';
import { drawPlain } from '../blocks/text-object.ts';
import type { Viewer } from '../model/viewer.ts';
import { choiceGroups, initialItems, placeholderOf } from './choices.ts';
import { useConfirmation } from './confirm.ts';
import { Menu } from './menu.ts';
import type { MenuItem, MenuProps } from './menu-choices.ts';
import { useSuggestions } from './use-suggestions.ts';

type Filled = MultiStaticSelect | MultiUsersSelect | MultiConversationsSelect | MultiChannelsSelect;

export function MultiSelectElement(props: ElementProps<Filled>): VNode {
  return html`<${SomeOf} ...${props} groups=${choiceGroups(props.element, props.scope.viewer)} />`;
}

export function MultiExternalSelectElement(props: ElementProps<MultiExternalSelect>): VNode {
  return html`<${SomeOf} ...${props} ...${useSuggestions(props)} />`;
}

type SomeOfProps = ElementProps<Filled | MultiExternalSelect> & Pick<MenuProps, 'groups' | 'note' | 'search'>;

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
