/** An input with its label, its hint, and what is wrong with it. */
import type { InputBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { drawElement } from '../elements/element.ts';
import type { InputFrame, Scope } from './scope.ts';
import { drawPlain } from './text-object.ts';

type InputProps = { readonly block: InputBlock; readonly scope: Scope };

/** Several controls under one label. */
const groups: ReadonlySet<string> = new Set(['checkboxes', 'radio_buttons']);

export function InputView({ block, scope }: InputProps): VNode {
  const id = useId();
  const blockId = block.block_id ?? '';
  const error = scope.form?.errors[blockId];
  const ids = { input: `${id}-input`, label: `${id}-label`, hint: `${id}-hint`, error: `${id}-error` };
  const describedBy = [block.hint && ids.hint, error !== undefined && ids.error].filter(Boolean).join(' ');
  const frame: InputFrame = {
    inputId: ids.input,
    labelId: ids.label,
    describedBy: describedBy === '' ? undefined : describedBy,
    isInvalid: error !== undefined,
    isDispatching: block.dispatch_action === true,
  };
  return html`<div class=${`input${error === undefined ? '' : ' has-error'}`}>
    ${drawLabel(block, ids, scope)}
    ${drawElement(block.element, blockId, quiet(scope, frame), frame)}
    ${error !== undefined && html`<div class="input-error" id=${ids.error} role="alert">${error}</div>`}
    ${block.hint && html`<div class="input-hint" id=${ids.hint}>${drawPlain(block.hint, scope.viewer)}</div>`}
  </div>`;
}

function drawLabel(
  { label, element, optional }: InputBlock,
  ids: { input: string; label: string },
  scope: Scope,
): VNode {
  const words = html`${drawPlain(label, scope.viewer)}${optional === true && html` <span class="input-optional">(optional)</span>`}`;
  if (groups.has(element.type)) return html`<div class="input-label" id=${ids.label}>${words}</div>`;
  return html`<label class="input-label" id=${ids.label} for=${ids.input}>${words}</label>`;
}

/** The app hears of a choice when the view is submitted, unless the block asks to hear of each. */
function quiet(scope: Scope, { isDispatching }: InputFrame): Scope {
  return isDispatching ? scope : { ...scope, press: (pressed) => scope.form?.enter(pressed) };
}
