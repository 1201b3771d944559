/** Shortens a message to the length that Slack takes where it is posted, and says what is left out and how to see it. */
import type { ActionsBlock, RichTextBlock, RichTextElement, StaticSelect } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { blockUnits, postedUnits } from '../../../shared/block-kit/posted-units.ts';
import { counted } from '../format/number.ts';
import { refreshLine } from './command-button.ts';
import { type Message, message } from './message.ts';
import { code, paragraph, rich, trusted } from './rich-text.ts';

const nouns = ['row', 'line', 'step', 'choice', 'part'] as const;
type Noun = (typeof nouns)[number];

/** A block, or an element of one, as items of which the first ones can be kept. */
type Itemized<Whole> = {
  readonly noun: Noun;
  /** UTF-16 units of each item. */
  readonly units: readonly number[];
  readonly keep: (items: number) => Whole;
};

/** @param firstAt index of the first shortened block; the number of blocks if none is */
type Shortened = {
  readonly blocks: readonly MessageBlock[];
  readonly leftOut: Readonly<Record<Noun, number>>;
  readonly firstAt: number;
};

const { safePostedUnitsMax, blocksMax } = limits.message;
/** For the note, and a line that counts masked values. */
const notesUnitsMax = 850;
const budgetUnits = safePostedUnitsMax - notesUnitsMax;
/** A longer one is not shown: a truncated command would be another command. */
const lineUnitsMax = 250;
/** Shorter blocks stay whole if the longer ones can be shortened enough. */
const longUnitsMin = 600;

/** @param slashCommand such as `/workflow` @returns the message itself if it fits */
export function fitMessage(original: Message, slashCommand: string): Message {
  if (postedUnits(original.blocks) <= safePostedUnitsMax) return original;
  const { blocks, leftOut, firstAt } = withoutLast(shortenLong(original.blocks));
  // Not even one block fits. The text counts its missing lines itself.
  if (blocks.every(({ type }) => type === 'actions')) return { text: original.text, blocks: [] };
  const line = original.line ?? refreshLine(original.blocks) ?? '';
  const isShown = line !== '' && line.length <= lineUnitsMax;
  // The answer to a typed command is not posted, so it is not shortened.
  const whole = isShown ? rich` To see the whole answer, type ${code(`${slashCommand} ${line}`)}.` : [];
  const note = paragraph(rich`${trusted(leftOutSentence(leftOut))}${whole}`);
  const at = Math.min(firstAt + 1, blocks.length);
  return message([...blocks.slice(0, at), note, ...blocks.slice(at)]);
}

/** Adjacent texts without a style as one: shorter, and the same to read. */
export function withMergedTexts(blocks: readonly MessageBlock[]): readonly MessageBlock[] {
  return blocks.map((block) =>
    block.type === 'rich_text' ? { ...block, elements: block.elements.map(mergedElement) } : block,
  );
}

function mergedElement<One extends Element>(element: One): One {
  if (element.type === 'rich_text_list') return { ...element, elements: element.elements.map(mergedElement) };
  if (element.type !== 'rich_text_section') return element;
  const merged: RichTextElement[] = [];
  for (const leaf of element.elements) {
    const last = merged.at(-1);
    const isOne = last?.type === 'text' && leaf.type === 'text' && !last.style && !leaf.style;
    merged.splice(isOne ? -1 : merged.length, 1, isOne ? trusted(last.text + leaf.text) : leaf);
  }
  return { ...element, elements: merged };
}

function leftOutSentence(leftOut: Shortened['leftOut']): string {
  const most = nouns.filter((noun) => leftOut[noun] > 0);
  // A menu offers what is shown, so its choices count only by themselves.
  const named = most.length > 1 ? most.filter((noun) => noun !== 'choice') : most;
  const [first] = named;
  const isOne = named.length === 1 && first !== undefined && leftOut[first] === 1;
  const parts = named.map((noun) => counted(leftOut[noun], noun));
  return `${listFormat.format(parts)} ${isOne ? 'is' : 'are'} left out, because Slack limits the length of a posted message like this one.`;
}

const listFormat = new Intl.ListFormat('en-GB');

/** Shortens each long block by the same share. */
function shortenLong(blocks: readonly MessageBlock[]): Shortened {
  const lists = blocks.map((block) => (blockUnits(block) < longUnitsMin ? undefined : itemize(block)));
  const items = lists.map((list) => (list?.units.length === 1 ? undefined : list));
  const itemUnits = sum(items.flatMap((one) => one?.units ?? []));
  const share = Math.max(0, budgetUnits - (postedUnits(blocks) - itemUnits)) / itemUnits;
  const leftOut = { row: 0, line: 0, step: 0, choice: 0, part: 0 };
  let firstAt = blocks.length;
  const shortened = blocks.map((block, at) => {
    const itemized = items[at];
    if (!itemized) return block;
    const kept = fitting(itemized.units, sum(itemized.units) * share);
    if (kept === itemized.units.length) return block;
    leftOut[itemized.noun] += itemized.units.length - kept;
    firstAt = Math.min(firstAt, at);
    return itemized.keep(kept);
  });
  return { blocks: shortened, leftOut, firstAt };
}

/** Leaves out blocks from the end, but not the last buttons, until the message fits. */
function withoutLast(shortened: Shortened): Shortened {
  const { blocks, leftOut } = shortened;
  const buttons = blocks.at(-1)?.type === 'actions' ? blocks.slice(-1) : [];
  const others = blocks.slice(0, blocks.length - buttons.length);
  const most = budgetUnits - postedUnits(buttons);
  const fit = Math.min(others.length, blocksMax - 1 - buttons.length, fitting(others.map(blockUnits), most, 0));
  const part = others.length - fit;
  if (part === 0) return shortened;
  return {
    blocks: [...others.slice(0, fit), ...buttons],
    leftOut: { ...leftOut, part },
    firstAt: Math.min(shortened.firstAt, fit - 1),
  };
}

/** @returns the number of first items that fit into `unitsMax`, at least `min` */
function fitting(units: readonly number[], unitsMax: number, min = 1): number {
  let total = 0;
  const at = units.findIndex((one) => {
    total += one;
    return total > unitsMax;
  });
  return at < 0 ? units.length : Math.max(min, at);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** @returns undefined for a block that can only be left out as a whole */
function itemize(block: MessageBlock): Itemized<MessageBlock> | undefined {
  switch (block.type) {
    case 'table': {
      const [header = [], ...rows] = block.rows;
      return { ...listOf('row', rows), keep: (count) => ({ ...block, rows: [header, ...rows.slice(0, count)] }) };
    }
    case 'plan': {
      const { tasks = [] } = block;
      return { ...listOf('step', tasks), keep: (count) => ({ ...block, tasks: tasks.slice(0, count) }) };
    }
    case 'rich_text':
      return richTextItems(block);
    case 'actions':
      return menuItems(block);
    default:
      return undefined;
  }
}

function listOf(noun: Noun, items: readonly unknown[]) {
  return { noun, units: items.map((item) => JSON.stringify(item).length + 1) };
}

/** Lines of its elements, in order. */
function richTextItems(block: RichTextBlock): Itemized<RichTextBlock> {
  const parts = block.elements.map(elementItems);
  return {
    noun: 'line',
    units: parts.flatMap(({ units }) => units),
    keep: (count) => {
      let left = count;
      const elements = parts.flatMap(({ units, keep }) => {
        const kept = Math.min(left, units.length);
        left -= kept;
        return kept === 0 ? [] : [keep(kept)];
      });
      return { ...block, elements };
    },
  };
}

type Element = RichTextBlock['elements'][number];

function elementItems(element: Element): Itemized<Element> {
  if (element.type === 'rich_text_list') {
    const { elements } = element;
    return { ...listOf('line', elements), keep: (count) => ({ ...element, elements: elements.slice(0, count) }) };
  }
  const [leaf] = element.elements;
  if (element.type === 'rich_text_preformatted' && leaf?.type === 'text' && element.elements.length === 1) {
    const lines = leaf.text.split('\n');
    const keep = (count: number) => ({ ...element, elements: [{ ...leaf, text: lines.slice(0, count).join('\n') }] });
    return { ...listOf('line', lines), keep };
  }
  return { ...listOf('line', [element]), keep: () => element };
}

/** The options of its longest menu. */
function menuItems(block: ActionsBlock): Itemized<ActionsBlock> | undefined {
  const menus = block.elements.filter((element): element is StaticSelect => element.type === 'static_select');
  const length = ({ options = [] }: StaticSelect) => options.length;
  const longest = menus.sort((one, other) => length(other) - length(one))[0];
  if (!longest?.options) return undefined;
  const { options } = longest;
  return {
    ...listOf('choice', options),
    keep: (count) => {
      const shorter = { ...longest, options: options.slice(0, count) };
      return { ...block, elements: block.elements.map((element) => (element === longest ? shorter : element)) };
    },
  };
}
