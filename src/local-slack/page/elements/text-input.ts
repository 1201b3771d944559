/** Text, number, email and URL inputs. */
import type { EmailInput, NumberInput, PlainTextInput, URLInput } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ElementProps, frameAttributes } from '../blocks/scope.ts';

type TextInput = PlainTextInput | EmailInput | URLInput | NumberInput;

const inputModes = {
  plain_text_input: 'text',
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'decimal',
};
/** Delay from the last key to the request. */
const pauseMs = 300;

export function TextInputElement(props: ElementProps<TextInput>): VNode {
  const { element, blockId, scope, frame } = props;
  const actionId = element.action_id ?? '';
  const [text, setText] = useState(initialText(props));
  const dispatch = useDispatch(props);
  const press = (selected: string) => ({ blockId, actionId, selected: selected === '' ? null : selected });
  const change = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setText(value);
    scope.form?.enter(press(value));
    dispatch.typed(press(value));
  };
  const isMultiline = element.type === 'plain_text_input' && element.multiline === true;
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing && !isMultiline && dispatch.entered(press(text)))
      event.preventDefault();
  };
  const attributes = {
    ...frameAttributes(frame),
    class: 'text-input',
    value: text,
    placeholder: element.placeholder?.text,
    autocomplete: 'off',
    spellcheck: false,
    'data-focus': element.focus_on_load === true ? 'true' : undefined,
    onInput: change,
    onKeyDown: key,
  };
  if (isMultiline) return html`<textarea rows="4" ...${attributes}></textarea>`;
  return html`<input type="text" inputmode=${inputModes[element.type]} ...${attributes} />`;
}

function initialText({ element, blockId, scope }: ElementProps<TextInput>): string {
  const state = scope.form?.stateOf(blockId, element.action_id ?? '');
  const initial = state ? state['value'] : element.initial_value;
  return typeof initial === 'string' ? initial : '';
}

type Typed = { readonly blockId: string; readonly actionId: string; readonly selected: string | null };

/** Dispatches typed text before submission if the block has `dispatch_action`, on the element's `trigger_actions_on`. */
function useDispatch({ element, scope, frame }: ElementProps<TextInput>) {
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(pause.current), []);
  const occasions = element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed'];
  const isOn = (occasion: (typeof occasions)[number]) => frame?.isDispatching === true && occasions.includes(occasion);
  return {
    typed: (typed: Typed) => {
      clearTimeout(pause.current);
      if (isOn('on_character_entered')) pause.current = setTimeout(() => scope.press(typed), pauseMs);
    },
    /** @returns true if Enter was dispatched; otherwise Enter submits the form */
    entered: (typed: Typed) => {
      if (!isOn('on_enter_pressed')) return false;
      scope.press(typed);
      return true;
    },
  };
}
