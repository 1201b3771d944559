/** While the service runs, the sample continues. */
import { describe, expect, it } from 'vitest';
import type { ExecutionRecord } from '../../../src/query-service/records/record.ts';
import { createSampleAppender } from '../../../src/query-service/sample/load.ts';
import { historyOf, sampleRecords } from '../../../src/query-service/sample/sample.ts';
import { executionsOf } from '../../../src/query-service/sample/schedule.ts';
import { expectEvery } from '../../support/runner/every.ts';
import { causeOf } from '../../support/service/sample.ts';

const seed = 'harbor';
const builtAt = Date.parse('2026-11-20T10:00:00Z');
const hourMs = 3_600_000;
const built = sampleRecords({ seed, builtAt });
/** The whole sample takes a second to make. */
const lastHour = built.sample.schedules.flatMap((schedule) => {
  const runs: ExecutionRecord[] = [];
  for (const run of historyOf([schedule])) {
    if (run.startedAt <= builtAt - hourMs) break;
    runs.push(run);
  }
  return runs;
});

/** Executions by uuid: a put replaces a known one. */
function createShelf() {
  const shelf = new Map<string, ExecutionRecord>();
  const put = (records: readonly ExecutionRecord[]) => {
    for (const record of records) shelf.set(record.uuid, record);
  };
  put(lastHour);
  return {
    shelf,
    async putExecutions(records: readonly ExecutionRecord[]) {
      put(records);
    },
    runsOf: (name: string) =>
      [...shelf.values()]
        .filter(({ workflowUuid }) => workflowUuid === built.sample.workflows.find((w) => w.name === name)?.uuid)
        .sort((one, other) => one.startedAt - other.startedAt),
  };
}

/** The executions of a sample that is made at once, at `until`. */
function inOneGo(until: number): Map<string, ExecutionRecord> {
  const window = { from: builtAt - hourMs, to: until };
  const records = built.sample.schedules.flatMap((schedule) => [...executionsOf(schedule, window, until)]);
  return new Map(records.map((record) => [record.uuid, record]));
}

async function tickThrough(shelf: ReturnType<typeof createShelf>, seconds: readonly number[]) {
  const appender = createSampleAppender(shelf, { seed, builtAt });
  for (const second of seconds) await appender.tick(builtAt + second * 1000);
}

const everyFiveSeconds = Array.from({ length: 720 }, (_, index) => (index + 1) * 5);

describe('the appender', () => {
  it.each([
    ['every five seconds', everyFiveSeconds],
    ['at odd times', [1, 2, 2, 61, 299, 300, 301, 1_800, 3_600]],
    ['once, after an hour of sleep', [3_600]],
    ['after the clock went back', [1_200, 600, 900, 3_600]],
  ])('that ticks %s leaves no gap and no duplicate, and finishes executions in progress', async (_when, seconds) => {
    const shelf = createShelf();
    await tickThrough(shelf, seconds);
    const expected = inOneGo(builtAt + hourMs);
    const own = [...shelf.shelf.values()].filter(({ organizationId }) => organizationId === 'org_harbor_markets');
    expect(own.length).toBe(expected.size);
    expect(own.filter((record) => JSON.stringify(record) !== JSON.stringify(expected.get(record.uuid)))).toEqual([]);
  });

  it('continues each schedule', async () => {
    const shelf = createShelf();
    await tickThrough(shelf, everyFiveSeconds);
    const gapsMs = shelf
      .runsOf('payments')
      .map(({ startedAt }, index, all) => startedAt - (all[index - 1]?.startedAt ?? startedAt - 30_000));
    expect(shelf.runsOf('payments')).toHaveLength(240);
    expectEvery(gapsMs, (gapMs) => Math.abs(gapMs - 30_000) < 1_000);
  });

  it('continues the stories: failing, flaky, silent, paused, in progress', async () => {
    const shelf = createShelf();
    await tickThrough(shelf, [24 * 3_600]);
    const since = (name: string) => shelf.runsOf(name).filter(({ startedAt }) => startedAt > builtAt);
    const failing = since('payments').filter(({ finishedAt }) => finishedAt !== null);
    const flaky = since('fx-rates').filter(({ status }) => status === 'FAILURE');
    expect(new Set(failing.map(({ status }) => status))).toEqual(new Set(['FAILURE']));
    expect(new Set(failing.map(causeOf)).size).toBe(1);
    expect(flaky.length / since('fx-rates').length).toBeCloseTo(0.03, 2);
    expect([...since('carbon-credits'), ...since('loyalty-points'), ...since('legacy-payouts')]).toEqual([]);
    expect(since('risk-model').at(-1)?.status).toBe('IN_PROGRESS');
  });

  it('writes again after a tick that failed', async () => {
    const shelf = createShelf();
    const failures = [new Error('disk full')];
    const appender = createSampleAppender(
      {
        async putExecutions(records) {
          const failure = failures.pop();
          if (failure) throw failure;
          await shelf.putExecutions(records);
        },
      },
      { seed, builtAt },
    );
    await expect(appender.tick(builtAt + hourMs / 2)).rejects.toThrow('disk full');
    await appender.tick(builtAt + hourMs);
    expect(shelf.runsOf('payments')).toHaveLength(240);
  });
});
