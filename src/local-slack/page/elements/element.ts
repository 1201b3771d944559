/** Draws every interactive element; a labelled placeholder replaces unknown types. */
import type {
  ActionsBlock,
  Button,
  Checkboxes,
  Datepicker,
  InputBlock,
  Overflow,
  RadioButtons,
  SectionBlock,
  Timepicker,
} from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type ElementProps, frameAttributes, type InputFrame, type Scope } from '../blocks/scope.ts';
import { drawPlain, drawText } from '../blocks/text-object.ts';
import { linkTo } from '../text/draw.ts';
import { safeUrl } from '../text/url.ts';
import { type MenuItem, toItem } from './choices.ts';
import { useConfirmation } from './confirm.ts';
import { Menu } from './menu.ts';
import { ExternalSelectElement, MultiExternalSelectElement, MultiSelectElement, SelectElement } from './select.ts';
import { TextInputElement } from './text-input.ts';

type Interactive =
  | ActionsBlock['elements'][number]
  | InputBlock['element']
  | Exclude<NonNullable<SectionBlock['accessory']>, { readonly type: 'image' }>;

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

function ButtonElement({ element, blockId, scope }: ElementProps<Button>): VNode {
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

function OverflowElement({ element, blockId, scope }: ElementProps<Overflow>): VNode {
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

type Boxes = Checkboxes | RadioButtons;

function BoxesElement({ element, blockId, scope, frame }: ElementProps<Boxes>): VNode {
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

/** In a message the element itself carries its state. */
function initialValues(element: Boxes, state: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const own = element.type === 'radio_buttons' ? element.initial_option : element.initial_options;
  const initial = state ? (state['selected_option'] ?? state['selected_options']) : own;
  return [initial].flat().flatMap((option: unknown) => {
    const value = typeof option === 'object' && option !== null && 'value' in option ? option.value : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

function PickerElement({ element, blockId, scope, frame }: ElementProps<Datepicker | Timepicker>): VNode {
  const { guard, dialog } = useConfirmation(element.confirm, scope);
  const actionId = element.action_id ?? '';
  const isDate = element.type === 'datepicker';
  const own = isDate ? element.initial_date : element.initial_time;
  const state = scope.form?.stateOf(blockId, actionId);
  const initial = state ? (state['selected_date'] ?? state['selected_time']) : own;
  const choose = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    if (value !== '') guard(() => scope.press({ blockId, actionId, selected: value }));
    else scope.form?.enter({ blockId, actionId, selected: null });
  };
  const label = element.placeholder?.text ?? (isDate ? 'Select a date' : 'Select a time');
  const attributes = frame ? frameAttributes(frame) : { 'aria-label': label };
  return html`<span class="element">
    <input type=${isDate ? 'date' : 'time'} class="button datepicker" ...${attributes} value=${initial} onChange=${choose} />
    ${dialog}
  </span>`;
}
