/** The bot in a Slack written from Slack's documentation, over signed HTTP: installed by OAuth, then one deed of each kind. */
import { expect, it } from 'vitest';
import { manifest, ofEachKind, startOverHttp, words } from '../../support/documented-slack/bot.ts';
import { app } from '../../support/documented-slack/workspace.ts';

/** The bot is connected once, and after it is disconnected nothing can be asked. */
const connecting = /connect/;
const disconnecting = 'submit cmd:disconnect';

it('every deed is acknowledged in time, and Slack accepts every answer', async () => {
  const { slack, delivery, explorer, admin, expectAccepted } = await startOverHttp();
  // https://docs.slack.dev/reference/events/url_verification
  const verification = { type: 'url_verification', token: app.verificationToken, challenge: 'a-challenge' };
  const { answer } = await delivery.deliver('events_api', verification);
  expect([answer, Object(answer).challenge]).toContain('a-challenge');
  const { workspace } = slack;
  await explorer.start('/workflow connect', (member) => member.type('connect'), explorer.submitForm);
  for (const line of [...words.map(({ examples }) => examples[0]), 'settings', 'disconnect']) {
    await explorer.start(`/workflow ${line}`, (member) => member.type(line));
  }
  const asker = await explorer.start('a mention', (member) => member.mention('status payments', { times: 2 }));
  await explorer.start('a direct message', (member) => member.direct('failures'));
  await explorer.start('the Home', (member) => member.openHome());
  await explorer.start('the shortcut', async (member) => {
    await member.shortcut(member.write('Good morning.'), manifest.features.shortcuts[0].callback_id);
  });
  await explorer.finish((deed, done) => !connecting.test(deed) && ofEachKind(deed, done));
  await explorer.finish((deed) => deed.includes(disconnecting));
  // https://docs.slack.dev/reference/events/app_uninstalled comes with https://docs.slack.dev/reference/events/tokens_revoked.
  await admin.event({ type: 'tokens_revoked', tokens: { oauth: [], bot: [app.userId] } });
  await admin.event({ type: 'app_uninstalled' });
  await expectAccepted();
  expect(workspace.messages.filter(({ viewer }) => viewer === asker.id)).toHaveLength(1);
  expect(workspace.messages.length).toBeGreaterThan(words.length);
});
