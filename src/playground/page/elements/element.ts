/** Every interactive element, and a labelled stand-in for those the page does not offer. */
import type { ActionsBlock, SectionBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { Scope } from '../blocks/scope.ts';
import { ButtonElement } from './button.ts';
import { DatepickerElement } from './datepicker.ts';
import { ExternalSelectElement } from './external-select.ts';
import { OverflowElement, SelectElement } from './select.ts';

type Interactive =
  | ActionsBlock['elements'][number]
  | Exclude<NonNullable<SectionBlock['accessory']>, { readonly type: 'image' }>;

/** A menu in a message that was replaced is another menu, and forgets what was chosen; a button stays under the finger that presses it. */
export function drawElement(element: Interactive, blockId: string, scope: Scope): VNode {
  const key = `${blockId} ${'action_id' in element ? element.action_id : ''}`;
  switch (element.type) {
    case 'button':
      return html`<${ButtonElement} element=${element} blockId=${blockId} scope=${scope} />`;
    case 'static_select':
      return html`<${SelectElement} key=${key} element=${element} blockId=${blockId} scope=${scope} />`;
    case 'external_select':
      return html`<${ExternalSelectElement} key=${key} element=${element} blockId=${blockId} scope=${scope} />`;
    case 'overflow':
      return html`<${OverflowElement} key=${key} element=${element} blockId=${blockId} scope=${scope} />`;
    case 'datepicker':
      return html`<${DatepickerElement} key=${key} element=${element} blockId=${blockId} scope=${scope} />`;
    default:
      return html`<span class="stand-in">An element of type <code>${element.type}</code></span>`;
  }
}
