/** Removal of Slack's markup from typed text. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { typedText } from '../../../../../src/bot/slack/inbound/middleware/read-payload.ts';
import { channelId, directId, personId } from '../../../../../src/local-slack/state/seed.ts';
import { createTestBot } from '../../../../support/bot/bot.ts';
import { openNewStore } from '../../../../support/bot/store.ts';
import type { SlackDriver } from '../../../../support/slack/driver.ts';
import { localSlack } from '../../../../support/slack/local-slack.ts';

const place = { user: personId('ada'), channel: channelId('general') };
const uuid = '00000000-0000-4000-8000-000000000001';
const page = `https://cre.example.com/workflows/${uuid}?tab=a&b=c`;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

test.each([
  ['status <http://price.feed|price.feed>', 'status price.feed'],
  ['status <http://price.feed/|price.feed/> 7d', 'status price.feed/ 7d'],
  ['status <https://Price.Feed/a_b|Price.Feed/a_b>', 'status Price.Feed/a_b'],
  ['list <mailto:ops@acme.io|ops@acme.io>', 'list ops@acme.io'],
  ['list <tel:+4915112345|+4915112345>', 'list +4915112345'],
  ['status <@U0BEN|ben>', 'status @ben'],
  ['status <@U0BEN>', 'status <@U0BEN>'],
  ['status <!here> <!subteam^S1|@oncall>', 'status @here @oncall'],
  ['digest edit <#C0OPS|ops>', 'digest edit <#C0OPS|ops>'],
  ['status A &amp; B &lt;x&gt; &amp;lt;', 'status A & B <x> &lt;'],
  [`status <${escaped(page)}>`, `status ${page}`],
  [`status <${escaped(page)}|${escaped(page)}>`, `status ${page}`],
  [`status <${escaped(page)}|our payments>`, `status ${page}`],
  ['status <https://acme.io/docs|our payments>', 'status our payments'],
  ['status &lt;http://a.io|b&gt;', 'status <http://a.io|b>'],
  ['status < a > b <>', 'status < a > b <>'],
])('%s was typed as %s', (text, typed) => {
  expect(typedText(text)).toBe(typed);
});

describe('any name', () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab.@/|&<>#:-_ üé1'), maxLength: 12 });
  const domain = fc.stringMatching(/^[a-z]{1,6}\.(?:feed|io|com)(?:\/[a-z&|]{0,4})?$/);
  /** Each piece as it is typed, and as Slack sends it. */
  const piece = fc.oneof(
    part.map((typed) => [typed, escaped(typed)] as const),
    domain.map((typed) => [typed, `<http://${escaped(typed).replaceAll('|', '%7C')}|${escaped(typed)}>`] as const),
    fc.stringMatching(/^[a-z]{1,5}@[a-z]{1,5}\.io$/).map((typed) => [typed, `<mailto:${typed}|${typed}>`] as const),
    fc
      .stringMatching(/^https:\/\/[a-z]{1,5}\.io\/[a-z&]{0,5}$/)
      .map((typed) => [typed, `<${escaped(typed)}>`] as const),
  );
  it('with dots, at-signs, slashes, pipes, ampersands and angle brackets comes back as it was typed', () => {
    const check = (pieces: readonly (readonly [string, string])[]) => {
      const sent = pieces.map(([, marked]) => marked).join('');
      expect(typedText(sent)).toBe(pieces.map(([typed]) => typed).join(''));
    };
    fc.assert(fc.property(fc.array(piece, { maxLength: 5 }), check), { numRuns: 2_000 });
  });
});

describe('in Slack', () => {
  const typed = ['price.feed', 'ops@acme.io', 'a.io/b&c', 'https://acme.io/x', page, 'A & <B> | C', '#general', '@ben'];

  async function linesOf(say: (slack: SlackDriver, text: string) => unknown) {
    const slack = await localSlack();
    const store = await openNewStore();
    const { bot, requests } = createTestBot(slack, {
      ...{ botToken: slack.botToken, appToken: slack.appToken, slackApiUrl: slack.apiUrl },
      store,
    });
    await bot.start();
    onTestFinished(async () => {
      await bot.stop();
      await store.close();
    });
    for (const text of typed) {
      const answer = slack.nextMessage({
        viewer: personId('ada'),
        matches: (message) => message.text.includes('You typed'),
      });
      await say(slack, `status ${text}`);
      await answer;
    }
    return requests.map(({ line }) => line.trim().replace(/<#C\w+\|general>/, '#general'));
  }

  it.each<[string, (slack: SlackDriver, text: string) => unknown]>([
    ['a slash command', (slack, text) => slack.command({ ...place, text: `/workflow ${text}` })],
    ['a mention', (slack, text) => slack.say({ ...place, text: `@workflow-bot ${text}` })],
    ['a direct message', (slack, text) => slack.say({ ...place, channel: directId('ada'), text })],
  ])('%s means what was typed', async (_what, say) => {
    const lines = await linesOf(say);
    expect(lines.map((line) => line.replace(/<@U\w+>/, '@ben'))).toEqual(typed.map((text) => `status ${text}`));
  });
});
