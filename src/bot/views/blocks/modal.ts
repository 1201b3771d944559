/** Builds modals and parses their callback ids and private metadata. */
import type { KnownBlock, ModalView, PlainTextElement } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../shared/block-kit/limits.ts';
import { validateBlocks } from '../../../shared/block-kit/validate.ts';
import { parseJson, readRecord } from '../../../shared/json.ts';
import { markup } from '../format/mrkdwn.ts';
import { counted } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { context } from './blocks.ts';
import { asLists } from './list-variant.ts';

export type Modal = {
  /** At most 24 characters; so are the labels of both buttons. */
  readonly title: string;
  /** The submit button, and the word of the command whose form handles it; null without one. */
  readonly submit: { readonly label: string; readonly command: string } | null;
  readonly close: string;
  readonly blocks: readonly KnownBlock[];
  /**
   * Returned with the submission and validated as strictly as typed values: it comes from the person's own machine.
   * Never a secret; at most 2,900 characters in all.
   */
  readonly carries?: Carried;
};

export type Carried = Readonly<Record<string, string>>;

/** Prefix of every form's callback id; the word of its command follows. */
const callbackPrefix = 'cmd:';
export const formCallbackPattern = new RegExp(`^${callbackPrefix}`);

/** @returns the word of the command that handles a submission; undefined for another callback id */
export function parseCallbackId(id: string): string | undefined {
  return id.startsWith(callbackPrefix) ? id.slice(callbackPrefix.length) : undefined;
}

/**
 * The view for Slack's API. @throws Error if it carries more than Slack accepts: a truncated text would be another one
 * @param channelId channel in which the modal was opened. It returns with the submission, from the person's own machine, so only a
 *   message for the same person may depend on it
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

/** @param metadata of any view; it is not trusted @returns the carried values */
export function parseMetadata(metadata: string): { readonly channelId: unknown; readonly carries: Carried } {
  if (!metadata.startsWith('{')) return { channelId: metadata, carries: {} };
  const { channelId, carries } = readRecord(parseJson(metadata));
  const all: readonly (readonly [string, unknown])[] = Object.entries(Object(carries));
  const texts = all.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  return { channelId, carries: Object.fromEntries(texts) };
}

/** Plain text, for fields without markup. */
export function plainTextElement(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: outsideLine(text, max), emoji: false };
}

/** Leaves out buttons and menus, which would belong to no message. */
export function modalBlocks(blocks: readonly MessageBlock[]): readonly KnownBlock[] {
  const shown = asLists(blocks).filter(({ type }) => type !== 'actions');
  const fitting = shown.filter((block) => validateBlocks([block], 'modal').length === 0);
  const left = shown.length - fitting.length;
  return left === 0 ? fitting : [...fitting, context([markup`${counted(left, 'part')} cannot be shown here.`])];
}
