/** The wiring of the bot. */
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/bot/store/database.ts';
import { startComposed } from '../support/bot/composed-bot.ts';
import { newSqlite } from '../support/databases/engines.ts';
import { localSlack } from '../support/slack/local-slack.ts';

test('a bot behind a proxy may be stopped twice', async () => {
  const proxy = { httpProxy: 'http://127.0.0.1:9', noProxy: '127.0.0.1' };
  const { bot } = await startComposed(await localSlack(), { proxy });
  await expect(Promise.all([bot.stop(), bot.stop()])).resolves.toEqual([undefined, undefined]);
  await expect(bot.stop()).resolves.toBeUndefined();
});

test('a bot in Socket Mode deletes at its start what has expired', async () => {
  const databaseUrl = await newSqlite();
  const { db, close } = await openDatabase(databaseUrl, 'bot');
  const keys = [1, Number.MAX_SAFE_INTEGER].map((expiresAt) => ({
    teamId: 'T1',
    key: `Ev${expiresAt}`,
    expiresAt,
  }));
  await db.insertInto('idempotency_key').values(keys).execute();
  await close();
  const { bot } = await startComposed(await localSlack(), { databaseUrl });
  await bot.stop();
  const after = await openDatabase(databaseUrl, 'script');
  onTestFinished(after.close);
  expect(await after.db.selectFrom('idempotency_key').select('expiresAt').execute()).toEqual([
    { expiresAt: Number.MAX_SAFE_INTEGER },
  ]);
});
