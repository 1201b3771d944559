/** A bot token whose row was changed in the database is not used, and is reported once. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBeside, openTestStore } from '../../../support/bot/store.ts';
import { newSqlite } from '../../../support/databases/engines.ts';
import { startInstallBot } from '../../../support/slack/installing.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

const requests = 6;

test('a bot token from another row causes one audit entry and one log line over many requests, and people get the reason', async () => {
  const url = await newSqlite();
  const bot = await startInstallBot({ store: await openTestStore(url) });
  for (const id of ['T1', 'T2']) await bot.install({ team: { id, name: id }, access_token: `xoxb-canary-of-${id}` });
  const db = await openBeside(url);
  const [moved] = (
    await sql<{ token: string }>`select bot_token as token from installation where team_id = 'T2'`.execute(db)
  ).rows;
  await sql`update installation set bot_token = ${moved?.token} where team_id = 'T1'`.execute(db);
  bot.pass(61_000);
  const told: string[] = [];
  for (let number = 0; number < requests; number += 1) {
    const { text } = await bot.post(commandPayload(bot.slack, 'list', { team_id: 'T1', trigger_id: `1.${number}` }));
    told.push(text);
  }
  for (const text of told) expect(text).toContain('stored token for this workspace cannot be decrypted');
  expect(told[0]).toContain('https://bot.example.com/slack/install');
  expect(bot.log.messages().filter((message) => message === 'a stored secret cannot be decrypted')).toHaveLength(1);
  expect(bot.log.messages()).not.toContain('workspace could not be looked up');
  const audited = async (teamId: string) => (await bot.store.audit.page(teamId, 50)).map(({ action }) => action);
  expect((await audited('T1')).filter((action) => action === 'decrypt failure')).toHaveLength(1);
  expect(await audited('T2')).not.toContain('decrypt failure');
});
