/** A date, chosen with the browser's own calendar. */
import type { Datepicker } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ElementProps } from '../blocks/scope.ts';
import { useConfirmation } from './confirm.ts';

export function DatepickerElement({ element, blockId, scope }: ElementProps<Datepicker>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const choose = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    if (value !== '') guard(() => scope.press({ blockId, actionId, selected: value }));
  };
  const label = element.placeholder?.text ?? 'Select a date';
  return html`<span class="element">
    <input type="date" class="button datepicker" aria-label=${label} value=${element.initial_date} onChange=${choose} />
    ${dialog}
  </span>`;
}
