/** Each request is acknowledged once and in time. */
import { expect, test } from 'vitest';
import { Acknowledgements } from '../../../../../src/bot/slack/inbound/middleware/acknowledgement.ts';
import { limits } from '../../../../../src/shared/block-kit/limits.ts';
import { testRuntime } from '../../../../support/bot/runtime.ts';
import { createMemoryLog } from '../../../../support/runner/memory-log.ts';

function start(limitMs: number) {
  const { log, text } = createMemoryLog();
  const acknowledgements = new Acknowledgements(testRuntime(Date.now, log), limitMs);
  const acks: string[] = [];
  const open = (name: string) => {
    const done = Promise.withResolvers<void>();
    const acknowledgement = acknowledgements.open<{ readonly text: string }>(async (payload) => {
      acks.push(`${name}: ${payload?.text ?? 'empty'}`);
      done.resolve();
    });
    return { ...acknowledgement, done: done.promise };
  };
  return { open, flush: () => acknowledgements.flush(), acks, text };
}

test('a request without an answer is acknowledged at its own deadline', async () => {
  const { open, acks } = start(20);
  const first = open('first');
  const answered = open('answered');
  expect(await answered.ackWith({ text: 'in time' })).toBe(true);
  await first.done;
  await open('later').done;
  expect(acks).toEqual(['answered: in time', 'first: empty', 'later: empty']);
});

test('an answer after the acknowledgement has to be sent by another call', async () => {
  const { open, acks } = start(60_000);
  const { ack, ackWith } = open('one');
  ack();
  ack();
  expect([await ackWith({ text: 'late' }), acks]).toEqual([false, ['one: empty']]);
});

test('a flush acknowledges all pending requests', async () => {
  const { open, flush, acks } = start(60_000);
  const both = [open('one'), open('two')];
  flush();
  await Promise.all(both.map(({ done }) => done));
  expect(acks).toEqual(['one: empty', 'two: empty']);
});

test('an acknowledgement that cannot be sent is logged and did not ackWith the answer', async () => {
  const { log, text } = createMemoryLog();
  const acknowledgements = new Acknowledgements(testRuntime(Date.now, log), 60_000);
  const { ackWith } = acknowledgements.open(async () => {
    throw new Error('the socket is gone');
  });
  expect(await ackWith({ text: 'x' })).toBe(false);
  expect(text()).toContain('the socket is gone');
});

test('an answer that is too large for an acknowledgement has to be sent by another call', async () => {
  const { open, acks } = start(60_000);
  const fits = { text: 'x'.repeat(limits.socket.acknowledgementBytesMax - '{"text":""}'.length) };
  expect(await open('one').ackWith({ text: `${fits.text}x` })).toBe(false);
  expect(await open('two').ackWith({ text: 'я'.repeat(4_000) })).toBe(false);
  expect(acks).toEqual(['one: empty', 'two: empty']);
  expect(await open('three').ackWith(fits)).toBe(true);
});
