/** The elements of a message or a view that a person can work, found by their ids, and the state of them all. */
import type { AnyBlock, PlainTextOption } from '@slack/types';
import type { ElementState, Entered } from '../page/protocol.ts';
import { type Fields, isRecord, textField } from '../server/json.ts';
import { chosenState, initialState } from './chosen.ts';

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
