/** The yardstick: a Bolt app as its documentation shows one, that answers blocks it was given in the acknowledgement. */
import { App } from '@slack/bolt';
import { measured, readSettings } from './measured.ts';

const settings = readSettings();
const { ready } = measured(settings);
const app = new App({
  token: settings.botToken,
  appToken: settings.appToken,
  socketMode: true,
  clientOptions: { slackApiUrl: settings.slackApiUrl },
});
app.command('/workflow', async ({ ack }) => {
  await ack(settings.answer as Parameters<typeof ack>[0]);
});
await app.start();
ready();
