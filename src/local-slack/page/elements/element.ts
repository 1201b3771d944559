/** Draws the interactive elements that the bot sends; a labelled placeholder replaces all others. */
import type {
  ActionsBlock,
  Button,
  Checkboxes,
  InputBlock,
  PlainTextInput,
  RadioButtons,
  SectionBlock,
  Timepicker,
} from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { currentValues, type ElementProps, type InputFrame, isOption, type Scope } from '../blocks/scope.ts';
import { drawPlain, drawText } from '../text/mrkdwn.ts';
import { linkTo } from '../text/rich-text.ts';
import { safeUrl } from '../text/url.ts';
import { SelectElement } from './select.ts';

type Interactive = ActionsBlock['elements'][number] | InputBlock['element'] | NonNullable<SectionBlock['accessory']>;

/**
 * Draws an element. A menu in a replaced message is a new menu without a selection; a button is reused, so that it
 * stays under the pointer that presses it.
 * @param frame of an input block
 */
export function drawElement(
  element: Interactive,
  blockId: string,
  scope: Scope,
  frame: InputFrame | null = null,
): VNode {
  const View = views[element.type];
  if (!View) return html`<span class="soft">An element of type <code>${element.type}</code></span>`;
  const key = element.type === 'button' ? undefined : `${blockId} ${'action_id' in element ? element.action_id : ''}`;
  return html`<${View} key=${key} element=${element} blockId=${blockId} scope=${scope} frame=${frame} />`;
}

const views: Readonly<Record<string, unknown>> = {
  button: ButtonElement,
  static_select: SelectElement,
  users_select: SelectElement,
  conversations_select: SelectElement,
  external_select: SelectElement,
  multi_static_select: SelectElement,
  multi_users_select: SelectElement,
  multi_conversations_select: SelectElement,
  multi_external_select: SelectElement,
  checkboxes: BoxesElement,
  radio_buttons: BoxesElement,
  timepicker: TimeElement,
  plain_text_input: TextElement,
};

function ButtonElement({ element, blockId, scope }: ElementProps<Button>): VNode {
  const { action_id: actionId = '', text, style, url, accessibility_label: name } = element;
  const isPending = scope.isPending(blockId, actionId);
  const press = () => scope.press({ blockId, actionId, selected: null });
  const className = `button${style ? ` button-${style}` : ''}${isPending ? ' is-pending' : ''}`;
  const label = html`<span class="button-label">${drawPlain(text, scope.viewer)}</span>`;
  const address = url === undefined ? null : safeUrl(url);
  if (address !== null) {
    return html`<a class=${className} aria-label=${name} ...${linkTo(address, scope.viewer, press)}>${label}</a>`;
  }
  return html`<button type="button" class=${className} aria-label=${name} aria-busy=${isPending} disabled=${isPending} onClick=${press}>
    ${label}
  </button>`;
}

type Boxes = Checkboxes | RadioButtons;

function BoxesElement({ element, blockId, scope, frame }: ElementProps<Boxes>): VNode {
  const actionId = element.action_id ?? '';
  const name = useId();
  const isSingle = element.type === 'radio_buttons';
  const current = currentValues(element, blockId, scope).filter(isOption);
  const [chosen, setChosen] = useState<readonly string[]>(current.flatMap(({ value }) => value ?? []));
  const change = (value: string, isOn: boolean) => {
    const others = isSingle ? [] : chosen.filter((each) => each !== value);
    const next = isOn ? [...others, value] : others;
    setChosen(next);
    scope.press({ blockId, actionId, selected: isSingle ? value : next });
  };
  return html`<div class="column" role=${isSingle ? 'radiogroup' : 'group'} ...${frame}>
    ${element.options.map(({ value = '', text, description }) => {
      const onChange = (event: Event) => change(value, (event.currentTarget as HTMLInputElement).checked);
      return html`<label class="row" key=${value}>
        <input type=${isSingle ? 'radio' : 'checkbox'} name=${name} checked=${chosen.includes(value)} onChange=${onChange} />
        <span>
          ${drawText(text, scope.viewer)}
          ${description && html`<span class="small soft">${drawText(description, scope.viewer)}</span>`}
        </span>
      </label>`;
    })}
  </div>`;
}

function TimeElement({ element, blockId, scope, frame }: ElementProps<Timepicker>): VNode {
  const actionId = element.action_id ?? '';
  const [initial] = currentValues(element, blockId, scope);
  const choose = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    scope.press({ blockId, actionId, selected: value === '' ? null : value });
  };
  const name = element.placeholder?.text ?? 'Select a time';
  return html`<input type="time" class="text-input" aria-label=${name} ...${frame} value=${initial} onChange=${choose} />`;
}

function TextElement({ element, blockId, scope, frame }: ElementProps<PlainTextInput>): VNode {
  const actionId = element.action_id ?? '';
  const [initial] = currentValues(element, blockId, scope);
  const [text, setText] = useState(typeof initial === 'string' ? initial : '');
  const change = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setText(value);
    scope.form?.enter({ blockId, actionId, selected: value === '' ? null : value });
  };
  const attributes = {
    ...frame,
    class: 'text-input',
    value: text,
    placeholder: element.placeholder?.text,
    autocomplete: 'off',
    spellcheck: false,
    'data-focus': element.focus_on_load === true ? 'true' : undefined,
    onInput: change,
  };
  if (element.multiline === true) return html`<textarea rows="4" ...${attributes}></textarea>`;
  return html`<input type="text" ...${attributes} />`;
}
