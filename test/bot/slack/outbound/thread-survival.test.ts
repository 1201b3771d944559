/** Threads survive crashes, restarts, failures of Slack and deleted messages. */

import { describe, expect, it } from 'vitest';
import { requiredScopes } from '../../../../src/bot/slack/installation/scopes.ts';
import type { Fault } from '../../../../src/local-slack/server/local-slack.ts';
import { channelId, personId } from '../../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../../support/slack/driver.ts';
import { droppedAnswer, httpStatus, rateLimited } from '../../../support/slack/faults.ts';
import { localSlack, webClient } from '../../../support/slack/local-slack.ts';
import {
  ada,
  ben,
  crashAndRestart,
  general,
  investigate,
  investigateOnce,
  noteAfter,
  refuseReplies,
  standing,
  startPassing,
  startStore,
  startThreadBot,
  texts,
  thread,
  wholeThread,
} from '../../../support/slack/threads.ts';

/** The lease of a thread, which a killed process still holds. */
const leaseMs = 30_000;

/** The next posts fail once `text` is posted. */
async function failAfter(slack: SlackDriver, text: string, fault: Fault) {
  await slack.nextMessage({ matches: (shown) => shown.viewer === null && shown.text === text });
  slack.fail('chat.postMessage', fault);
}

describe('a bot that is killed between Slack’s answer and recording it', () => {
  it.each(['Looking into it…', 'verdict first', 'logs first'])(
    'at “%s” is followed by one that adds the missing messages and duplicates none',
    async (text) => {
      const slack = await localSlack();
      const pass = await crashAndRestart(slack, { at: (shown) => shown.text === text });
      expect((await investigateOnce(slack)).text).toContain('The thread of payments, run e1 is being written');
      pass(leaseMs);
      expect((await investigate(slack)).text).toContain(
        'The details of payments, run e1 are in a thread here. Open the thread',
      );
      expect(texts(standing(slack))).toEqual(wholeThread);
    },
  );

  it('leaves that message twice in a channel whose history the bot may not read, and says so', async () => {
    const slack = await localSlack();
    const { botToken } = slack.addWorkspace([...requiredScopes]);
    const place = { user: personId('ada', 2), channel: channelId('general', 2) };
    const pass = await crashAndRestart(slack, { at: ({ text }) => text === 'verdict first', place, botToken });
    pass(leaseMs);
    await investigate(slack, place);
    const [root, ...replies] = wholeThread;
    expect(texts(standing(slack, place.channel, place.user))).toEqual([
      root,
      'verdict first',
      expect.stringMatching(/^verdict first\nPossibly a duplicate/),
      ...replies.slice(1),
    ]);
  });
});

describe('a Slack that fails between two replies', () => {
  it('with 429 is retried after a wait, and the thread is complete and in order', async () => {
    const slack = await localSlack();
    await startPassing(slack);
    const failing = failAfter(slack, 'verdict first', rateLimited(0));
    expect((await investigate(slack)).text).not.toContain('try again');
    await failing;
    expect(texts(standing(slack))).toEqual(wholeThread);
  });

  it.each<[string, Fault, number]>([
    ['with 500', httpStatus(500), 3],
    ['and loses its answer', droppedAnswer(), 4],
  ])(
    '%s is not retried automatically, and the person’s next request adds the missing messages',
    async (_, fault, stood) => {
      const slack = await localSlack();
      await startPassing(slack);
      const failing = failAfter(slack, 'verdict first', fault);
      expect((await noteAfter(slack)).text).toContain('try again to add the rest');
      await failing;
      expect(standing(slack)).toHaveLength(stood);
      expect((await investigate(slack)).text).not.toContain('try again');
      expect(texts(standing(slack)).sort()).toEqual([...wholeThread].sort());
    },
  );

  it('at its root is reported to the person, and leaves one thread in the end', async () => {
    const slack = await localSlack();
    await startPassing(slack);
    slack.fail('chat.postMessage', droppedAnswer());
    expect((await investigate(slack)).text).toMatch(/the thread of payments, run e1 may be missing/);
    await investigate(slack);
    expect(texts(standing(slack))).toEqual(wholeThread);
  });
});

describe('a Slack that lets no bot read the replies in channels', () => {
  const unsure = /Slack did not confirm all of the details/;

  it.each(['not_allowed_token_type', 'missing_scope', 'thread_not_found'])(
    'and says “%s” gets no reply twice after a crash, and the person reads that one may be missing',
    async (error) => {
      for (const at of ['verdict first', 'logs first']) {
        const slack = await localSlack();
        refuseReplies(slack, error);
        const pass = await crashAndRestart(slack, { at: ({ text }) => text === at });
        pass(leaseMs);
        expect((await investigate(slack)).text).toMatch(unsure);
        expect((await investigate(slack)).text).toMatch(unsure);
        expect(texts(standing(slack))).toEqual(wholeThread);
      }
    },
  );

  it('gets the whole thread after a crash at its root, which the history shows', async () => {
    const slack = await localSlack();
    refuseReplies(slack);
    const pass = await crashAndRestart(slack, { at: ({ text }) => text === 'Looking into it…' });
    pass(leaseMs);
    expect((await investigate(slack)).text).toContain('are in a thread here. Open the thread');
    expect(texts(standing(slack))).toEqual(wholeThread);
  });

  const file = { name: 'logs.txt', title: 'Logs', content: async () => Buffer.from('a line') };

  it.each<[string, Parameters<typeof thread>[0]]>([
    ['', {}],
    [' with a file', { file }],
  ])(
    'gets a reply again that it did not take, in a thread%s where it shows as many as are recorded',
    async (_, how) => {
      const slack = await localSlack();
      refuseReplies(slack);
      await startPassing(slack, { answer: () => thread(how) });
      const failing = failAfter(slack, 'verdict first', httpStatus(500));
      expect((await noteAfter(slack)).text).toContain('try again to add the rest');
      await failing;
      expect((await investigate(slack)).text).not.toMatch(/try again/);
      expect(
        texts(standing(slack))
          .filter((text) => text !== '')
          .sort(),
      ).toEqual([...wholeThread].sort());
    },
  );

  it('gets no reply again that it may have taken, nor one after which a person wrote', async () => {
    for (const fault of [droppedAnswer(), httpStatus(500)]) {
      const slack = await localSlack();
      refuseReplies(slack);
      await startPassing(slack);
      const failing = failAfter(slack, 'verdict first', fault);
      await noteAfter(slack);
      await failing;
      const threadTs = standing(slack)[0]?.ts ?? '';
      if (!fault.isCarriedOut) slack.say({ user: ben, channel: general, text: 'I look', threadTs });
      const before = texts(standing(slack));
      expect((await investigate(slack)).text).toMatch(unsure);
      expect(texts(standing(slack))).toEqual(before);
    }
  });

  it('shows by the time of the last reply that none followed it, also below those of others', async () => {
    const slack = await localSlack();
    refuseReplies(slack);
    await startPassing(slack);
    const isBegun = slack.nextMessage({ matches: ({ text }) => text === 'Looking into it…' });
    const failing = isBegun.then(({ ts }) => {
      slack.say({ user: ben, channel: general, text: 'I look', threadTs: ts });
      return failAfter(slack, 'timeline first', httpStatus(500));
    });
    expect((await noteAfter(slack)).text).toContain('try again to add the rest');
    await failing;
    expect((await investigate(slack)).text).not.toContain('try again');
    expect(texts(standing(slack)).filter((text) => wholeThread.includes(text))).toEqual(wholeThread);
  });
});

it('a bot that stops finishes a thread that it is writing', async () => {
  const slack = await localSlack();
  const { bot } = await startThreadBot(slack, await startStore(), { timing: { finishWithinMs: 60_000 } });
  const isBegun = slack.nextMessage({ matches: ({ text }) => text === 'verdict first' });
  const told = investigateOnce(slack).catch(() => undefined);
  await isBegun;
  await bot.stop();
  expect(texts(standing(slack))).toEqual(wholeThread);
  await told;
});

describe('a deleted message', () => {
  it('is posted again while the thread may still change', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore(), { answer: () => thread({ isFinal: false }) });
    await investigate(slack);
    const ts = standing(slack)[1]?.ts ?? '';
    await webClient(slack).chat.delete({ channel: general, ts });
    expect((await investigate(slack)).text).not.toContain('try again');
    expect(texts(standing(slack)).sort()).toEqual([...wholeThread].sort());
  });

  it('that was the root of a finished thread causes a new thread', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore());
    await investigate(slack);
    for (const { ts } of standing(slack)) await webClient(slack).chat.delete({ channel: general, ts });
    await investigate(slack);
    expect(texts(standing(slack, general, ada))).toEqual(wholeThread);
  });
});
