/** `disconnect` in the local Slack. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../../../support/service/service.ts';
import { connectingBot } from '../../../../support/slack/connecting.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function connected() {
  const bot = await connectingBot([service.url]);
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  return bot;
}

test('a form names the consequences before anything changes', async () => {
  const { open, shown, store, teamId } = await connected();
  await open('disconnect');
  expect(shown()).toMatch(
    /What happens when this workspace is disconnected from .*Harbor.*Nobody in this workspace gets answers.*connected again; the bot says so once in each digest’s channel/s,
  );
  expect(shown()).toContain(service.apiKeys.harbor.slice(-4));
  expect(await store.credentials.find(teamId)).toBeDefined();
});

test('the submitted form deletes the key at once for all commands, and the audit entry does not contain it', async () => {
  const { open, submit, store, teamId, type } = await connected();
  expect(await type('account')).toContain('Harbor');
  expect(await submit(await open('disconnect'), {})).toContain('no longer connected');
  expect(await store.credentials.find(teamId)).toBeUndefined();
  expect(await type('account')).toContain('not connected to an organization');
  const [entry] = await store.audit.page(teamId, 1);
  expect(entry).toMatchObject({ action: 'key removed', detail: { organization: 'Harbor' } });
  expect(JSON.stringify(entry)).not.toContain(service.apiKeys.harbor.slice(20, 60));
});

test('a workspace without a key gets an answer that says so, and an old open form changes nothing', async () => {
  const { open, submit, type, commands, teamId } = await connected();
  await submit(await open('disconnect'), {});
  const again = { command: 'disconnect', actor: { teamId, userId: 'UBEN' }, values: {} };
  expect(JSON.stringify(await commands.submit(again))).toContain('has no API key of its own');
  expect(await type('disconnect')).toContain('has no API key of its own');
});

test('a disconnected workspace can be connected to any organization', async () => {
  const { open, submit } = await connected();
  await submit(await open('disconnect'), {});
  expect(await submit(await open(), { key: service.apiKeys.ledger })).toContain('Connected');
});
