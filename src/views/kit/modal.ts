/** A modal: a window over Slack that says something, or in which a person fills in what a command then takes. */
import type { KnownBlock, ModalView, PlainTextElement } from '@slack/types';
import { outsideLine } from '../format/outside.ts';
import { limits } from './limits.ts';

export type Modal = {
  /** At most 24 characters, as the labels of both buttons. */
  readonly title: string;
  /** The button that submits, and the word of the command whose form takes it; null where there is nothing to submit. */
  readonly submit: { readonly label: string; readonly command: string } | null;
  readonly close: string;
  readonly blocks: readonly KnownBlock[];
};

/** Every form's callback id begins like this, and ends with the word of its command. */
const callbackPrefix = 'cmd:';
export const formCallbackPattern = new RegExp(`^${callbackPrefix}`);

/** @returns the word of the command that takes a submission; undefined for a callback id that was not made here */
export function parseCallbackId(id: string): string | undefined {
  return id.startsWith(callbackPrefix) ? id.slice(callbackPrefix.length) : undefined;
}

/**
 * As Slack takes it.
 * @param channelId where the modal was opened: comes back with what is submitted, from the person's own machine, so nothing
 *   but a message for that very person may depend on it
 */
export function modalView({ title, submit, close, blocks }: Modal, channelId?: string): ModalView {
  const { titleUnitsMax, buttonUnitsMax, blocksMax } = limits.view;
  return {
    type: 'modal',
    title: plainWords(title, titleUnitsMax),
    ...(submit && {
      callback_id: `${callbackPrefix}${submit.command}`,
      submit: plainWords(submit.label, buttonUnitsMax),
    }),
    close: plainWords(close, buttonUnitsMax),
    blocks: blocks.slice(0, blocksMax),
    ...(channelId !== undefined && { private_metadata: channelId }),
  };
}

/** Words where Slack takes no markup. */
export function plainWords(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: outsideLine(text, max), emoji: false };
}
