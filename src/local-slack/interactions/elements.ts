/** Interactive elements of a message or a view: found by id, with their state as Slack reports it to the app. */
import type { AnyBlock, PlainTextOption } from '@slack/types';
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import type { ElementState, ElementValue, InputValues } from '../page/protocol.ts';

export type InteractiveElement = {
  readonly blockId: string;
  readonly block: JsonRecord;
  readonly element: JsonRecord;
};

/** @returns every interactive element of these blocks */
export function interactiveElements(blocks: readonly AnyBlock[]): readonly InteractiveElement[] {
  return blocks.flatMap((block) => elementsOf(block));
}

function elementsOf(block: unknown): readonly InteractiveElement[] {
  if (!isRecord(block)) return [];
  const blockId = readText(block, 'block_id') ?? '';
  return [block['accessory'], block['element'], ...listOf(block['elements'])]
    .filter(isRecord)
    .filter((element) => readText(element, 'action_id') !== undefined)
    .map((element) => ({ blockId, block, element }));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type StateSources = {
  readonly entered: InputValues;
  /** Options that the app offered in an external select. */
  readonly offered: (found: InteractiveElement) => readonly PlainTextOption[];
};

/** Slack's `state.values`. */
export type State = Readonly<Record<string, Readonly<Record<string, ElementState>>>>;

/** @returns the state of all elements; a selected option that no longer exists falls back to the initial state */
export function stateValues(elements: readonly InteractiveElement[], { entered, offered }: StateSources): State {
  const blocks = new Map<string, [string, JsonRecord][]>();
  for (const found of elements) {
    const { blockId, element } = found;
    const actionId = readText(element, 'action_id') ?? '';
    const chosen = entered[blockId]?.[actionId];
    const state = chosen === undefined ? undefined : selectedState(element, chosen, offered(found));
    const reported = state ?? initialState(element);
    if (reported) blocks.set(blockId, [...(blocks.get(blockId) ?? []), [actionId, reported]]);
  }
  return Object.fromEntries([...blocks].map(([blockId, states]) => [blockId, Object.fromEntries(states)]));
}

/** The state field of each element type. A plural holds a list, and `selected_option` whole options. */
const stateFields: Readonly<Record<string, string>> = {
  plain_text_input: 'value',
  timepicker: 'selected_time',
  static_select: 'selected_option',
  external_select: 'selected_option',
  radio_buttons: 'selected_option',
  checkboxes: 'selected_options',
  multi_static_select: 'selected_options',
  multi_external_select: 'selected_options',
  users_select: 'selected_user',
  multi_users_select: 'selected_users',
  conversations_select: 'selected_conversation',
  multi_conversations_select: 'selected_conversations',
};

/**
 * @param chosen null for a pressed button
 * @param offered options of an external select
 * @returns the fields of the action; undefined if the element does not accept the value
 */
export function actionFields(
  element: JsonRecord,
  chosen: ElementValue,
  offered: readonly PlainTextOption[] = [],
): JsonRecord | undefined {
  const type = readText(element, 'type') ?? '';
  const shared = { type, action_id: element['action_id'] };
  if (type === 'button' && chosen === null) {
    return { ...shared, ...present(element, ['text', 'value', 'style', 'url', 'accessibility_label']) };
  }
  if (chosen === null) return undefined;
  const state = selectedState(element, chosen, offered);
  return state && { ...shared, ...present(element, ['placeholder']), ...state };
}

/** @returns the `state.values` entry of an element with this value; undefined for an invalid value */
export function selectedState(
  element: JsonRecord,
  chosen: ElementValue,
  offered: readonly PlainTextOption[] = [],
): JsonRecord | undefined {
  const type = readText(element, 'type') ?? '';
  const field = stateFields[type];
  if (field === undefined) return undefined;
  const isMany = field.endsWith('s');
  if (chosen === null || chosen === '') return { type, [field]: isMany ? [] : null };
  if (Array.isArray(chosen) !== isMany) return undefined;
  if (!field.startsWith('selected_option')) return { type, [field]: chosen };
  const options = [chosen].flat().map((value) => optionNamed(element, value, offered));
  if (!options.every((option) => option !== undefined)) return undefined;
  return { type, [field]: isMany ? options : options[0] };
}

/** @returns the initial state of an element */
function initialState(element: JsonRecord): JsonRecord | undefined {
  const type = readText(element, 'type') ?? '';
  const field = stateFields[type];
  if (field === undefined) return undefined;
  const initial = element[field === 'value' ? 'initial_value' : field.replace('selected', 'initial')];
  if (initial !== undefined && initial !== '') return { type, [field]: initial };
  return { type, [field]: field.endsWith('s') ? [] : null };
}

function optionNamed(element: JsonRecord, value: string, offered: readonly PlainTextOption[]) {
  const own = listOf(element['options']).find((each) => isRecord(each) && each['value'] === value);
  return offered.find((option) => option.value === value) ?? own;
}

function present(element: JsonRecord, names: readonly string[]): JsonRecord {
  return Object.fromEntries(names.filter((name) => name in element).map((name) => [name, element[name]]));
}
