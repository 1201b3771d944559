/** Boxes to tick, and buttons of which one is on. */
import type { Checkboxes, RadioButtons } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { ElementProps } from '../blocks/scope.ts';
import { drawText } from '../blocks/text-object.ts';
import { useConfirmation } from './confirm.ts';
import { frameAttributes } from './frame-attributes.ts';

type Boxes = Checkboxes | RadioButtons;

export function BoxesElement({ element, blockId, scope, frame }: ElementProps<Boxes>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const name = useId();
  const isSingle = element.type === 'radio_buttons';
  const [chosen, setChosen] = useState<readonly string[]>(
    initialValues(element, scope.form?.stateOf(blockId, actionId)),
  );
  const change = (value: string, isOn: boolean) =>
    guard(() => {
      const others = isSingle ? [] : chosen.filter((each) => each !== value);
      const next = isOn ? [...others, value] : others;
      setChosen(next);
      scope.press({ blockId, actionId, selected: isSingle ? value : next });
    });
  const attributes = { role: isSingle ? 'radiogroup' : 'group', ...frameAttributes(frame) };
  return html`<div class="boxes" ...${attributes}>
    ${element.options.map((option) => {
      const value = option.value ?? '';
      const onChange = (event: Event) => change(value, (event.currentTarget as HTMLInputElement).checked);
      return html`<label class="box" key=${value}>
        <input type=${isSingle ? 'radio' : 'checkbox'} name=${name} checked=${chosen.includes(value)} onChange=${onChange} />
        <span class="box-words">
          ${drawText(option.text, scope.viewer)}
          ${option.description && html`<span class="box-description">${drawText(option.description, scope.viewer)}</span>`}
        </span>
      </label>`;
    })}
    ${dialog}
  </div>`;
}

/** In a message the state stands in the element itself. */
function initialValues(element: Boxes, state: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const own = element.type === 'radio_buttons' ? element.initial_option : element.initial_options;
  const told = state ? (state['selected_option'] ?? state['selected_options']) : own;
  return [told].flat().flatMap((option: unknown) => {
    const value = typeof option === 'object' && option !== null && 'value' in option ? option.value : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}
