/** The bot in a Slack written from Slack's documentation, over signed HTTP: installed by OAuth, then one deed of each kind. */
import { expect, it, vi } from 'vitest';
import { commands, manifest, startOverHttp } from '../../support/documented-slack/bot.ts';

vi.setConfig({ testTimeout: 200_000 });

/** Nothing can be asked afterwards. */
const disconnecting = 'submit cmd:disconnect';

it('every deed is acknowledged in time, and Slack accepts every answer', async () => {
  const { slack, explorer, expectAccepted } = await startOverHttp();
  const { workspace } = slack;
  await explorer.start('/workflow connect', (member) => member.type('connect'), explorer.submitForm);
  for (const { name, examples } of commands) {
    await explorer.start(`/workflow ${name}`, (member) => member.type(examples[0]));
  }
  await explorer.start('a mention', (member) => member.mention('status payments'));
  await explorer.start('a direct message', (member) => member.direct('failures'));
  await explorer.start('the Home', (member) => member.openHome());
  await explorer.start('the shortcut', async (member) => {
    await member.shortcut(member.write('Good morning.'), manifest.features.shortcuts[0].callback_id);
  });
  const chosen = /^home: |button (?:refresh|share) status|select|submit/;
  await explorer.finish((deed) => chosen.test(deed) && !deed.includes(disconnecting));
  await explorer.finish((deed) => deed.includes(disconnecting));
  await expectAccepted();
  expect(workspace.messages.length).toBeGreaterThan(commands.length);
});
