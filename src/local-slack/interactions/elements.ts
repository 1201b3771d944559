/** Interactive elements of a message or a view: found by id, with their state as Slack reports it to the app. */
import type { AnyBlock, PlainTextOption } from '@slack/types';
import type { Chosen, ElementState, Entered } from '../page/protocol.ts';
import { type Fields, isRecord, textField } from '../server/json.ts';

export type Found = {
  readonly blockId: string;
  readonly block: Fields;
  readonly element: Fields;
};

/** @returns every interactive element of these blocks, containers and cards included */
export function interactiveElements(blocks: readonly AnyBlock[]): readonly Found[] {
  return blocks.flatMap((block) => elementsOf(block));
}

/** A block's id is missing only on cards in a carousel, which Slack does not name either. */
function elementsOf(block: unknown): readonly Found[] {
  if (!isRecord(block)) return [];
  const blockId = textField(block, 'block_id') ?? '';
  const direct = [block['accessory'], block['element'], ...listOf(block['elements']), ...listOf(block['actions'])];
  const inner = [...listOf(block['child_blocks']), ...(block['type'] === 'carousel' ? listOf(block['elements']) : [])];
  const own = direct.filter(isRecord).filter((element) => textField(element, 'action_id') !== undefined);
  return [...own.map((element) => ({ blockId, block, element })), ...inner.flatMap(elementsOf)];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Known = {
  readonly entered: Entered;
  /** What the app offered in a menu that it fills. */
  readonly offered: (found: Found) => readonly PlainTextOption[];
  /** Where it all began. */
  readonly channelId: string | null;
};

/** Slack's `state.values`. */
export type State = Readonly<Record<string, Readonly<Record<string, ElementState>>>>;

/** @returns of all; an element in which something stands that it no longer offers is as nobody touched it */
export function stateValues(elements: readonly Found[], { entered, offered, channelId }: Known): State {
  const blocks = new Map<string, [string, Fields][]>();
  for (const found of elements) {
    const { blockId, element } = found;
    const actionId = textField(element, 'action_id') ?? '';
    const chosen = entered[blockId]?.[actionId];
    const state = chosen === undefined ? undefined : chosenState(element, chosen, offered(found));
    const told = state ?? initialState(element, channelId);
    if (told) blocks.set(blockId, [...(blocks.get(blockId) ?? []), [actionId, told]]);
  }
  return Object.fromEntries([...blocks].map(([blockId, states]) => [blockId, Object.fromEntries(states)]));
}

/** The field that tells it, and what stands there. */
type Telling = { readonly field: string; readonly isMany: boolean; readonly hasOptions: boolean };

function telling(field: string): Telling {
  return { field, isMany: field.endsWith('s'), hasOptions: field.startsWith('selected_option') };
}

const tellings: Readonly<Record<string, Telling>> = {
  plain_text_input: telling('value'),
  email_text_input: telling('value'),
  url_text_input: telling('value'),
  number_input: telling('value'),
  datepicker: telling('selected_date'),
  timepicker: telling('selected_time'),
  static_select: telling('selected_option'),
  external_select: telling('selected_option'),
  radio_buttons: telling('selected_option'),
  checkboxes: telling('selected_options'),
  multi_static_select: telling('selected_options'),
  multi_external_select: telling('selected_options'),
  users_select: telling('selected_user'),
  multi_users_select: telling('selected_users'),
  conversations_select: telling('selected_conversation'),
  multi_conversations_select: telling('selected_conversations'),
  channels_select: telling('selected_channel'),
  multi_channels_select: telling('selected_channels'),
};

const pressed: ReadonlySet<string> = new Set(['button', 'icon_button']);

/**
 * @param chosen null where a button was pressed
 * @param offered what the app itself has filled the menu with
 * @returns the fields of the action that say what was done; undefined where the element cannot be worked so
 */
export function actionFields(
  element: Fields,
  chosen: Chosen,
  offered: readonly PlainTextOption[] = [],
): Fields | undefined {
  const type = textField(element, 'type') ?? '';
  const shared = { type, action_id: element['action_id'] };
  if (pressed.has(type) && chosen === null) {
    return { ...shared, ...present(element, ['text', 'value', 'style', 'url', 'icon', 'accessibility_label']) };
  }
  if (chosen === null) return undefined;
  const told = type === 'overflow' ? chosenOption(element, chosen, offered) : chosenState(element, chosen, offered);
  return told && { ...shared, ...present(element, ['placeholder']), ...told };
}

/** @returns what `state.values` says of an element in which this was chosen; undefined where it cannot be */
export function chosenState(
  element: Fields,
  chosen: Chosen,
  offered: readonly PlainTextOption[] = [],
): Fields | undefined {
  const type = textField(element, 'type') ?? '';
  const { field, isMany, hasOptions } = tellings[type] ?? {};
  if (field === undefined) return undefined;
  if (chosen === null || chosen === '') return { type, [field]: isMany ? [] : null };
  if (Array.isArray(chosen) !== isMany) return undefined;
  if (!hasOptions) return { type, [field]: chosen };
  const options = [chosen].flat().map((value) => optionNamed(element, value, offered));
  if (!options.every((option) => option !== undefined)) return undefined;
  return { type, [field]: isMany ? options : options[0] };
}

/** @param channelId where it all began, for a menu that starts with it @returns what `state.values` says of an element nobody has touched */
function initialState(element: Fields, channelId: string | null = null): Fields | undefined {
  const type = textField(element, 'type') ?? '';
  const { field, isMany } = tellings[type] ?? {};
  if (field === undefined) return undefined;
  const initial = element[field === 'value' ? 'initial_value' : field.replace('selected', 'initial')];
  if (initial !== undefined && initial !== '') return { type, [field]: initial };
  const current = element['default_to_current_conversation'] === true ? channelId : null;
  if (isMany) return { type, [field]: current === null ? [] : [current] };
  return { type, [field]: current };
}

/** A menu of three dots has no state: what was chosen is told once. */
function chosenOption(element: Fields, chosen: Chosen, offered: readonly PlainTextOption[]): Fields | undefined {
  const option = typeof chosen === 'string' ? optionNamed(element, chosen, offered) : undefined;
  return option && { selected_option: option };
}

function optionNamed(element: Fields, value: string, offered: readonly PlainTextOption[]) {
  const own = optionsOf(element).find((each) => each['value'] === value);
  return offered.find((option) => option.value === value) ?? own;
}

function optionsOf(element: Fields): readonly Fields[] {
  const groups = listOf(element['option_groups']).filter(isRecord);
  return [...listOf(element['options']), ...groups.flatMap((group) => listOf(group['options']))].filter(isRecord);
}

function present(element: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => name in element).map((name) => [name, element[name]]));
}
