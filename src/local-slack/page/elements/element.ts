/** Every interactive element, and a labelled stand-in for those the page does not offer. */
import type { ActionsBlock, InputBlock, SectionBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { InputFrame, Scope } from '../blocks/scope.ts';
import { BoxesElement } from './boxes.ts';
import { ButtonElement } from './button.ts';
import { MultiExternalSelectElement, MultiSelectElement } from './multi-select.ts';
import { OverflowElement } from './overflow.ts';
import { PickerElement } from './pickers.ts';
import { ExternalSelectElement, SelectElement } from './select.ts';
import { TextInputElement } from './text-input.ts';

type Interactive =
  | ActionsBlock['elements'][number]
  | InputBlock['element']
  | Exclude<NonNullable<SectionBlock['accessory']>, { readonly type: 'image' }>;

/**
 * A menu in a message that was replaced is another menu, and forgets what was chosen; a button stays under the finger that
 * presses it. @param frame of an input block
 */
export function drawElement(
  element: Interactive,
  blockId: string,
  scope: Scope,
  frame: InputFrame | null = null,
): VNode {
  const View = viewOf(element.type);
  if (!View) return html`<span class="stand-in">An element of type <code>${element.type}</code></span>`;
  const key = element.type === 'button' ? undefined : `${blockId} ${'action_id' in element ? element.action_id : ''}`;
  return html`<${View} key=${key} element=${element} blockId=${blockId} scope=${scope} frame=${frame} />`;
}

function viewOf(type: Interactive['type']) {
  switch (type) {
    case 'button':
      return ButtonElement;
    case 'static_select':
    case 'users_select':
    case 'conversations_select':
    case 'channels_select':
      return SelectElement;
    case 'external_select':
      return ExternalSelectElement;
    case 'multi_static_select':
    case 'multi_users_select':
    case 'multi_conversations_select':
    case 'multi_channels_select':
      return MultiSelectElement;
    case 'multi_external_select':
      return MultiExternalSelectElement;
    case 'overflow':
      return OverflowElement;
    case 'checkboxes':
    case 'radio_buttons':
      return BoxesElement;
    case 'datepicker':
    case 'timepicker':
      return PickerElement;
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'number_input':
      return TextInputElement;
    default:
      return undefined;
  }
}
