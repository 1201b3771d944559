/** One cause of a digest, in its thread. */
import { expect, test } from 'vitest';
import type { ShownCause } from '../../../../src/bot/views/digest/facts.ts';
import { digestCauseMessage } from '../../../../src/bot/views/digest/replies.ts';
import { digestFacts, tallyOf } from '../../../support/bot/digest-facts.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';

function shown(many: number, overrides: Partial<ShownCause> = {}): ShownCause {
  const [cause] = digestFacts(tallyOf(many, 1)).shown;
  if (!cause) throw new Error('no cause');
  return { ...cause, ...overrides };
}

test('a cause has its count, workflows, fault and error text', () => {
  const { text, blocks } = digestCauseMessage(shown(1));
  expectGoodMessage({ text, blocks });
  expect(text).toContain('\nnew, classified as the workflow’s fault');
  expect(text).toContain('“call to the amberamberamber service was refused: permission denied”');
  expect(text).toContain('• 2 times in this digest, from ');
  expect(text).toContain('• In workflow-0-with-a-name-of-some-length');
});

test('a cause in 5,000 workflows names the first few and counts the rest', () => {
  const message = digestCauseMessage(shown(5000));
  expectGoodMessage(message);
  expect(message.text).toContain(' (2) and 4995 more');
});

test('an error of a hundred thousand characters fits', () => {
  const sample = { ...shown(1).sample, errors: [{ error: 'x <!here> '.repeat(10_000), count: 1 }] };
  expectGoodMessage(digestCauseMessage(shown(1, { sample })));
});

test('a failure without an error text says so', () => {
  const sample = { ...shown(1).sample, errors: [] };
  expect(digestCauseMessage(shown(1, { sample })).text).toContain('The platform kept no error text.');
});

test('the buttons of a cause open its newest failure, for everybody and in private', () => {
  const buttons = digestCauseMessage(shown(1)).blocks.flatMap((block) =>
    block.type === 'actions' ? block.elements : [],
  );
  expect(buttons).toMatchObject([
    { type: 'button', value: expect.stringMatching(/^execution e-\d$/) },
    { type: 'button', value: expect.stringMatching(/^execution e-\d --private$/) },
  ]);
});
