/** A workspace that refuses charts gets their numbers as text. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import { barChart } from '../../../../../src/bot/views/blocks/chart.ts';
import { message } from '../../../../../src/bot/views/blocks/message.ts';
import { paragraph, rich } from '../../../../../src/bot/views/blocks/rich-text.ts';
import { directId } from '../../../../../src/local-slack/state/seed.ts';
import { createTestBot, noStore, type TestDispatch } from '../../../../support/bot/bot.ts';
import type { SlackDriver } from '../../../../support/slack/driver.ts';
import { localSlack, slackNow } from '../../../../support/slack/local-slack.ts';
import { ada, general } from '../../../../support/slack/threads.ts';

const drawn = ['Runs per day (UTC)', ['Fri 20', 'Sat 21'], [{ name: 'Runs', values: [96, 41] }]] as const;
const charted = message([paragraph(rich`Activity`), barChart(...drawn)]);
const withChart = ['rich_text', 'data_visualization'];
const withoutChart = ['rich_text', 'context'];

async function start({ refusesCharts = true } = {}) {
  const slack = await localSlack();
  if (refusesCharts) slack.refuseCharts();
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const answer: TestDispatch = () => ephemeral(charted);
  const clock = () => slackNow;
  const { bot } = createTestBot(slack, { botToken, appToken, slackApiUrl, answer, store: noStore, clock });
  await bot.start();
  onTestFinished(() => bot.stop());
  return { slack, bot };
}

const isAnswer = ({ text }: { readonly text: string }) => text.includes('Activity');
const kindsOf = ({ blocks }: { readonly blocks: readonly { readonly type: string }[] }) =>
  blocks.map(({ type }) => type);

const ways = {
  'a command': (slack: SlackDriver) => slack.command({ user: ada, channel: general, text: '/workflow activity' }),
  'a mention': (slack: SlackDriver) => slack.say({ user: ada, channel: general, text: '@workflow-bot activity' }),
  'a direct message': (slack: SlackDriver) => slack.say({ user: ada, channel: directId('ada'), text: 'activity' }),
} as const;

/** The blocks of the answer, and the calls with blocks that it took. */
async function ask(slack: SlackDriver, way: keyof typeof ways) {
  const before = slack.requests.length;
  const isHere = way === 'a direct message' ? { channel: directId('ada') } : { viewer: ada };
  const answer = slack.nextMessage({ ...isHere, matches: isAnswer });
  await ways[way](slack);
  const kinds = kindsOf(await answer);
  const calls = slack.requests.slice(before).filter(({ fields }) => /^Activity/.test(String(fields['text'])));
  return { kinds, calls: calls.length };
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('a chart in the answer to %s', (way) => {
  it('is shown where Slack takes it', async () => {
    const { slack } = await start({ refusesCharts: false });
    expect(await ask(slack, way)).toMatchObject({ kinds: withChart });
  });

  it('is text where Slack refuses it', async () => {
    const { slack } = await start();
    expect(await ask(slack, way)).toMatchObject({ kinds: withoutChart, calls: 2 });
  });
});

describe('a digest with a chart', () => {
  const send = ({ bot }: Awaited<ReturnType<typeof start>>, teamId: string, form: 'whole' | 'lists') =>
    bot.outboxPosting.send({ teamId, channelId: general }, charted, 'digest-1', form);

  it('is refused as a whole, and posted with its numbers as text', async () => {
    const run = await start();
    const { teamId } = run.slack.workspace;
    expect(await send(run, teamId, 'whole')).toMatchObject({ kind: 'content', error: 'invalid_blocks' });
    expect(await send(run, teamId, 'lists')).toMatchObject({ kind: 'posted' });
    const kinds = run.slack.messages({ channel: general, viewer: ada }).filter(isAnswer).map(kindsOf);
    expect(kinds).toEqual([withoutChart]);
  });
});
