/** The three dots. */
import type { Overflow } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ElementProps } from '../blocks/scope.ts';
import { toItem } from './choices.ts';
import { useConfirmation } from './confirm.ts';
import { Menu } from './menu.ts';
import type { MenuItem } from './menu-choices.ts';

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
