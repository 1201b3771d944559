/** Files of a thread: the newest version of each, once, despite faults. */

import { describe, expect, it } from 'vitest';
import { textFile } from '../../../../../src/bot/commands/framework/command.ts';
import { requiredScopes } from '../../../../../src/bot/slack/installation/scopes.ts';
import type { Fault } from '../../../../../src/local-slack/server/local-slack.ts';
import type { SlackMessage } from '../../../../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../../../support/slack/driver.ts';
import { droppedAnswer, httpStatus, rateLimited, visibleLate } from '../../../../support/slack/faults.ts';
import { localSlack } from '../../../../support/slack/local-slack.ts';
import {
  crashAndRestart,
  general,
  investigate,
  noteAfter,
  standing,
  startStore,
  startThreadBot,
  texts,
  thread,
  wholeThread,
} from '../../../../support/slack/threads.ts';

/** A bot whose thread may still change and has one file, with the words that `say` gives it. */
async function startRunning(slack: SlackDriver, options: { readonly botToken?: string } = {}) {
  let words = 'running';
  const answer = () => thread({ isFinal: false, file: textFile('timeline.txt', () => words) });
  await startThreadBot(slack, await startStore(), { answer, ...options });
  const say = (next: string) => {
    words = next;
  };
  return { say };
}

const contents = (slack: SlackDriver, channel = general, viewer?: string) =>
  standing(slack, channel, viewer).flatMap(({ files }) => files.map(({ head }) => head));
const uploads = (slack: SlackDriver) => slack.requests.filter(({ name }) => name === 'files.getUploadURLExternal');

describe('a file of a thread that is rewritten', () => {
  it('is replaced if its content differs, and the old file is deleted', async () => {
    const slack = await localSlack();
    const { say } = await startRunning(slack);
    await investigate(slack);
    expect(contents(slack)).toEqual(['running']);
    say('ended');
    await investigate(slack);
    expect(contents(slack)).toEqual(['ended']);
    expect(texts(standing(slack)).sort()).toEqual(['', ...wholeThread].sort());
  });

  it('stays if its content is the same', async () => {
    const slack = await localSlack();
    await startRunning(slack);
    await investigate(slack);
    await investigate(slack);
    expect(contents(slack)).toEqual(['running']);
    expect(uploads(slack)).toHaveLength(1);
  });

  it('stays until Slack has accepted the new one', async () => {
    const slack = await localSlack();
    const { say } = await startRunning(slack);
    await investigate(slack);
    say('ended');
    slack.fail('files.getUploadURLExternal', httpStatus(500));
    expect((await noteAfter(slack)).text).toContain('try again');
    expect(contents(slack)).toEqual(['running']);
    await investigate(slack);
    expect(contents(slack)).toEqual(['ended']);
  });

  it('leaves one file and a line with the reason in a channel whose history the bot may not read', async () => {
    const slack = await localSlack();
    const { botToken } = slack.addWorkspace([...requiredScopes]);
    const { say } = await startRunning(slack, { botToken });
    const where = { user: personId('ada', 2), channel: channelId('general', 2) };
    await investigate(slack, where);
    say('ended');
    await investigate(slack, where);
    expect(contents(slack, where.channel, where.user)).toEqual(['ended']);
    expect(texts(standing(slack, where.channel, where.user))).toContain('_This file was deleted._');
  });
});

describe('a file', () => {
  it.each<[string, string, Fault]>([
    ['that Slack did not take', 'files.completeUploadExternal', httpStatus(500)],
    ['that Slack took without saying so', 'files.completeUploadExternal', droppedAnswer()],
    ['whose bytes did not arrive', 'upload', httpStatus(503)],
  ])('%s is missing at first, and is there once after another request', async (_, target, fault) => {
    const slack = await localSlack();
    await startRunning(slack);
    slack.fail(target, fault);
    expect((await noteAfter(slack)).text).toContain('try again');
    expect(contents(slack)).toEqual([]);
    expect((await investigate(slack)).text).not.toContain('try again');
    expect(contents(slack)).toEqual(['running']);
  });

  it('comes after every reply, whether Slack shares it at once or late', async () => {
    const orders: (readonly string[])[] = [];
    for (const isLate of [false, true]) {
      const slack = await localSlack();
      const gate = Promise.withResolvers<void>();
      if (isLate) slack.failWhen('files.completeUploadExternal', () => visibleLate(() => gate.promise));
      await startRunning(slack);
      await investigate(slack);
      if (isLate) {
        const shared = slack.nextMessage({ matches: ({ files }) => files.length > 0 });
        gate.resolve();
        await shared;
      }
      orders.push(texts(standing(slack)));
    }
    expect(orders).toEqual([
      [...wholeThread, ''],
      [...wholeThread, ''],
    ]);
  });

  it('is posted after a wait if Slack is busy', async () => {
    const slack = await localSlack();
    await startRunning(slack);
    slack.fail('files.getUploadURLExternal', rateLimited(0));
    slack.fail('files.completeUploadExternal', rateLimited(0));
    expect((await investigate(slack)).text).not.toContain('try again');
    expect(contents(slack)).toEqual(['running']);
  });

  it('that cannot be made leaves the text in place, and is made at the next request', async () => {
    const slack = await localSlack();
    let made = 0;
    const content = async () => {
      made += 1;
      if (made === 1) throw new Error('no room');
      return new TextEncoder().encode('drawn');
    };
    const answer = () => thread({ file: { name: 'timeline.png', title: 'Timeline', content } });
    await startThreadBot(slack, await startStore(), { answer });
    expect((await noteAfter(slack)).text).toContain('try again');
    expect(texts(standing(slack))).toEqual(wholeThread);
    await investigate(slack);
    expect(contents(slack)).toEqual(['drawn']);
  });

  it.each<[string, (shown: SlackMessage) => boolean]>([
    ['has been sent', ({ text }) => text === 'timeline first'],
    ['is known to be shared', ({ files }) => files.length > 0],
  ])('of a bot that ends before it %s is there once after the next start', async (_, at) => {
    const slack = await localSlack();
    const answer = () => thread({ file: textFile('timeline.txt', () => 'ended') });
    const pass = await crashAndRestart(slack, { at, answer });
    pass(30_000);
    expect((await investigate(slack)).text).not.toContain('try again');
    expect(contents(slack)).toEqual(['ended']);
    expect(
      texts(standing(slack))
        .filter((text) => text !== '')
        .sort(),
    ).toEqual([...wholeThread].sort());
  });
});
