/** The hostile cases of the section `process`: faults of the program, its machine and the calendar. */
import { copyFileSync, rmSync } from 'node:fs';
import { expect, onTestFinished, vi } from 'vitest';
import { duesBetween, type Schedule } from '../../src/bot/domain/schedule.ts';
import { openStore } from '../../src/bot/store/store.ts';
import { dayMs } from '../support/bot/outbox.ts';
import { startWorker } from '../support/bot/outbox-worker.ts';
import { startScheduled } from '../support/bot/scheduled.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { newSqlite } from '../support/databases/engines.ts';
import { type Kill, startReplica } from '../support/delivery/fleet.ts';
import { startJudge } from '../support/delivery/judge.ts';
import { calm, shorterTiming, trialOf } from '../support/delivery/presets.ts';
import { type Counts, runTrial } from '../support/delivery/trial.ts';
import { startControl } from '../support/runner/control.ts';
import { relayTo } from '../support/service/hostile-http.ts';
import { startWorld } from '../support/service/world.ts';

const hourMs = 3_600_000;
const everyDay = [1, 2, 3, 4, 5, 6, 7];
const isRoot = ({ text }: { readonly text: string }) => text.startsWith('root');

/** One process after the other is ended, and the last one continues their work. */
const kills = {
  'kill9-before-claim': { kind: 'failpoint', failpoint: 'before claim', nth: 1 },
  'kill9-after-bytes-sent-before-Slack-handles': { kind: 'post', moment: 'received', nth: 1 },
  'kill9-after-Slack-posted-before-answer': { kind: 'post', moment: 'accepted', nth: 2 },
  'restart-at-minute': { kind: 'failpoint', failpoint: 'before plan', nth: 1 },
  oom: { kind: 'memory', failpoint: 'after outcome', nth: 1 },
} as const satisfies Readonly<Record<string, Kill>>;

const lateMs = 60_000;
let killed: Promise<Counts> | undefined;

async function killEach(): Promise<Counts> {
  const trial = { storeUrl: await newSqlite(), kills: Object.values(kills), judge: calm, seed: 1 };
  // If a fault never happens, the test times out.
  return runTrial(trialOf({ ...trial, timing: shorterTiming, lifeMs: 130_000, lateAfterMs: lateMs }));
}

/** The trial is the same for each of them. */
const expectContinued: CaseRun = async ({ expect: wanted }) => {
  killed ??= killEach();
  expect(wanted['lateMs'] ?? lateMs).toBe(lateMs);
  expect(await killed).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0, late: 0, due: 15, posted: 15 });
};

/** Running work is finished, and the rest is left to the next process. */
const sigterm: CaseRun = async ({ expect: wanted }) => {
  const [storeUrl, judge] = [await newSqlite(), await startJudge({ ...calm, latencyMs: 200 })];
  onTestFinished(judge.close);
  const timing = { ...shorterTiming, sendDeadlineMs: 20_000, leaseMs: 30_000 };
  const same = { ...trialOf({ storeUrl, kills: [], seed: 1, timing }), apiUrl: judge.apiUrl };
  const first = startReplica({ ...same, name: 'a', subscriptions: 1 }, () => undefined);
  let limit: ReturnType<typeof startControl> | undefined;
  judge.onPost = () => {
    judge.onPost = () => undefined;
    limit = startControl(10 * Number(wanted['drainMs']));
    first.child.kill('SIGTERM');
  };
  await first.ended;
  expect([first.child.exitCode, first.child.signalCode]).toEqual([0, null]);
  expect(limit?.isOver()).toBe(false);
  const store = await openStore(storeUrl);
  const messages = [{ state: 'sent' }, { state: 'waiting', attempts: 0 }];
  expect(await store.outbox.page('T0', 9)).toMatchObject([{ state: 'due', messages }]);
  await store.close();
  const next = startReplica({ ...same, name: 'b', subscriptions: 0 }, (line) => {
    if (line === 'after finish') next.child.kill('SIGTERM');
  });
  await next.ended;
  expect([...judge.standing().values()].map(({ length }) => length)).toEqual([1, 1]);
};

/** Blocked between an intent and its send: the intent is then too old, and a new one is stored. */
const gcPause: CaseRun = async () => {
  let pauses = 1;
  const onStep = (step: string) => {
    if (step !== 'after intent' || pauses-- < 1) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  };
  const { posts, until, subscribe, worker, pass, outbox } = await startWorker({ onStep });
  await subscribe();
  pass(1000);
  worker.start();
  await until('after finish');
  expect(posts).toHaveLength(2);
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted', messages: [{ attempts: 1 }, { attempts: 1 }] }]);
};

/** It is posted once on that day, and next on the day after, across the change of clocks. */
const onceOn =
  (zone: string, time: string, ...dates: readonly string[]): CaseRun =>
  async () => {
    const schedule: Schedule = { zone, time, weekdays: everyDay };
    for (const date of dates) {
      const around = duesBetween(schedule, { at: Date.parse(`${date}T00:00Z`) - 2 * dayMs }, Infinity, 6);
      const at = around.findIndex(({ localTime }) => localTime.startsWith(date));
      const [due, next] = [around[at], around[at + 1]];
      if (!due || !next) throw new Error(`There is no ${date}.`);
      const { posts, pass, clock, subscribe, worker, until, outbox } = await startWorker();
      pass(due.at - 1000 - clock());
      await subscribe('T1', { schedule }, due);
      worker.start();
      pass(1000);
      await until('after finish');
      for (let hour = 0; hour < 5; hour += 1) pass(hourMs);
      pass(next.at - clock());
      await until('after finish', 2);
      expect(posts.filter(isRoot)).toHaveLength(2);
      expect((await outbox.page('T1', 9)).map(({ key }) => key.occurrenceId)).toEqual([next.localTime, due.localTime]);
    }
  };

/** Node would fire a timer of this length at once and repeatedly, with a warning. */
const timerOverflow: CaseRun = async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const delays = () => timers.mock.calls.map(([, ms = 0]) => ms);
  const { posts, pass, clock, subscribe, worker, until } = await startWorker({ timing: { wakeMsMax: 14_999 } });
  await subscribe('T1', {}, { localTime: '2026-12-22T09:00', at: clock() + 30 * dayMs, shift: 'none' });
  worker.start();
  await expect.poll(delays).toContain(14_999);
  expect(Math.max(...delays())).toBeLessThan(2 ** 31);
  expect(posts).toEqual([]);
  pass(30 * dayMs);
  await until('after finish');
  expect(posts.filter(isRoot)).toHaveLength(1);
};

const downThreeDays: CaseRun = async () => {
  await using world = await startWorld();
  const { posts, ended } = await startScheduled(relayTo(world.url), { awayMs: 2 * dayMs + hourMs });
  await ended();
  expect(posts.filter(({ to }) => to.threadTs === undefined)).toHaveLength(1);
  expect(posts[0]?.text).toMatch(/late[\s\S]*2 digests skipped/i);
};

/** The restored store knows the posts before the backup, and none after it. */
const restoredBackup: CaseRun = async () => {
  const storeUrl = await newSqlite();
  const file = storeUrl.replace('sqlite:', '');
  const live = async (passMs: number, isFirst = false) => {
    const { store, subscribe, pass, worker, until, posts, outbox } = await startWorker({ storeUrl });
    if (isFirst) await subscribe();
    pass(passMs);
    worker.start();
    await until('after finish');
    await worker.stop();
    const [newest] = await outbox.page('T1', 1);
    await store.close();
    return [newest?.key.occurrenceId, posts.filter(isRoot).length];
  };
  expect(await live(1000, true)).toEqual(['2026-11-22T09:00', 1]);
  copyFileSync(file, `${file}.yesterday`);
  expect(await live(dayMs + 1000)).toEqual(['2026-11-23T09:00', 1]);
  for (const rest of ['', '-wal', '-shm']) rmSync(file + rest, { force: true });
  copyFileSync(`${file}.yesterday`, file);
  expect(await live(dayMs + hourMs)).toEqual(['2026-11-23T09:00', 1]);
};

const someKills = 'test/bot/digests/kills.test.ts';
const everyKill = 'test/bot/digests/kills.long.test.ts';
const shared = 'test/hostile/process-shared.test.ts';

walk({
  section: 'process',
  runs: {
    ...Object.fromEntries(Object.keys(kills).map((name) => [name, expectContinued])),
    sigterm,
    'gc-pause': gcPause,
    'db-restored-backup': restoredBackup,
    'dst-spring': onceOn('Europe/Berlin', '02:30', '2026-03-29', '2026-10-25'),
    'dst-lord-howe': onceOn('Australia/Lord_Howe', '02:15', '2026-10-04', '2027-04-04'),
    'leap-day': onceOn('UTC', '09:00', '2028-02-29'),
    'timer-overflow': timerOverflow,
    'down-3-days': downThreeDays,
  },
  instead: {
    'db-restored-backup': 'digests of the lost window are posted once more: the store has no record of them',
    'down-3-days': 'the latest has its own window and is late; it names the others in a line',
    'db-slow': 'without a cached workspace it takes up to 2.3 s; Slack waits for 3 s',
    'gc-pause': 'acknowledgements are measured; Slack does not report those that were too late',
  },
  elsewhere: {
    'kill9-loop': someKills,
    'kill9-during-fetch': everyKill,
    'kill9-after-fetch-before-intent-commit': everyKill,
    'kill9-after-result-commit': everyKill,
    'kill9-during-lease-renewal': everyKill,
    'sigstop-60': shared,
    'rolling-deploy': shared,
    'clock-skew-replicas': shared,
    'db-down-60s': shared,
    'db-failover': shared,
    'db-slow': shared,
    'db-pool-exhausted': shared,
    'split-brain-store': 'test/bot/store/store.test.ts',
    'version-downgrade': 'test/bot/store/store.test.ts',
    'poison-subscription': 'test/bot/outbox/worker.test.ts',
    'tz-unknown': 'test/bot/commands/words/digest/form.test.ts',
    'slack-connections': 'test/bot/slack/inbound/receivers/socket-receiver.test.ts',
    'clock-2s-signature': 'test/bot/slack/inbound/receivers/clock-check.test.ts',
  },
  later: { 'memory-soak': { because: 'it takes an hour, and has no figure in bench yet', until: null } },
});
