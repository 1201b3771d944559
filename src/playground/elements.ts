/** The elements of a message that a person can work, found by their ids, and what each tells the app when worked. */
import type { KnownBlock, PlainTextOption } from '@slack/types';
import { type Fields, isRecord, textField } from './json.ts';

export type Found = { readonly blockId: string; readonly element: Fields };

/** @returns every interactive element of these blocks, containers and cards included */
export function interactiveElements(blocks: readonly KnownBlock[]): readonly Found[] {
  return blocks.flatMap((block) => elementsOf(block));
}

/** A block's id is missing only on cards in a carousel, which Slack does not name either. */
function elementsOf(block: unknown): readonly Found[] {
  if (!isRecord(block)) return [];
  const blockId = textField(block, 'block_id') ?? '';
  const direct = [block['accessory'], ...listOf(block['elements']), ...listOf(block['actions'])];
  const inner = [...listOf(block['child_blocks']), ...(block['type'] === 'carousel' ? listOf(block['elements']) : [])];
  const own = direct.filter(isRecord).filter((element) => textField(element, 'action_id') !== undefined);
  return [...own.map((element) => ({ blockId, element })), ...inner.flatMap(elementsOf)];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Where a chosen value goes, by type of element. */
const chosenField: Readonly<Record<string, string>> = {
  users_select: 'selected_user',
  conversations_select: 'selected_conversation',
  channels_select: 'selected_channel',
  datepicker: 'selected_date',
  timepicker: 'selected_time',
};
const withOptions: ReadonlySet<string> = new Set(['static_select', 'external_select', 'overflow', 'radio_buttons']);
const withChoice: ReadonlySet<string> = new Set(['static_select', 'external_select', 'radio_buttons']);
const pressed: ReadonlySet<string> = new Set(['button', 'icon_button']);

/**
 * @param selected an option's value, an id, a date or a time; null where a button was pressed
 * @param offered what the app itself has filled the menu with
 * @returns the fields of the action that say what was done; undefined where the element cannot be worked so
 */
export function actionFields(
  element: Fields,
  selected: string | null,
  offered: readonly PlainTextOption[] = [],
): Fields | undefined {
  const type = textField(element, 'type') ?? '';
  const shared = { type, action_id: element['action_id'] };
  if (pressed.has(type) && selected === null) {
    return { ...shared, ...present(element, ['text', 'value', 'style', 'url', 'icon', 'accessibility_label']) };
  }
  if (selected === null) return undefined;
  const extra = present(element, ['placeholder']);
  if (withOptions.has(type)) {
    const own = optionsOf(element).find((each) => each['value'] === selected);
    const option = offered.find(({ value }) => value === selected) ?? own;
    return option && { ...shared, ...extra, selected_option: option };
  }
  const field = chosenField[type];
  return field === undefined ? undefined : { ...shared, ...extra, [field]: selected };
}

/** What `state.values` says of an element nobody has touched. */
export function initialState(element: Fields): Fields | undefined {
  const type = textField(element, 'type') ?? '';
  if (withChoice.has(type)) {
    return { type, selected_option: element['initial_option'] ?? null };
  }
  const field = chosenField[type];
  return field === undefined ? undefined : { type, [field]: element[field.replace('selected', 'initial')] ?? null };
}

function optionsOf(element: Fields): readonly Fields[] {
  const groups = listOf(element['option_groups']).filter(isRecord);
  return [...listOf(element['options']), ...groups.flatMap((group) => listOf(group['options']))].filter(isRecord);
}

function present(element: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => name in element).map((name) => [name, element[name]]));
}
