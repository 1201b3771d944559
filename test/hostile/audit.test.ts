/** Hostile cases of the audit: it is complete, and changes from outside are detected. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { FormValues } from '../../src/bot/commands/framework/command.ts';
import { endpointId } from '../../src/bot/commands/words/connect/view.ts';
import { auditActions } from '../../src/bot/domain/audit-action.ts';
import type { Membership } from '../../src/bot/domain/role.ts';
import { sampleNow, startTestCommands } from '../support/bot/commands.ts';
import { openBeside } from '../support/bot/store.ts';
import { newSqlite } from '../support/databases/engines.ts';
import { startTestService } from '../support/service/service.ts';
import { eventPayload, installNow, startInstallBot } from '../support/slack/installing.ts';

const person = { teamId: 'T1', userId: 'U0ADA' };

/** An admin and a refused person. Commands are spaced to stay below the rate limit. */
async function workspace() {
  const services = await Promise.all([startTestService(), startTestService()]);
  const [first, second] = services.map(({ url }) => url);
  const databaseUrl = await newSqlite();
  let now = sampleNow;
  const standings = new Map<string, Membership>([['U0BEN', 'member']]);
  const commands = await startTestCommands({
    service: { url: first ?? '', apiKey: 'none' },
    endpoints: [first ?? '', second ?? ''],
    databaseUrl,
    clock: () => now,
    people: {
      membershipOf: async ({ userId }) => standings.get(userId) ?? 'admin',
      knownMembershipOf: () => undefined,
      knownAdminIds: () => [],
    },
  });
  onTestFinished(async () => {
    await commands.close();
    for (const service of services) await service.close();
  });
  const type = async (line: string, userId = person.userId) => {
    now += 70_000;
    const { messages } = await commands.run(line, { person: { ...person, userId, channelId: 'C0GENERAL' } });
    return messages.map(({ text }) => text).join('\n');
  };
  const submit = async (command: string, values: FormValues) => {
    now += 70_000;
    expect(['close', 'view']).toContain((await commands.submit({ command, actor: person, values })).kind);
  };
  return {
    ...commands,
    type,
    submit,
    databaseUrl,
    keys: services.map(({ apiKeys }) => apiKeys),
    urls: [first, second],
  };
}

type Workspace = Awaited<ReturnType<typeof workspace>>;

async function doAllWithDigests({ type, submit, store }: Workspace): Promise<void> {
  const schedule = { time: '09:00', weekdays: ['1'], zone: 'Etc/UTC' };
  const options = { which: 'all', allClear: 'off', uncertain: 'hold' };
  const filled = { step: 'fill', channel: 'C0GENERAL', ...schedule, ...options };
  await submit('digest', { step: 'save', filled: JSON.stringify(filled) });
  const [{ id = '' } = {}] = await store.subscriptions.list(person.teamId);
  await submit('digest', { step: 'save', filled: JSON.stringify({ ...filled, id }) });
  for (const word of ['pause', 'resume', 'now']) await type(`digest ${word}`);
  await submit('digest', { step: 'remove', id });
}

async function doEverything(all: Workspace): Promise<void> {
  const { type, submit, databaseUrl, keys, urls } = all;
  const [first, second] = urls.map((url) => endpointId(url ?? ''));
  await type('settings', 'U0BEN');
  await submit('connect', { endpoint: first ?? '', key: keys[0]?.harbor ?? '' });
  await submit('connect', { endpoint: second ?? '', key: keys[1]?.harbor ?? '' });
  const choices = { visibility: 'ephemeral', readers: 'everywhere', redaction: 'on' };
  await submit('settings', { ...choices, logs: 'nowhere', operators: ['U0BEN'] });
  await submit('settings', { ...choices, logs: 'everywhere' });
  await submit('disconnect', {});
  await submit('connect', { endpoint: first ?? '', key: keys[0]?.harbor ?? '' });
  await doAllWithDigests(all);
  await sql.raw(`update credential set api_key = replace(api_key, '.', '.x')`).execute(await openBeside(databaseUrl));
  await type('list');
}

/** The other actions happen before the installation or after the uninstallation. */
async function comeAndGo() {
  const bot = await startInstallBot();
  await bot.install();
  await bot.postJson(eventPayload({ type: 'app_uninstalled' }, { event_time: installNow / 1000 + 1 }));
  await bot.log.until('workspace uninstalled the bot');
  await bot.bot.stop();
  return bot.store.audit.page('T1', 50);
}

test('lifecycle/audit-complete: each entry has person, action, time and a reference that is in the log, and no value', async () => {
  const bot = await workspace();
  await doEverything(bot);
  const own = await bot.store.audit.page('T1', 50);
  const entries = [...own, ...(await comeAndGo())];
  expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(auditActions));
  for (const { userId, action, at, detail } of entries) {
    expect([action, userId]).toEqual([action, expect.stringMatching(/^(U0\w+)?$/)]);
    expect(at).toBeGreaterThan(0);
    expect(String(detail['ref'])).not.toBe('undefined');
  }
  for (const { detail } of own) expect(bot.logged()).toContain(`"ref":"${detail['ref']}"`);
  const told = JSON.stringify(entries);
  for (const { harbor } of bot.keys) expect(told).not.toContain(harbor.slice(16, 40));
  expect(told).not.toContain('canary');
});

test.each([
  ['a row removed', 'delete from audit where number = 2'],
  ['a row changed', `update audit set user_id = 'U0EVE' where number = 2`],
])('lifecycle/audit-tamper: %s is the first thing an admin reads', async (_what, statement) => {
  const { type, submit, databaseUrl } = await workspace();
  const choices = { visibility: 'ephemeral', readers: 'everywhere', redaction: 'on' };
  for (const logs of ['nowhere', 'everywhere', 'nowhere']) await submit('settings', { ...choices, logs });
  expect(await type('audit')).toContain('none is missing or changed. If the newest were deleted');
  await sql.raw(statement).execute(await openBeside(databaseUrl));
  expect(await type('audit')).toMatch(/^:rotating_light: Entry 2 is missing or was changed outside the bot\./);
});

test('the log shows that the newest entry was removed', async () => {
  const { submit, databaseUrl, logged, store } = await workspace();
  const choices = { visibility: 'ephemeral', readers: 'everywhere', redaction: 'on' };
  for (const logs of ['nowhere', 'everywhere', 'nowhere']) await submit('settings', { ...choices, logs });
  const db = await openBeside(databaseUrl);
  const { hash } = await db.selectFrom('audit').select('hash').where('number', '=', 3).executeTakeFirstOrThrow();
  await db.deleteFrom('audit').where('number', '=', 3).execute();
  expect((await store.audit.page(person.teamId, 1))[0]?.number).toBe(2);
  expect(await store.audit.firstBroken(person.teamId)).toBeUndefined();
  const lines = logged()
    .split('\n')
    .filter((line) => line.includes('audit entry written'));
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ teamId: person.teamId, number: 3, hash });
});
