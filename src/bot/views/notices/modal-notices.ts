/** Modals without inputs: loading, checking, done and failed. */
import type { KnownBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { actions } from '../blocks/blocks.ts';
import { commandButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import type { Modal } from '../blocks/modal.ts';
import { emoji, paragraph, plain, rich, trusted } from '../blocks/rich-text.ts';
import { outsideLine } from '../format/outside-text.ts';

/** Opened while a form is being made: a trigger_id expires after three seconds. */
export function loadingModal(): Modal {
  return notice('One moment', [paragraph([trusted('Loading…')])]);
}

/** In the place of a form whose answer Slack does not wait for. */
export function checkingModal(): Modal {
  const words = 'This takes a little longer. The answer appears here; if you close this window, it comes as a message.';
  return notice('Checking…', [paragraph([trusted(words)])]);
}

/** For a form that came a second time, while the first is still being handled. */
export function sentAlreadyModal(): Modal {
  const words = 'This form was sent a moment ago already, and counts once. You can close this window.';
  return notice('Sent already', [paragraph([trusted(words)])]);
}

/** A message in a window; its buttons are left out, for there is no message that they could answer to. */
export function messageModal({ blocks }: Message): Modal {
  return notice(
    'Workflow Bot',
    blocks.filter(({ type }) => type !== 'actions'),
  );
}

/** A window's words as a message, for when the window is not there any more. */
export function modalMessage({ title, blocks }: Modal): Message {
  const shown = blocks.filter(({ type }) => type !== 'input').slice(0, limits.message.blocksMax);
  return message(shown.length > 0 ? shown : [paragraph([plain(title)])]);
}

/** For where no window can be opened: in a message that the bot was sent, or too long after a press. @param line opens it */
export function modalButtonMessage({ title }: Modal, line: string): Message {
  return message([
    paragraph([trusted('This is filled in in a window of its own. Press the button to open it.')]),
    actions([commandButton({ label: title, line, mode: 'open', style: 'primary' })]),
  ]);
}

/** @returns the form, with a line on top that says that words typed after its command were dropped */
export function withUnreadNote(form: Modal): Modal {
  const words =
    'I have not read what you typed after the command. If it was a key, make a new one: others may have seen it.';
  return { ...form, blocks: [paragraph(rich`${emoji('information_source')} ${trusted(words)}`), ...form.blocks] };
}

const errorUnitsMax = 300;

/** As Slack shows them beside inputs. */
export function plainErrors(errors: Errors): Errors {
  return Object.fromEntries(Object.entries(errors).map(([id, error]) => [id, outsideLine(error, errorUnitsMax)]));
}

/**
 * What is wrong, on top of the form, for when Slack shows no errors beside inputs any more.
 * @param form null where there is none to go on with
 */
export function withErrors(form: Modal | null, errors: Errors): Modal {
  const shown = Object.values(errors).map((error) =>
    paragraph(rich`${emoji('warning')} ${plain(error, errorUnitsMax)}`),
  );
  return form ? { ...form, blocks: [...shown, ...form.blocks] } : notice('Not done', shown);
}

/** By the id of an input. */
type Errors = Readonly<Record<string, string>>;

/** For a form that would have closed, had it still been asked. */
export function doneModal(): Modal {
  return notice('Done', [paragraph([trusted('It is done.')])]);
}

function notice(title: string, blocks: readonly KnownBlock[]): Modal {
  return { title, submit: null, close: 'Close', blocks };
}
