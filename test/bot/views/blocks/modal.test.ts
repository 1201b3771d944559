/** Slack accepts forms and modals with any content. */
import { describe, expect, test } from 'vitest';
import { checkboxesInput, selectInput, textInput } from '../../../../src/bot/views/blocks/inputs.ts';
import { message } from '../../../../src/bot/views/blocks/message.ts';
import { type Modal, modalView, parseCallbackId, parseMetadata } from '../../../../src/bot/views/blocks/modal.ts';
import { paragraph, plain } from '../../../../src/bot/views/blocks/rich-text.ts';
import * as notices from '../../../../src/bot/views/notices/modal-notices.ts';
import { validateView } from '../../../../src/shared/block-kit/validate.ts';

const long = 'x'.repeat(5_000);
const choices = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ label: `${index} ${long}`, value: `v${index}`, description: long }));
const form: Modal = {
  title: long,
  submit: { label: long, command: 'connect' },
  close: long,
  blocks: [
    textInput({ id: 'text', label: long, hint: long, placeholder: long, initial: 'x', hasFocus: true }),
    selectInput({ id: 'choice', label: 'One of many', choices: choices(150), initial: 'v120' }),
    checkboxesInput({
      id: 'ticks',
      label: 'Some of many',
      choices: choices(20),
      initial: ['v1', 'v15'],
      isOptional: true,
    }),
  ],
};
const problem = message([paragraph([plain('No.')])]);

describe('a modal', () => {
  test.each<[string, Modal]>([
    ['with more and longer inputs than Slack accepts', form],
    ['with errors on top', notices.withErrors(form, { text: long, choice: long })],
    ['with errors alone', notices.withErrors(null, { text: long })],
    ['while it is built', notices.loadingModal],
    ['while it is checked', notices.checkingModal],
    ['when it is done', notices.doneModal],
    ['that is a message', notices.messageModal(notices.modalButtonMessage({ ...form, title: 'Connect' }, 'connect'))],
  ])('%s is within Slack’s limits', (_what, modal) => {
    expect(validateView(modalView(modal, 'C1'), 'modal')).toEqual([]);
  });

  test('has a callback id that names its command, and a plain command name is none', () => {
    expect(parseCallbackId(modalView(form).callback_id ?? '')).toBe('connect');
    expect(parseCallbackId('connect')).toBeUndefined();
    expect(modalView(notices.messageModal(problem))).not.toHaveProperty('callback_id');
  });

  test('has only the channel as metadata, and no input', () => {
    expect(modalView(form, 'C1').private_metadata).toBe('C1');
    expect(modalView(form)).not.toHaveProperty('private_metadata');
  });

  test('returns its carried texts and the channel, and ignores other metadata', () => {
    const carries = { step: 'save', filled: '{"a":"<!channel>"}' };
    const { private_metadata: metadata = '' } = modalView({ ...form, carries }, 'C1');
    expect(parseMetadata(metadata)).toEqual({ channelId: 'C1', carries });
    expect(parseMetadata('C1')).toEqual({ channelId: 'C1', carries: {} });
    const odd = ['{', '{"carries":[1]}', '{"carries":{"plan":{"a":1}}}', '{"carries":null}'];
    for (const metadata of odd) expect(parseMetadata(metadata).carries).toEqual({});
  });

  test('refuses metadata that Slack would cut', () => {
    expect(() => modalView({ ...form, carries: { plan: 'x'.repeat(3_000) } })).toThrow('cannot carry');
  });
});

test('an input of a new round has another element under the same id', () => {
  const [before, after] = [1, 2].map((round) => textInput({ id: 'key', label: 'Key', round }));
  expect(after).toMatchObject({ block_id: before?.block_id });
  expect(after?.element).not.toMatchObject({ action_id: before?.element.action_id });
});

test('an error beside an input is inert', () => {
  expect(notices.plainErrors({ key: `<!channel>\u202e${long}` })['key']).toMatch(/^<!channel>x+…$/);
});

test('a closed modal becomes a message without its inputs', () => {
  expect(notices.modalMessage(notices.withErrors(form, { text: 'Too long.' })).text).toBe(':warning: Too long.');
  expect(notices.modalMessage({ ...form, title: 'Connect' }).text).toBe('Connect');
});
