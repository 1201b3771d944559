/** Menus of which one choice stands: their own options, people, conversations, or what the app sends while one types. */
import type { ChannelsSelect, ConversationsSelect, ExternalSelect, StaticSelect, UsersSelect } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ElementProps } from '../blocks/scope.ts';
import { drawPlain } from '../blocks/text-object.ts';
import { choiceGroups, initialItems, placeholderOf } from './choices.ts';
import { useConfirmation } from './confirm.ts';
import { Menu } from './menu.ts';
import type { MenuItem, MenuProps } from './menu-choices.ts';
import { useSuggestions } from './use-suggestions.ts';

type Filled = StaticSelect | UsersSelect | ConversationsSelect | ChannelsSelect;

export function SelectElement(props: ElementProps<Filled>): VNode {
  return html`<${OneOf} ...${props} groups=${choiceGroups(props.element, props.scope.viewer)} />`;
}

export function ExternalSelectElement(props: ElementProps<ExternalSelect>): VNode {
  return html`<${OneOf} ...${props} ...${useSuggestions(props)} />`;
}

type OneOfProps = ElementProps<Filled | ExternalSelect> & Pick<MenuProps, 'groups' | 'note' | 'search'>;

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
