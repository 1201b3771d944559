/** The reference: a Bolt app as in its documentation, which sends prepared blocks in the acknowledgement. */
import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import { measured, readSettings } from './measured.ts';

const settings = readSettings();
const { ready } = measured(settings);
const isHttp = settings.transport === 'http';
const app = new App({
  token: settings.botToken,
  ...(isHttp ? { signingSecret: settings.signingSecret } : { appToken: settings.appToken, socketMode: true }),
  clientOptions: { slackApiUrl: settings.slackApiUrl },
});
app.command('/workflow', async ({ ack }) => {
  await ack(settings.answer as Parameters<typeof ack>[0]);
});
const server = await app.start(0);
ready(isHttp ? `http://127.0.0.1:${((server as { address(): unknown }).address() as AddressInfo).port}` : undefined);
