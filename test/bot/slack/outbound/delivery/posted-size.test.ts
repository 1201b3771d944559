/** A long answer arrives everywhere: whole by a response_url, shortened where it is posted. */
import { expect, it, onTestFinished } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import { actions } from '../../../../../src/bot/views/blocks/blocks.ts';
import { answerActions, commandButton } from '../../../../../src/bot/views/blocks/command-button.ts';
import { message } from '../../../../../src/bot/views/blocks/message.ts';
import { bulleted, plain, rich } from '../../../../../src/bot/views/blocks/rich-text.ts';
import { channelId, directId, personId } from '../../../../../src/local-slack/state/seed.ts';
import { createTestBot } from '../../../../support/bot/bot.ts';
import { openNewStore } from '../../../../support/bot/store.ts';
import { localSlack, webClient } from '../../../../support/slack/local-slack.ts';

const [ada, general] = [personId('ada'), channelId('general')];
const items = Array.from({ length: 60 }, (_, at) => [plain(`execution ${at} ${'x'.repeat(250)}`)]);
const long = message([bulleted(rich`Runs`, items), answerActions('executions 7d')]);

async function start() {
  const slack = await localSlack();
  const store = await openNewStore();
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const { bot } = createTestBot(slack, {
    botToken,
    appToken,
    slackApiUrl,
    store,
    answer: () => ephemeral(long),
  });
  await bot.start();
  onTestFinished(async () => {
    await bot.stop();
    await store.close();
  });
  return slack;
}

it('direct messages and mentions get its beginning, and the command that shows all of it', async () => {
  const slack = await start();
  const direct = slack.nextMessage({ channel: directId('ada'), matches: ({ text }) => text.includes('Runs') });
  slack.say({ user: ada, channel: directId('ada'), text: 'executions' });
  const mentioned = slack.nextMessage({ channel: general, viewer: ada, matches: ({ text }) => text.includes('Runs') });
  slack.say({ user: ada, channel: general, text: '@workflow-bot executions' });
  for (const { blocks } of [await direct, await mentioned]) {
    const shown = JSON.stringify(blocks);
    expect(shown).toContain('execution 0 ');
    expect(shown).toMatch(/\d+ lines are left out/);
    expect(shown).toContain('"/workflow executions"');
  }
});

it('a press in the Home tab is answered with its beginning in direct messages', async () => {
  const slack = await start();
  const direct = slack.nextMessage({ channel: directId('ada'), matches: ({ text }) => text.includes('Runs') });
  const button = commandButton({ label: 'Failures', line: 'failures 24h', mode: 'open' });
  await webClient(slack).views.publish({ user_id: ada, view: { type: 'home', blocks: [actions([button])] } });
  await slack.press({ user: ada, view: slack.home(ada)?.id ?? '', actionId: button.action_id ?? '' });
  expect(JSON.stringify((await direct).blocks)).toContain('"/workflow failures 24h"');
});

it('a typed command gets all of it', async () => {
  const slack = await start();
  const answer = slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('Runs') });
  await slack.command({ user: ada, channel: general, text: '/workflow executions' });
  expect(JSON.stringify((await answer).blocks)).toContain('execution 59 ');
});
