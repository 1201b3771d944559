/** The bot in a Slack written from Slack's documentation, over signed HTTP: installed by OAuth, then one deed of each kind. */
import { expect, it, vi } from 'vitest';
import { commands, manifest, startOverHttp } from '../../support/documented-slack/bot.ts';
import { app } from '../../support/documented-slack/workspace.ts';

vi.setConfig({ testTimeout: 200_000 });

/** Nothing can be asked afterwards. */
const disconnecting = 'submit cmd:disconnect';

it('every deed is acknowledged in time, and Slack accepts every answer', async () => {
  const { slack, delivery, explorer, admin, expectAccepted } = await startOverHttp();
  // https://docs.slack.dev/reference/events/url_verification
  const verification = { type: 'url_verification', token: app.verificationToken, challenge: 'a-challenge' };
  const { answer } = await delivery.deliver('events_api', verification);
  expect([answer, Object(answer).challenge]).toContain('a-challenge');
  const { workspace } = slack;
  await explorer.start('/workflow connect', (member) => member.type('connect'), explorer.submitForm);
  for (const { name, examples } of commands) {
    await explorer.start(`/workflow ${name}`, (member) => member.type(examples[0]));
  }
  const asker = await explorer.start('a mention', (member) => member.mention('status payments', { times: 2 }));
  await explorer.start('a direct message', (member) => member.direct('failures'));
  await explorer.start('the Home', (member) => member.openHome());
  await explorer.start('the shortcut', async (member) => {
    await member.shortcut(member.write('Good morning.'), manifest.features.shortcuts[0].callback_id);
  });
  const chosen = /^home: |button (?:refresh|share) status|select|submit/;
  await explorer.finish((deed) => chosen.test(deed) && !deed.includes(disconnecting));
  await explorer.finish((deed) => deed.includes(disconnecting));
  // https://docs.slack.dev/reference/events/app_uninstalled comes with https://docs.slack.dev/reference/events/tokens_revoked.
  await admin.event({ type: 'tokens_revoked', tokens: { oauth: [], bot: [app.userId] } });
  await admin.event({ type: 'app_uninstalled' });
  await expectAccepted();
  expect(workspace.messages.filter(({ viewer }) => viewer === asker.id)).toHaveLength(1);
  expect(workspace.messages.length).toBeGreaterThan(commands.length);
});
