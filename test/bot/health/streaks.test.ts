/** Since when a workflow fails in every run, read from a real service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queryTurns, type ReadWorkflow } from '../../../src/bot/health/streaks.ts';
import type { DeploymentRecord, ExecutionRecord } from '../../../src/query-service/records/record.ts';
import { createTestQuery } from '../../support/bot/query.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import {
  deploymentRecord,
  executionRecord,
  failureRecord,
  minutesAgo,
  serviceNow,
  workflowRecord,
} from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let used = 1_000;
const next = () => ++used;

/** A workflow with one run a minute, the newest a minute ago. @param runs newest first: S succeeded, F failed, P in progress */
async function workflowWith(
  runs: string,
  deployments: readonly Partial<DeploymentRecord>[] = [],
  oldestDaysAgo: number | null = null,
): Promise<string> {
  const workflow = workflowRecord(next());
  const { uuid: workflowUuid } = workflow;
  const executions = [...runs].map((letter, index): ExecutionRecord => {
    const about = { workflowUuid, startedAt: minutesAgo(index + 1) };
    if (letter === 'F') return failureRecord(next(), about);
    return executionRecord(next(), letter === 'P' ? { ...about, status: 'IN_PROGRESS', finishedAt: null } : about);
  });
  await service.writer.putWorkflows([workflow]);
  await service.writer.putDeployments(
    deployments.map((deployment) => deploymentRecord(next(), { workflowUuid, ...deployment })),
  );
  await service.writer.putExecutions(executions);
  if (oldestDaysAgo !== null) {
    const startedAt = minutesAgo(oldestDaysAgo * 1440);
    await service.writer.putExecutions([executionRecord(next(), { workflowUuid, startedAt })]);
  }
  return workflowUuid;
}

async function ask(uuid: string, window: ReadWorkflow['window'] = null, now = serviceNow) {
  await using query = createTestQuery(service.url, service.apiKeys.harbor);
  const client = query.ask();
  const { data: newestOf } = await client.newestResultsOf([uuid]);
  const workflow = { uuid, newest: newestOf.get(uuid) ?? [], window };
  const turns = await queryTurns(client, [workflow], now, true);
  return { ...turns.data.get(uuid), missing: turns.provenance.missing };
}

it.each([
  ['FFFS', 3],
  ['PFFPFS', 3],
  [`${'F'.repeat(9)}S`, 9],
  [`${'F'.repeat(10)}S`, 10],
  [`PP${'F'.repeat(350)}SSF`, 350],
])('the runs %.20s… have failed since the first failure after the last success', async (runs, failed) => {
  const { streak, missing } = await ask(await workflowWith(runs));
  const since = minutesAgo(runs.indexOf('S'));
  expect(streak).toMatchObject({ failed, since, isWhole: true, deployedAt: null, blamed: null });
  expect(missing).toEqual([]);
});

it.each([
  ['FF', 'SSSF', 10, 0, true],
  ['FFF', 'SSSF', 10, 0, false],
  ['FFF', 'SSF', 10, 0, true],
  ['FF', 'SSSSSSSSSF', 4, 0, false],
  // Too few runs for a usual rate.
  ['FF', 'SSSF', 4, 0, false],
  // No success in the last 24 hours.
  ['FF', 'SSSF', 10, 1, false],
])('%s after %s × %i, %i days later, is as usual: %s', async (newest, usual, times, days, isUsual) => {
  const later = serviceNow + days * 86_400_000;
  const { streak } = await ask(await workflowWith(newest + usual.repeat(times)), null, later);
  expect(streak).toMatchObject({ failed: newest.length, isUsual });
});

it('failures in a row that are usual have the main cause of a workflow that fails now and then', async () => {
  const window = { counts: { total: 42, success: 30, failure: 12 }, from: minutesAgo(60) };
  const { intermittent, missing } = await ask(await workflowWith(`FF${'SSSF'.repeat(10)}`), window);
  expect(intermittent).toMatchObject({ counts: window.counts, main: { isRepeated: true } });
  expect(missing).toEqual([]);
});

it('one failure, or a success after the failures, is no streak', async () => {
  for (const runs of ['FSSS', 'SFFF', 'PSF', 'P']) expect((await ask(await workflowWith(runs))).streak).toBeNull();
});

it('without a success that is kept the streak may be longer', async () => {
  const { streak } = await ask(await workflowWith('F'.repeat(30)));
  expect(streak).toMatchObject({ failed: 30, since: minutesAgo(30), isWhole: false, deployedAt: null });
});

it('names the last deployment between the last success and the first failure, and no other', async () => {
  const runs = `${'F'.repeat(20)}SS`;
  const at = (minutes: number) => ({ deployedAt: minutesAgo(minutes) });
  const between = await ask(await workflowWith(runs, [at(20.5), at(20.7), at(30)]));
  expect(between.streak?.deployedAt).toBe(minutesAgo(20.5));
  const elsewhere = await ask(await workflowWith(runs, [at(5), at(21.5)]));
  expect(elsewhere.streak?.deployedAt).toBeNull();
  const refused = await ask(await workflowWith(runs, [{ ...at(20.5), status: 'FAILED' }]));
  expect(refused.streak?.deployedAt).toBeNull();
});

it('has the newest failure of the streak with its cause', async () => {
  const { streak } = await ask(await workflowWith(`FF${'F'.repeat(15)}S`));
  expect(streak?.failure).toMatchObject({
    startedAt: new Date(minutesAgo(1)).toISOString(),
    cause: { title: expect.any(String) },
  });
});

it('blames the deployment with which all failures began, and none that the numbers do not support', async () => {
  const at = (minutes: number) => ({ deployedAt: minutesAgo(minutes), status: 'ACTIVE' as const });
  const [failed, good] = ['F'.repeat(20), 'S'.repeat(200)];
  const began = await ask(await workflowWith(failed + good, [at(20.5), at(200)]));
  expect(began.streak?.blamed).toMatchObject({ isReplaced: false });
  expect(Date.parse(String(began.streak?.blamed?.previous?.deployedAt))).toBe(minutesAgo(200));
  const tooFew = await ask(await workflowWith(`${failed}SS`, [at(20.5), at(22.5)]));
  const elsewhere = await ask(await workflowWith(failed + good, [at(100), at(200)]));
  const often = Array.from({ length: 15 }, (_, index) => at(20.5 + index));
  const byChance = await ask(await workflowWith(failed + good, often));
  for (const { streak } of [tooFew, elsewhere, byChance]) expect(streak?.blamed).toBeNull();
});

it('counts no more failures than the window that was read before, if it holds the streak', async () => {
  const uuid = await workflowWith(`${'F'.repeat(20)}S`);
  const failures = (failure: number) => ({ total: 21, success: 1, failure });
  expect((await ask(uuid, { counts: failures(19), from: minutesAgo(60) })).streak?.failed).toBe(19);
  expect((await ask(uuid, { counts: failures(9), from: minutesAgo(10) })).streak?.failed).toBe(20);
});

it('counts the successes since the last failure', async () => {
  const window = { counts: { total: 133, success: 131, failure: 1 }, from: minutesAgo(200) };
  const { recovery } = await ask(await workflowWith(`P${'S'.repeat(130)}FS`), window);
  // One of the 133 runs that the window counts.
  const failedShare = expect.closeTo(1 / 133);
  expect(recovery).toEqual({ lastFailedAt: minutesAgo(132), good: 130, failedShare, usualFailures: null });
  expect((await ask(await workflowWith('SSS'))).recovery).toBeNull();
});

it.each([
  // Newest first; kept for 30 days. The cause, how old it is and whether it came back.
  ['SSFSSSFSSFSSS', 'new', 10, true],
  ['FSSSFSSFSSSSS', 'new', 8, true],
  ['SSSFFFSSSSSSS', 'new', 6, false],
  ['SSSSSSFSSSSSS', 'new', 7, false],
])(
  'between the runs %s failures have a cause that is %s since %i min ago',
  async (runs, recurrence, minutes, isRepeated) => {
    const counts = { total: 13, success: 13 - runs.split('F').length + 1, failure: runs.split('F').length - 1 };
    const { intermittent, missing } = await ask(await workflowWith(runs, [], 30), { counts, from: minutesAgo(13) });
    expect(intermittent).toMatchObject({
      counts,
      main: { age: { recurrence, since: minutesAgo(minutes) }, isRepeated },
    });
    expect(missing).toEqual([]);
  },
);

it('of a workflow that fails in every run, or has no failure in its window, says nothing of failures now and then', async () => {
  const window = { counts: { total: 4, success: 2, failure: 2 }, from: minutesAgo(5) };
  expect((await ask(await workflowWith('FFSS'), window)).intermittent).toBeNull();
  const good = { counts: { total: 4, success: 4, failure: 0 }, from: minutesAgo(5) };
  expect((await ask(await workflowWith('SSSS'), good)).intermittent).toBeNull();
});

it.each([
  [60, (4 * 200) / (28 * 1440)],
  [22, (4 * 200) / (28 * 1440)],
  [20, null],
  [3, null],
])(
  'of a workflow whose runs are kept for %i days, four failures before the window are usually %d in one',
  async (days, usual) => {
    const uuid = await workflowWith(`${'S'.repeat(150)}FS${'S'.repeat(60)}FFFF`, [], days);
    const { recovery } = await ask(uuid, { counts: { total: 200, success: 199, failure: 1 }, from: minutesAgo(200) });
    if (usual === null) expect(recovery?.usualFailures).toBeNull();
    else expect(recovery?.usualFailures).toBeCloseTo(usual);
  },
);

it('while the service is away an earlier answer serves the newest runs that reach back to it, and only those', async () => {
  const uuid = await workflowWith(`${'F'.repeat(20)}S`);
  await using query = createTestQuery(service.url, service.apiKeys.harbor);
  query.clock.now = serviceNow;
  const streakAfter = async (...minutes: readonly number[]) => {
    const newest = minutes.map((minute) => ({ status: 'FAILURE', startedAt: minutesAgo(-minute) }));
    const read = newest.map(({ status, startedAt }) => ({ status, startedAt: new Date(startedAt).toISOString() }));
    const turns = await queryTurns(query.ask(), [{ uuid, newest: read, window: null }], serviceNow, true);
    return turns.data.get(uuid)?.streak?.since;
  };
  expect(await streakAfter(-1, -2)).toBe(minutesAgo(20));
  await service.close();
  expect(await streakAfter(2, 1, -1)).toBe(minutesAgo(20));
  expect(await streakAfter(3, 2, 1)).toBeUndefined();
});
