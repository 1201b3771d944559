/** An answer that is a thread, carried out in the local Slack. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ThreadAnswer } from '../../src/commands/command.ts';
import type { LocalSlack } from '../../src/playground/local-slack.ts';
import { channelId, directId, personId } from '../../src/playground/seed.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { message } from '../../src/views/kit/message.ts';
import { ours, paragraph } from '../../src/views/kit/rich-text.ts';
import { createTestBot } from '../support/bot.ts';
import { localSlack } from '../support/local-slack.ts';

const say = (text: string) => message([paragraph([ours(text)])]);

function thread(words = 'first', isFinal = true): ThreadAnswer {
  return {
    kind: 'thread',
    subject: 'e1',
    progress: say('Looking into it…'),
    root: say(`payments failed (${words})`),
    replies: ['verdict', 'timeline', 'logs'].map((name) => ({ name, message: say(`${name} ${words}`) })),
    isFinal,
  };
}

const [ada, general] = [personId('ada'), channelId('general')];

async function startStore(): Promise<Store> {
  const store = await openStore('sqlite::memory:');
  onTestFinished(() => store.close());
  return store;
}

async function startBot(slack: LocalSlack, store: Store, answer: () => ThreadAnswer = () => thread()) {
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const { bot } = createTestBot(slack, { botToken, appToken, slackApiUrl, threads: store.threads, answer });
  await bot.start();
  onTestFinished(() => bot.stop());
  return bot;
}

/** Types the command and waits for the private note that says where the thread is. */
async function investigate(slack: LocalSlack, channel = general, user = ada) {
  const note = slack.nextMessage({ viewer: user, matches: ({ text }) => /thread|direct messages/.test(text) });
  await slack.command({ user, channel, text: '/workflow execution e1' });
  return note;
}

/** What stands in a channel, private notes left out: root first, replies after it. */
function standing(slack: LocalSlack, channel = general) {
  return slack.messages({ channel, viewer: ada }).filter(({ viewer }) => viewer === null);
}

describe('a thread', () => {
  it('is a root of one line with its replies in order, and a private note with a link', async () => {
    const slack = await localSlack();
    await startBot(slack, await startStore());
    const note = await investigate(slack);
    const [root, ...replies] = standing(slack);
    expect(root?.text).toBe('payments failed (first)');
    expect(replies.map(({ text }) => text)).toEqual(['verdict first', 'timeline first', 'logs first']);
    expect(replies.every(({ threadTs }) => threadTs === root?.ts)).toBe(true);
    expect(JSON.stringify(note.blocks)).toContain(`p${root?.ts.replace('.', '')}`);
  });

  it('is opened once, however often and by however many it is asked for, also after a restart', async () => {
    const slack = await localSlack();
    const store = await startStore();
    const bot = await startBot(slack, store);
    await Promise.all([investigate(slack), investigate(slack, general, personId('ben'))]);
    await bot.stop();
    await slack.whenConnected(false);
    await startBot(slack, store);
    await investigate(slack);
    expect(standing(slack)).toHaveLength(4);
  });

  it('is written anew in place while its subject may still change', async () => {
    const slack = await localSlack();
    let words = 'running';
    await startBot(slack, await startStore(), () => thread(words, words === 'done'));
    await investigate(slack);
    words = 'done';
    await investigate(slack);
    const texts = standing(slack).map(({ text }) => text);
    expect(texts).toEqual(['payments failed (done)', 'verdict done', 'timeline done', 'logs done']);
  });

  it('opens in the person’s direct messages where the bot is not in the channel, and says how to invite it', async () => {
    const slack = await localSlack();
    await startBot(slack, await startStore());
    const note = await investigate(slack, channelId('random'));
    expect(note.text).toContain('invite me with /invite');
    expect(standing(slack, channelId('random'))).toEqual([]);
    expect(standing(slack, directId('ada'))).toHaveLength(4);
  });
});
