/** One deadline for everything that an answer asks, over a service that freezes, is slow, or dies in the middle. */
import { describe, expect, it } from 'vitest';
import { waitingTimes } from '../../../../src/bot/slack/waiting-times.ts';
import type { Message } from '../../../../src/bot/views/blocks/message.ts';
import { sampleNow } from '../../../support/bot/commands.ts';
import { startControl } from '../../../support/runner/control.ts';
import { type Behaviour, reset } from '../../../support/service/hostile-http.ts';
import { after, dying, frozen, type Line, useSlowService } from '../../../support/service/slow-service.ts';

const deadlineMs = 8_000;
/** Well after the deadline, and well before a second request of a slow service would end. */
const endedMs = deadlineMs + 5_000;
const service = useSlowService(() => sampleNow);

let people = 0;

/** @returns the answer's text, its notes, and whether it came in time */
async function timed({ commands }: Line, line: string) {
  people += 1;
  const [deadline, end] = [startControl(deadlineMs), startControl(endedMs)];
  const notes: string[] = [];
  const request = { line, actor: { teamId: 'T1', userId: `U${people}`, channelId: 'C1' }, isFresh: false };
  const answer = await commands.dispatch(request, ({ text }: Message) => void notes.push(text));
  const text = answer.kind === 'message' ? answer.message.text : JSON.stringify(answer);
  return { line, text, notes, answer, isEarly: !deadline.isOver(), isInTime: !end.isOver() };
}

const lines = ['status payments', 'list', 'executions payments', 'logs payments', 'account'];

/** Each command has its own connection, so that none shares another's request. */
const answersOver = (behaviour: () => Behaviour) =>
  Promise.all(lines.map(async (line) => timed(await service().open(behaviour()), line)));

/** The first request is answered. */
function healthyOnce(then: Behaviour): Behaviour {
  let isFirst = true;
  return (request, response) => {
    const behaviour = isFirst ? service().healthy : then;
    isFirst = false;
    return behaviour(request, response);
  };
}

describe.concurrent('a slow service', () => {
  it('that never answers: notes with the seconds that passed, and an end at the deadline that the answer names', async () => {
    for (const { line, text, notes, isInTime } of await answersOver(() => frozen)) {
      expect(text, line).toContain('did not answer within 8 s');
      const seconds = notes.map((note) => Number(/Still asking the query service \((\d+) s\)/.exec(note)?.[1]));
      // People expect an answer within 3 s; a busy machine adds to the time of the first note.
      expect(waitingTimes.noteAfterMs).toBeLessThanOrEqual(2_000);
      expect(seconds[0], line).toBeGreaterThanOrEqual(2);
      expect(seconds[0], line).toBeLessThan(seconds.at(-1) ?? 0);
      expect(seconds.at(-1), line).toBeGreaterThanOrEqual(5);
      expect(isInTime, line).toBe(true);
    }
  });

  it('that stops answering in the middle: an end at the same deadline', async () => {
    for (const { line, isInTime } of await answersOver(() => healthyOnce(frozen))) {
      expect(isInTime, line).toBe(true);
    }
  });

  it('that takes 7 s for each request: an end at the same deadline', async () => {
    for (const { line, isInTime } of await answersOver(() => after(7_000, service().healthy))) {
      expect(isInTime, line).toBe(true);
    }
  });

  it('that takes 6 s for each request: “Try again” continues with what came meanwhile', async () => {
    const slow = await service().open(after(6_000, service().healthy));
    const first = await timed(slow, 'status payments');
    expect(first.text).toContain('did not answer within 8 s');
    expect(JSON.stringify(first.answer)).toContain('cmd:replace:status payments');
    const second = await timed(slow, 'status payments');
    expect(second.text).toMatch(/payments/);
    expect(second.answer).not.toHaveProperty('isProblem');
  });

  it('has its older answer shown with its time and its age', async () => {
    let now = sampleNow;
    const slow = await service().open(service().healthy, () => now);
    await timed(slow, 'account');
    now += 25 * 60_000;
    slow.behaveAs(frozen);
    const { text, isInTime } = await timed(slow, 'account');
    expect(text).toMatch(
      /^:warning: This answer is 25 min old, as of .*2026-11-21 10:30 UTC.*: the query service (?:is|has been) unresponsive/,
    );
    expect(isInTime).toBe(true);
  });
});

describe('a service that has stopped answering', () => {
  it.each(['logs payments', 'timeline payments'])(
    'has the age of its newest run in the first line: %s',
    async (line) => {
      let now = sampleNow;
      const slow = await service().open(service().healthy, () => now);
      await timed(slow, line);
      now += 25 * 60_000;
      slow.behaveAs(frozen);
      expect((await timed(slow, line)).text).toMatch(/^:warning: This answer is 25 min old, as of/);
    },
  );
});

describe('a service that is known to be away', () => {
  it('is not waited for, whether there is an older answer or not', async () => {
    let now = sampleNow;
    const slow = await service().open(service().healthy, () => now);
    for (const line of lines) await timed(slow, line);
    slow.behaveAs(reset);
    for (const line of ['status settlement', 'status fx-rates']) {
      now += 25 * 60_000;
      await timed(slow, line);
      now += 10_000;
      await timed(slow, line);
    }
    slow.behaveAs(frozen);
    for (const line of lines) {
      const { text, isEarly } = await timed(slow, line);
      expect(text, line).toMatch(
        /^:warning: This answer is 50 min old, as of .*: the query service has been \w+ since/,
      );
      expect(isEarly, line).toBe(true);
    }
    const unknown = await timed(slow, 'status risk-model');
    expect(unknown.text).toMatch(/it cannot be reached\.\nFailing since/);
    expect(unknown.isEarly).toBe(true);
  });
});

describe('a service that dies in the middle of its answers', () => {
  it('is named as the reason before the deadline', async () => {
    for (const { line, text, isEarly } of await answersOver(() => dying)) {
      expect(text, line).toContain('it cannot be reached');
      expect(isEarly, line).toBe(true);
    }
  });
});

describe('a service at its usual speed', () => {
  it('has no note if the answer comes before one is due', async () => {
    const healthy = await service().open(service().healthy);
    for (;;) {
      const due = startControl(waitingTimes.noteAfterMs);
      const { notes } = await timed(healthy, 'status payments');
      // An answer that took longer on a busy machine says nothing.
      if (due.isOver()) continue;
      expect(notes).toEqual([]);
      return;
    }
  });
});
