/** Menus: a select that shows what was chosen, and the three dots. */
import type { Overflow, PlainTextOption, StaticSelect } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ElementProps } from '../blocks/scope.ts';
import { drawPlain } from '../blocks/text-object.ts';
import { safeUrl } from '../text/safe-url.ts';
import { useConfirmation } from './confirm.ts';
import { Menu } from './menu.ts';
import type { MenuGroup, MenuItem } from './menu-choices.ts';

export function SelectElement({ element, blockId, scope }: ElementProps<StaticSelect>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const [chosen, setChosen] = useState<string | undefined>(element.initial_option?.value);
  const actionId = element.action_id ?? '';
  const options = [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)];
  const current = options.find(({ value }) => value === chosen);
  const placeholder = element.placeholder ?? { type: 'plain_text', text: 'Choose an option' };
  const choose = ({ value }: MenuItem) =>
    guard(() => {
      setChosen(value);
      scope.press({ blockId, actionId, selected: value });
    });
  const isPending = scope.isPending(blockId, actionId);
  return html`<span class="element">
    <${Menu}
      kind="select"
      name=${placeholder.text}
      className=${`button select${isPending ? ' is-pending' : ''}`}
      groups=${groupsOf(element)}
      choose=${choose}
      viewer=${scope.viewer}
    >
      <span class=${`button-label${current ? '' : ' is-placeholder'}`}>${drawPlain(current?.text ?? placeholder, scope.viewer)}</span>
      <span class="chevron" aria-hidden="true"></span>
    <//>
    ${dialog}
  </span>`;
}

export function OverflowElement({ element, blockId, scope }: ElementProps<Overflow>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const choose = ({ value, url }: MenuItem) => {
    if (url !== null) window.open(url, '_blank', 'noopener,noreferrer');
    guard(() => scope.press({ blockId, actionId, selected: value }));
  };
  const isPending = scope.isPending(blockId, actionId);
  return html`<span class="element">
    <${Menu}
      kind="menu"
      name="More actions"
      className=${`button overflow${isPending ? ' is-pending' : ''}`}
      groups=${[{ label: '', items: element.options.map(toItem) }]}
      choose=${choose}
      viewer=${scope.viewer}
    >
      <span class="dots" aria-hidden="true"></span>
    <//>
    ${dialog}
  </span>`;
}

function groupsOf({ options, option_groups: groups }: StaticSelect): readonly MenuGroup[] {
  const named = (groups ?? []).map((group) => ({ label: group.label.text, items: group.options.map(toItem) }));
  return options ? [{ label: '', items: options.map(toItem) }, ...named] : named;
}

export function toItem({ text, value, description, url }: PlainTextOption): MenuItem {
  return {
    text,
    description: description ?? null,
    value: value ?? '',
    url: url === undefined ? null : safeUrl(url),
  };
}
