/** The hostile cases of the section `process` with several processes on one store, or a failing database server. */
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startTestCommands } from '../support/bot/commands.ts';
import { openTestStore } from '../support/bot/store.ts';
import { databaseLine } from '../support/databases/database-line.ts';
import { describePostgres } from '../support/databases/engines.ts';
import { calm, shorterTiming, trialOf } from '../support/delivery/presets.ts';
import { runTrial, type TrialOptions } from '../support/delivery/trial.ts';
import { versions } from '../support/delivery/versions.ts';
import { startControl } from '../support/runner/control.ts';
import { startInstallBot } from '../support/slack/installing.ts';
import { httpNow } from '../support/slack/signed-http.ts';
import { commandPayload } from '../support/slack/slack-payloads.ts';

type Trial = Pick<TrialOptions, 'storeUrl' | 'kills'> & Partial<TrialOptions>;

/** Each digest is posted exactly once. */
async function expectEachOnce(trial: Trial): Promise<void> {
  const counts = await runTrial(trialOf({ judge: calm, timing: shorterTiming, seed: 1, ...trial }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0 });
  expect(counts.posted).toBe(counts.due);
  expect(counts.due).toBeGreaterThan(0);
}

/** A healthy Slack. @param happen called at the post of this number */
function calmUntil(happen: Readonly<Record<number, () => unknown>>): TrialOptions['judge'] {
  let posts = 0;
  const random = () => {
    posts += 1;
    happen[posts]?.();
    return 1;
  };
  return { ...calm, random };
}

/** A separate connection to the bot's database. */
async function beside(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describePostgres('several processes on one store', (newDatabase) => {
  it('process/sigstop-60: a process that was frozen beyond its lease does not send what another has sent', async () => {
    const frozen = { kind: 'freeze', afterMs: 150, forMs: 3000 } as const;
    const kills = [frozen, { kind: 'random', afterMs: 4500 }] as const;
    await expectEachOnce({ storeUrl: await newDatabase(), replicas: 2, kills, buildMs: 300, lifeMs: 500 });
  });

  it('process/rolling-deploy, process/clock-skew-replicas: an old and a new version overlap with clocks 90 seconds apart, and the new payloads and tables have more', async () => {
    const storeUrl = await newDatabase();
    const db = await beside(storeUrl);
    const judge = calmUntil({ 1: () => db.query('alter table delivery add column later text') });
    const kills = [
      { kind: 'post', moment: 'received', nth: 1, signal: 'SIGTERM' },
      { kind: 'post', moment: 'accepted', nth: 2 },
    ] as const;
    await expectEachOnce({ storeUrl, replicas: 2, versions, skewMs: 90_000, kills, judge });
    expect((await db.query('select later from delivery')).rows.length).toBeGreaterThan(0);
  });
});

describePostgres('a database server in trouble', (newDatabase) => {
  it('process/db-down-60s, process/db-failover: digests are late and posted once, also if a process is cut off during a commit', async () => {
    const storeUrl = await newDatabase();
    const line = await databaseLine(storeUrl);
    const kills = [{ kind: 'random', afterMs: 4000 }] as const;
    const judge = calmUntil({ 1: () => line.loseCommits(5), 4: () => line.goDownFor(2000) });
    await expectEachOnce({ storeUrl, replicasStoreUrl: line.url, kills, judge });
    expect(line.lost()).toBeGreaterThan(0);
  });

  it('process/db-down-60s: commands get an error within three seconds, and work again afterwards', async () => {
    const line = await databaseLine(await newDatabase());
    const commands = await startTestCommands({ databaseUrl: line.url });
    onTestFinished(commands.close);
    const person = (teamId: string) => ({ teamId, userId: 'U1', channelId: 'C1' });
    const down = line.goDownFor(1500);
    const limit = startControl(30_000);
    const { answer, text } = await commands.type('list', { person: person('T1') });
    expect(limit.isOver()).toBe(false);
    expect([answer.isProblem, text]).toEqual([true, expect.stringMatching(/right now|try again/i)]);
    await down;
    expect((await commands.type('list', { person: person('T2') })).answer.isProblem).toBeFalsy();
  });

  it('process/db-slow: Slack is acknowledged at once, while every statement takes two seconds', async () => {
    const line = await databaseLine(await newDatabase());
    const bot = await startInstallBot({ store: await openTestStore(line.url) });
    await bot.install();
    await bot.post(commandPayload(bot.slack, 'list', { team_id: 'T1' }));
    line.delayBy(2000);
    const acknowledgedWithin = async (ms: number, at: number) => {
      const limit = startControl(ms);
      expect((await bot.post(commandPayload(bot.slack, 'list', { team_id: 'T1' }), at)).status).toBe(200);
      return !limit.isOver();
    };
    // Before a statement could end.
    expect(await acknowledgedWithin(2000, httpNow)).toBe(true);
    // The cache of the workspace has expired.
    bot.pass(60_000);
    expect(await acknowledgedWithin(30_000, httpNow + 60)).toBe(true);
    line.delayBy(0);
  });

  it('process/db-pool-exhausted: while all connections wait, a command queues for about a second at most', async () => {
    const databaseUrl = await newDatabase();
    const commands = await startTestCommands({ databaseUrl });
    onTestFinished(commands.close);
    const locking = await beside(databaseUrl);
    await locking.query('begin');
    await locking.query('lock table settings in access exclusive mode');
    const limit = startControl(30_000);
    const ask = (index: number) =>
      commands.type('list', { person: { teamId: `T${index}`, userId: `U${index}`, channelId: 'C1' } });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(index)));
    expect(limit.isOver()).toBe(false);
    for (const { answer } of answers) expect(answer.isProblem).toBe(true);
    await locking.query('rollback');
    await expect.poll(async () => (await ask(99)).answer.isProblem, { interval: 1_000 }).toBeFalsy();
  });
});
