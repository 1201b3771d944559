/** A date or a time, chosen with the browser's own. */
import type { Datepicker, Timepicker } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ElementProps } from '../blocks/scope.ts';
import { useConfirmation } from './confirm.ts';
import { frameAttributes } from './frame-attributes.ts';

export function PickerElement({ element, blockId, scope, frame }: ElementProps<Datepicker | Timepicker>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const isDate = element.type === 'datepicker';
  const own = isDate ? element.initial_date : element.initial_time;
  const state = scope.form?.stateOf(blockId, actionId);
  const told = state ? (state['selected_date'] ?? state['selected_time']) : own;
  const choose = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    if (value !== '') guard(() => scope.press({ blockId, actionId, selected: value }));
    else scope.form?.enter({ blockId, actionId, selected: null });
  };
  const label = element.placeholder?.text ?? (isDate ? 'Select a date' : 'Select a time');
  const attributes = frame ? frameAttributes(frame) : { 'aria-label': label };
  return html`<span class="element">
    <input type=${isDate ? 'date' : 'time'} class="button datepicker" ...${attributes} value=${told} onChange=${choose} />
    ${dialog}
  </span>`;
}
