/** Modals without inputs: loading, checking, done and failed. */
import type { KnownBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { actions } from '../blocks/blocks.ts';
import { commandButton } from '../blocks/command-button.ts';
import { asLists } from '../blocks/list-variant.ts';
import { type Message, message } from '../blocks/message.ts';
import type { Modal } from '../blocks/modal.ts';
import { emoji, paragraph, plain, rich, trusted } from '../blocks/rich-text.ts';
import { outsideLine } from '../format/outside-text.ts';

/** Opened while a form is built: a trigger_id expires after three seconds. */
export const loadingModal = notice('One moment', [paragraph([trusted('Loading…')])]);

/** Replaces a form while its submission is handled: Slack does not wait for it. */
export const checkingModal = notice('Checking…', [
  paragraph([trusted('Still checking. If you close this form, the bot sends you the result as a message.')]),
]);

/** For a second submission while the first is still being handled. */
export const sentAlreadyModal = notice('Already submitted', [paragraph([trusted('You can close this form.')])]);

/** A message as a modal, without its buttons: there is no message that they could act on. */
export function messageModal({ blocks }: Message): Modal {
  return notice(
    'Workflow Bot',
    asLists(blocks).filter(({ type }) => type !== 'actions'),
  );
}

/** A modal's text as a message, for a modal that is closed. */
export function modalMessage({ title, blocks }: Modal): Message {
  const shown = blocks.filter(({ type }) => type !== 'input').slice(0, limits.message.blocksMax);
  return message(shown.length > 0 ? shown : [paragraph([plain(title)])]);
}

/** If no modal can be opened: after a message to the bot, or too long after a press. @param line opens it */
export function modalButtonMessage({ title }: Modal, line: string): Message {
  return message([
    paragraph([trusted('Press the button to open the form.')]),
    actions([commandButton({ label: title, line, mode: 'open', style: 'primary' })]),
  ]);
}

/** @returns the form with a line on top: the words typed after its command were dropped */
export function withUnreadNote(form: Modal): Modal {
  const words =
    'The bot did not read what you typed after the command. If it was a key, revoke it now and create a new one: others may have seen it.';
  return { ...form, blocks: [paragraph(rich`${emoji('information_source')} ${trusted(words)}`), ...form.blocks] };
}

const errorUnitsMax = 300;

/** Errors that Slack shows beside inputs. */
export function plainErrors(errors: Errors): Errors {
  return Object.fromEntries(Object.entries(errors).map(([id, error]) => [id, outsideLine(error, errorUnitsMax)]));
}

/**
 * Errors on top of the form, if it is too late to show them beside inputs.
 * @param form null if it cannot be shown again
 */
export function withErrors(form: Modal | null, errors: Errors): Modal {
  const shown = Object.values(errors).map((error) =>
    paragraph(rich`${emoji('warning')} ${plain(error, errorUnitsMax)}`),
  );
  return form ? { ...form, blocks: [...shown, ...form.blocks] } : notice('Not done', shown);
}

/** Keyed by the id of an input. */
type Errors = Readonly<Record<string, string>>;

/** For a form whose submission succeeded too late to close it. */
export const doneModal = notice('Done', [paragraph([trusted('You can close this form.')])]);

function notice(title: string, blocks: readonly KnownBlock[]): Modal {
  return { title, submit: null, close: 'Close', blocks };
}
