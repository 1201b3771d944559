/** A whole Bolt app on the local Slack: what a bot author writes works as it does in Slack. */
import { App } from '@slack/bolt';
import { expect, onTestFinished, test } from 'vitest';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../support/slack/driver.ts';
import { localSlack, silentSdk } from '../support/slack/local-slack.ts';

const ada = personId('ada');
const general = channelId('general');

async function boltApp(slack: SlackDriver): Promise<App> {
  const app = new App({
    token: slack.botToken,
    appToken: slack.appToken,
    socketMode: true,
    logger: silentSdk,
    clientOptions: { slackApiUrl: slack.apiUrl },
  });
  onTestFinished(async () => {
    await app.stop();
  });
  return app;
}

test('a Bolt app answers a command, handles a press, replaces its answer and posts in the channel', async () => {
  const slack = await localSlack();
  const app = await boltApp(slack);
  const button = {
    type: 'button' as const,
    action_id: 'refresh',
    text: { type: 'plain_text' as const, text: 'Refresh' },
  };
  const blocks = [{ type: 'actions' as const, elements: [button] }];
  app.command('/workflow', ({ ack, command }) => ack({ text: `You said ${command.text}`, blocks }));
  app.action('refresh', async ({ ack, respond, client, body, context }) => {
    await ack();
    await respond({ text: 'Fresh', replace_original: true });
    const { user } = await client.users.info({ user: body.user.id });
    await client.chat.postMessage({ channel: general, text: `${user?.real_name} pressed in ${context.teamId}` });
  });
  await app.start();

  const result = await slack.command({ user: ada, channel: general, text: '/workflow hello' });
  expect(result).toMatchObject({ ok: true, message: { text: 'You said hello', isEphemeral: true } });
  const spoken = slack.nextMessage({ viewer: personId('ben') });
  await slack.press({ user: ada, channel: general, ts: result.message?.ts ?? '', actionId: 'refresh' });
  expect(await spoken).toMatchObject({ text: `Ada Okafor pressed in ${slack.workspace.teamId}` });
  expect(slack.messages({ channel: general, viewer: ada })[0]).toMatchObject({ text: 'Fresh', isEphemeral: true });
});

test('every call of the bot has its token and no data of another workspace', async () => {
  const slack = await localSlack();
  slack.addWorkspace();
  const app = await boltApp(slack);
  app.command('/workflow', ({ ack }) => ack());
  await app.start();
  await slack.command({ user: ada, channel: general, text: '/workflow hello' });
  const tokens = slack.requests.map(({ name, headers }) => `${name} ${headers['authorization']}`);
  expect(new Set(tokens)).toEqual(
    new Set([`auth.test Bearer ${slack.botToken}`, `apps.connections.open Bearer ${slack.appToken}`]),
  );
});
