/** A button: pressed once, it turns until the app has answered. One with an address is a link as well. */
import type { Button } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ElementProps } from '../blocks/scope.ts';
import { drawPlain } from '../blocks/text-object.ts';
import { linkTo } from '../text/link.ts';
import { safeUrl } from '../text/safe-url.ts';
import { useConfirmation } from './confirm.ts';

export function ButtonElement({ element, blockId, scope }: ElementProps<Button>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const isPending = scope.isPending(blockId, actionId);
  const press = () => guard(() => scope.press({ blockId, actionId, selected: null }));
  const className = `button${element.style ? ` button-${element.style}` : ''}${isPending ? ' is-pending' : ''}`;
  const label = html`<span class="button-label">${drawPlain(element.text, scope.viewer)}</span>`;
  const url = element.url === undefined ? null : safeUrl(element.url);
  const name = element.accessibility_label;
  if (url !== null) {
    return html`<a class=${className} aria-label=${name} ...${linkTo(url, scope.viewer, press)}>${label}</a>`;
  }
  return html`<span class="element">
    <button type="button" class=${className} aria-label=${name} aria-busy=${isPending} disabled=${isPending} onClick=${press}>
      ${label}
    </button>
    ${dialog}
  </span>`;
}
