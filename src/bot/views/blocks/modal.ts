/** Builds modals and parses what Slack sends back: callback ids and private metadata. */
import type { KnownBlock, ModalView, PlainTextElement, TableBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { validateBlocks } from '../../../shared/block-kit/validate.ts';
import { markup } from '../format/mrkdwn.ts';
import { counted } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { context, section } from './blocks.ts';
import { blockText } from './message.ts';

export type Modal = {
  /** At most 24 characters, as the labels of both buttons. */
  readonly title: string;
  /** The button that submits, and the word of the command whose form takes it; null where there is nothing to submit. */
  readonly submit: { readonly label: string; readonly command: string } | null;
  readonly close: string;
  readonly blocks: readonly KnownBlock[];
  /**
   * Comes back with what is submitted, as if it had been filled in, and is read as strictly: it comes from the person's own
   * machine. Never a secret; all of it together at most 2,900 characters.
   */
  readonly carries?: Carried;
};

export type Carried = Readonly<Record<string, string>>;

/** Every form's callback id begins like this, and ends with the word of its command. */
const callbackPrefix = 'cmd:';
export const formCallbackPattern = new RegExp(`^${callbackPrefix}`);

/** @returns the word of the command that takes a submission; undefined for a callback id that was not made here */
export function parseCallbackId(id: string): string | undefined {
  return id.startsWith(callbackPrefix) ? id.slice(callbackPrefix.length) : undefined;
}

/**
 * As Slack takes it. @throws Error where it carries more than Slack does: a cut text would be another one
 * @param channelId where the modal was opened: comes back with what is submitted, from the person's own machine, so nothing
 *   but a message for that very person may depend on it
 */
export function modalView({ title, submit, close, blocks, carries }: Modal, channelId?: string): ModalView {
  const { titleUnitsMax, buttonUnitsMax, blocksMax } = limits.view;
  const metadata = carries ? JSON.stringify({ ...(channelId !== undefined && { channelId }), carries }) : channelId;
  if (metadata !== undefined && metadata.length > limits.view.metadataUnitsMax) {
    throw new Error(`A modal cannot carry ${metadata.length} characters.`);
  }
  return {
    type: 'modal',
    title: plainTextElement(title, titleUnitsMax),
    ...(submit && {
      callback_id: `${callbackPrefix}${submit.command}`,
      submit: plainTextElement(submit.label, buttonUnitsMax),
    }),
    close: plainTextElement(close, buttonUnitsMax),
    blocks: blocks.slice(0, blocksMax),
    ...(metadata !== undefined && { private_metadata: metadata }),
  };
}

/** @param metadata of a view that `modalView` made, or of any other: nothing in it is believed @returns what it carries */
export function parseMetadata(metadata: string): { readonly channelId: unknown; readonly carries: Carried } {
  if (!metadata.startsWith('{')) return { channelId: metadata, carries: {} };
  const { channelId, carries } = parsedObject(metadata);
  const all: readonly (readonly [string, unknown])[] = Object.entries(Object(carries));
  const texts = all.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  return { channelId, carries: Object.fromEntries(texts) };
}

function parsedObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Words where Slack takes no markup. */
export function plainTextElement(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: outsideLine(text, max), emoji: false };
}

/** Buttons and menus are left out without a word: they would belong to no message. */
export function modalBlocks(blocks: readonly KnownBlock[]): readonly KnownBlock[] {
  const shown = blocks
    .filter(({ type }) => type !== 'actions')
    .map(withoutControls)
    .map((block) => (block.type === 'table' ? tableAsText(block) : block));
  const fitting = shown.filter((block) => validateBlocks([block], 'modal').length === 0);
  const left = shown.length - fitting.length;
  return left === 0 ? fitting : [...fitting, context([markup`${counted(left, 'part')} cannot be shown here.`])];
}

function withoutControls(block: KnownBlock): KnownBlock {
  if (block.type !== 'section' || block.accessory === undefined || block.accessory.type === 'image') return block;
  const { accessory: _, ...section } = block;
  return section;
}

function tableAsText(block: TableBlock): KnownBlock {
  return section({ mrkdwn: blockText(block) });
}
