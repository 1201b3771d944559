/** Thread answers in the local Slack: where they open, and that each opens once. */
import { describe, expect, it } from 'vitest';
import { ephemeral, type MessageAnswer } from '../../../../../src/bot/commands/framework/command.ts';
import { actions } from '../../../../../src/bot/views/blocks/blocks.ts';
import { commandButton } from '../../../../../src/bot/views/blocks/command-button.ts';
import { message } from '../../../../../src/bot/views/blocks/message.ts';
import { channelId, directId } from '../../../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../../../support/slack/driver.ts';
import { slackError } from '../../../../support/slack/faults.ts';
import { localSlack } from '../../../../support/slack/local-slack.ts';
import {
  ada,
  ben,
  general,
  investigate,
  say,
  standing,
  startStore,
  startThreadBot,
  texts,
  thread,
  wholeThread,
} from '../../../../support/slack/threads.ts';

const button = commandButton({ label: 'Investigate', line: 'execution e1', mode: 'open' });
const card: MessageAnswer = {
  kind: 'message',
  message: message([...say('payments is failing').blocks, actions([button])]),
  visibility: 'channel',
};

const refused = JSON.stringify({ ok: false, error: 'user_not_visible' });

/** Posts a card that everybody sees. @returns its id */
async function postCard(slack: SlackDriver): Promise<string> {
  const posted = slack.nextMessage({ viewer: ben, matches: ({ text }) => text.includes('is failing') });
  await slack.command({ user: ada, channel: general, text: '/workflow card' });
  return (await posted).ts;
}

/** @returns what the person who pressed is told */
async function pressCard(slack: SlackDriver, ts: string, user = ada) {
  const note = slack.nextMessage({
    viewer: user,
    matches: ({ viewer, text }) => viewer === user && /thread/.test(text),
  });
  await slack.press({ user, channel: general, ts, actionId: button.action_id ?? '' });
  return note;
}

describe('a thread', () => {
  it('is a root of one line with its replies in order, and only the next request gets a note with a link', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore());
    await investigate(slack);
    expect(slack.messages({ channel: general, viewer: ada }).filter(({ viewer }) => viewer !== null)).toEqual([]);
    const note = await investigate(slack);
    const [root, ...replies] = standing(slack);
    expect(texts(standing(slack))).toEqual(wholeThread);
    expect(replies.map(({ threadTs }) => threadTs)).toEqual(Array(3).fill(root?.ts));
    expect(JSON.stringify(note.blocks)).toContain(`p${replies[0]?.ts.replace('.', '')}?thread_ts=${root?.ts}`);
  });

  it('opens under the channel’s message that was pressed, which stays as it is at every later press', async () => {
    const slack = await localSlack();
    const answer = ({ line }: { readonly line: string }) => (line === 'card' ? card : thread({ isFinal: false }));
    await startThreadBot(slack, await startStore(), { answer });
    const ts = await postCard(slack);
    await pressCard(slack, ts);
    await investigate(slack);
    const [root, ...replies] = standing(slack);
    expect(root).toMatchObject({ ts, blocks: expect.arrayContaining([expect.objectContaining({ type: 'actions' })]) });
    expect(texts(replies)).toEqual(wholeThread.slice(1));
    expect(replies.map(({ threadTs }) => threadTs)).toEqual(Array(3).fill(ts));
  });

  it('under a message that was pressed is linked at its first reply, below earlier replies', async () => {
    const slack = await localSlack();
    const answer = ({ line }: { readonly line: string }) => (line === 'card' ? card : thread());
    await startThreadBot(slack, await startStore(), { answer });
    const ts = await postCard(slack);
    const notes = [await pressCard(slack, ts), await pressCard(slack, ts, ben)];
    const verdict = standing(slack).find(({ text }) => text === 'verdict first')?.ts ?? 'none';
    for (const { text, blocks } of notes) {
      expect(text).toContain('The details of payments, run e1 are in a thread here.');
      expect(JSON.stringify(blocks)).toContain(`p${verdict.replace('.', '')}?thread_ts=${ts}`);
    }
  });

  it('is announced in the thread of the pressed button, or in the channel if the button is in its root', async () => {
    const slack = await localSlack();
    const answer = ({ line }: { readonly line: string }) => (line === 'card' ? card : thread());
    await startThreadBot(slack, await startStore(), { answer });
    const ts = await postCard(slack);
    const below = slack.nextMessage({ viewer: ben, matches: ({ threadTs, user }) => threadTs === ts && user !== ada });
    slack.say({ user: ada, channel: general, text: '@workflow-bot card', threadTs: ts });
    expect((await pressCard(slack, (await below).ts)).threadTs).toBe(ts);
    expect((await pressCard(slack, ts)).threadTs).toBeNull();
  });

  it('opens below a root of its own in the direct messages', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore());
    const done = slack.nextMessage({ channel: directId('ada'), matches: ({ text }) => text === wholeThread[0] });
    slack.say({ user: ada, channel: directId('ada'), text: 'execution e1' });
    await done;
    expect(texts(standing(slack, directId('ada')))).toEqual(wholeThread);
  });

  it('opens in the person’s direct messages if the bot is not in the channel, and says how to invite it', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore());
    const note = await investigate(slack, { channel: channelId('random') });
    expect(note.text).toMatch(/direct messages.*not in this channel.*type \/invite.*Open the thread/);
    expect(standing(slack, channelId('random'))).toEqual([]);
    expect(texts(standing(slack, directId('ada')))).toEqual(wholeThread);
  });

  const forbidden = /direct messages.*does not let apps post such a thread in this channel\. Open the thread/;
  const threadless = /direct messages.*Slack accepted no reply under the message in this channel\. Open the thread/;
  it.each([
    ['restricted_action', forbidden],
    ['restricted_action_read_only_channel', forbidden],
    ['thread_not_found', threadless],
    ['cannot_reply_to_message', threadless],
  ])('opens in the person’s direct messages if Slack refuses it here with %s, and says why', async (error, words) => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore());
    slack.fail('chat.postMessage', slackError(error), 1);
    const { text } = await investigate(slack);
    expect(text).toMatch(words);
    expect(text).not.toContain('/invite');
    expect(texts(standing(slack, directId('ada')))).toEqual(wholeThread);
  });

  it('that is private opens in the person’s direct messages, and the channel sees nothing of it', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore(), { answer: () => ({ ...thread(), isPrivate: true }) });
    const note = await investigate(slack);
    expect(note.text).toMatch(/direct messages.*Only you see them.*Open the thread/);
    expect(standing(slack)).toEqual([]);
    expect(texts(standing(slack, directId('ada')))).toEqual(wholeThread);
  });

  it('that is private and has no place says what to type instead, not to invite the bot', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore(), { answer: () => ({ ...thread(), isPrivate: true }) });
    slack.fail('conversations.open', { isCarriedOut: false, answer: { status: 200, headers: {}, body: refused } }, 4);
    expect((await investigate(slack)).text).toMatch(/direct messages\. Investigate in the channel instead/);
    expect(standing(slack)).toEqual([]);
  });

  it('that has no place, of a channel that the bot cannot see, says to invite it', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore());
    const refusal = (error: string) => ({ status: 200, headers: {}, body: JSON.stringify({ ok: false, error }) });
    slack.fail('conversations.info', { isCarriedOut: false, answer: refusal('channel_not_found') }, 4);
    slack.fail('conversations.open', { isCarriedOut: false, answer: refusal('user_not_visible') }, 4);
    expect((await investigate(slack)).text).toBe(
      'The bot could not open a thread of payments, run e1 here or in your direct messages. Invite the bot to the channel and try again.',
    );
  });

  it.each([
    [
      'missing_scope',
      /nor here, because the bot .*the bot lacks permissions\. Ask a workspace admin to install the bot again/,
    ],
    ['internal_error', /nor here, because the bot .*Slack did not answer\. Try again in a minute/],
  ])('that has no place, because Slack answered %s for the channel, says what helps', async (error, words) => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore());
    slack.failWhen('conversations.info', () => slackError(error));
    slack.fail('conversations.open', slackError('user_not_visible'), 4);
    const { text } = await investigate(slack);
    expect(text).toMatch(words);
    expect(text).not.toContain('another channel');
  });

  it('is not opened when the command has a problem', async () => {
    const slack = await localSlack();
    const problem = { ...ephemeral(say('No such run: thread of nothing.')), isProblem: true } as const;
    await startThreadBot(slack, await startStore(), { answer: () => problem });
    expect((await investigate(slack)).text).toContain('No such run');
    expect(standing(slack)).toEqual([]);
  });

  it('of a running execution is updated once it has ended, without a request', async () => {
    const slack = await localSlack();
    let isRunning = true;
    const ended = Promise.withResolvers<void>();
    const answer = () => thread({ words: isRunning ? 'running' : 'done', isFinal: !isRunning, isRunning });
    await startThreadBot(slack, await startStore(), { answer, timing: { waitBeforeRepeat: () => ended.promise } });
    await investigate(slack);
    await investigate(slack);
    const updates = () => slack.requests.filter(({ name }) => name === 'chat.update');
    const before = updates().length;
    isRunning = false;
    const updated = slack.nextMessage({ matches: ({ text }) => text === 'payments failed (done)' });
    ended.resolve();
    await updated;
    expect(texts(standing(slack))).toEqual(wholeThread.map((text) => text.replace('first', 'done')));
    // The root and three replies, once for both requests.
    expect(updates().length - before).toBe(4);
  });

  it('is updated in place while its subject may still change', async () => {
    const slack = await localSlack();
    let words = 'running';
    await startThreadBot(slack, await startStore(), { answer: () => thread({ words, isFinal: words === 'done' }) });
    await investigate(slack);
    words = 'done';
    await investigate(slack);
    expect(texts(standing(slack))).toEqual(wholeThread.map((text) => text.replace('first', 'done')));
  });

  it('has no reply edited that says the same: an edit folds a plan that people have opened', async () => {
    const slack = await localSlack();
    await startThreadBot(slack, await startStore(), { answer: () => thread({ isFinal: false }) });
    const repliesEdited = () => {
      const root = standing(slack)[0]?.ts;
      return slack.requests.filter(({ name, fields }) => name === 'chat.update' && fields['ts'] !== root).length;
    };
    await investigate(slack);
    await investigate(slack);
    expect([texts(standing(slack)), repliesEdited()]).toEqual([wholeThread, 0]);
  });

  it('is opened once for two people who press the same button at the same time', async () => {
    const slack = await localSlack();
    const answer = ({ line }: { readonly line: string }) => (line === 'card' ? card : thread());
    await startThreadBot(slack, await startStore(), { answer });
    const ts = await postCard(slack);
    const last = slack.nextMessage({ viewer: ada, matches: ({ text }) => text === 'logs first' });
    const notes = await Promise.all([pressCard(slack, ts), pressCard(slack, ts, ben)]);
    await last;
    expect(texts(notes).sort().at(-1)).toContain('The thread of payments, run e1 is being written');
    expect(texts(standing(slack).slice(1))).toEqual(wholeThread.slice(1));
  });

  it('is opened once, however many bots share the store and however often it is requested', async () => {
    const slack = await localSlack();
    const store = await startStore();
    await startThreadBot(slack, store);
    await startThreadBot(slack, store);
    const whole = slack.nextMessage({ viewer: ada, matches: ({ text }) => text === wholeThread[0] });
    await Promise.all([...Array.from({ length: 4 }, () => investigate(slack)), investigate(slack, { user: ben })]);
    await whole;
    await investigate(slack);
    expect(texts(standing(slack))).toEqual(wholeThread);
  });
});
