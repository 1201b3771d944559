/** A workspace that refuses charts gets the message without them, and for a day no chart and the picture instead. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import { message } from '../../../../../src/bot/views/blocks/message.ts';
import { paragraph, rich } from '../../../../../src/bot/views/blocks/rich-text.ts';
import { barChart, chartNumbers } from '../../../../../src/bot/views/charts/native-chart.ts';
import type { LocalSlack, LocalSlackOptions } from '../../../../../src/local-slack/server/local-slack.ts';
import { directId } from '../../../../../src/local-slack/state/seed.ts';
import { createTestBot, noThreads, type TestDispatch } from '../../../../support/bot.ts';
import { localSlack, slackNow } from '../../../../support/local-slack.ts';
import { ada, general } from '../../../../support/threads.ts';

const drawn = ['Runs per day (UTC)', ['Fri 20', 'Sat 21'], [{ name: 'Runs', values: [96, 41] }]] as const;
const charted = message([paragraph(rich`Activity`), barChart(...drawn), chartNumbers(...drawn)]);
const dayMs = 86_400_000;
const withChart = ['rich_text', 'data_visualization', 'context'];
const withoutChart = ['rich_text', 'context'];

async function start(options: Partial<LocalSlackOptions> = {}) {
  const slack = await localSlack({ hasCharts: false, ...options });
  const time = { now: slackNow };
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const drawn: string[] = [];
  const content = async () => {
    drawn.push('picture');
    return new Uint8Array([1]);
  };
  const answer: TestDispatch = () => ({
    ...ephemeral(charted),
    files: [{ name: 'activity.png', title: 'Activity', isChartPicture: true, content }],
  });
  const { bot } = createTestBot(slack, {
    ...{ botToken, appToken, slackApiUrl, answer, threads: noThreads, clock: () => time.now },
  });
  await bot.start();
  onTestFinished(() => bot.stop());
  return { slack, bot, time, drawn };
}

const isAnswer = ({ text }: { readonly text: string }) => text.includes('Activity');
const kindsOf = ({ blocks }: { readonly blocks: readonly { readonly type: string }[] }) =>
  blocks.map(({ type }) => type);

const ways = {
  'a command': (slack: LocalSlack) => slack.command({ user: ada, channel: general, text: '/workflow activity' }),
  'a mention': (slack: LocalSlack) => slack.say({ user: ada, channel: general, text: '@workflow-bot activity' }),
  'a direct message': (slack: LocalSlack) => slack.say({ user: ada, channel: directId('ada'), text: 'activity' }),
} as const;

/** The blocks of the answer, and the calls with blocks that it took. */
async function ask(slack: LocalSlack, way: keyof typeof ways) {
  const before = slack.requests.length;
  const isHere = way === 'a direct message' ? { channel: directId('ada') } : { viewer: ada };
  const answer = slack.nextMessage({ ...isHere, matches: isAnswer });
  await ways[way](slack);
  const kinds = kindsOf(await answer);
  const calls = slack.requests.slice(before).filter(({ fields }) => /^Activity/.test(String(fields['text'])));
  return { kinds, calls: calls.length };
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('a chart in the answer to %s', (way) => {
  it('is shown, without a picture, where Slack takes it', async () => {
    const { slack, drawn } = await start({ hasCharts: true });
    expect(await ask(slack, way)).toMatchObject({ kinds: withChart });
    expect(drawn).toEqual([]);
  });

  it('that Slack refuses is left out, with the picture after it, then not sent for a day', async () => {
    const { slack, drawn, time } = await start();
    const isNote = ({ text }: { readonly text: string }) => /file is in your direct messages/.test(text);
    const note = way === 'a direct message' ? null : slack.nextMessage({ viewer: ada, matches: isNote });
    const picture = slack.nextMessage({ channel: directId('ada'), matches: ({ files }) => files.length > 0 });
    expect(await ask(slack, way)).toMatchObject({ kinds: withoutChart, calls: 2 });
    expect((await picture).files).toMatchObject([{ name: 'activity.png' }]);
    await note;
    expect(drawn).toEqual(['picture']);
    const second = await ask(slack, way);
    expect(second.kinds.slice(0, 2)).toEqual(withoutChart);
    expect(second.calls).toBe(1);
    expect(drawn).toEqual(['picture', 'picture']);
    time.now += dayMs + 1;
    expect(await ask(slack, way)).toMatchObject({ kinds: withoutChart, calls: 2 });
  });
});

describe('a digest with a chart', () => {
  const send = ({ bot }: Awaited<ReturnType<typeof start>>, teamId: string, form: 'whole' | 'lists') =>
    bot.digests.send({ teamId, channelId: general }, charted, 'digest-1', form);

  it('is refused as a whole, posted without it, and from then on posted without it at once', async () => {
    const run = await start();
    const { teamId } = run.slack.workspace;
    expect(await send(run, teamId, 'whole')).toMatchObject({ kind: 'content', error: 'invalid_blocks' });
    expect(await send(run, teamId, 'lists')).toMatchObject({ kind: 'posted' });
    expect(await send(run, teamId, 'whole')).toMatchObject({ kind: 'posted' });
    const kinds = run.slack.messages({ channel: general, viewer: ada }).filter(isAnswer).map(kindsOf);
    expect(kinds).toEqual([withoutChart, withoutChart]);
  });
});
