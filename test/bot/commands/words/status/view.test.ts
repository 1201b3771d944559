/** View of `status`. */
import { describe, expect, it } from 'vitest';
import { type StatusCard, statusMessage } from '../../../../../src/bot/commands/words/status/view.ts';
import { withCause } from '../../../../../src/bot/insight/causes/cause.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { aHealth, aStreak } from '../../../../support/insight/health.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { regularSilence } from '../../../../support/insight/silences.ts';
import { aDeployment, ago, anExecution, aWorkflow, minuteMs, now } from '../../../../support/service/service-data.ts';

const dayMs = 1440 * minuteMs;

function card(overrides: Partial<StatusCard> = {}): StatusCard {
  return {
    workflow: aWorkflow(),
    health: aHealth({
      state: 'failing',
      streak: aStreak({ failed: 40, since: now - 4 * 3_600_000 }),
    }),
    asked: overrides.window ?? { from: now - dayMs, to: now, label: '24h', isMoving: true },
    counts: { total: 288, success: 248, failure: 40 },
    countsBefore: { total: 288, success: 288, failure: 0 },
    creditUsed: '1.25',
    days: {
      zone: 'UTC',
      buckets: [{ from: '2026-11-21T00:00:00Z', to: '2026-11-22T00:00:00Z', successCount: 248, failureCount: 40 }],
    },
    history: Array.from({ length: 28 }, () => ({
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-02T00:00:00Z',
      successCount: 288,
      failureCount: 0,
    })),
    failures: [anExecution(), anExecution({ startedAt: ago(7) })],
    newestExecutions: [
      anExecution(),
      anExecution({ startedAt: ago(7) }),
      anExecution({ status: 'SUCCESS', startedAt: ago(12) }),
    ],
    withErrors: null,
    latestDeployment: aDeployment(),
    window: { from: now - dayMs, to: now, label: '24h', isMoving: true },
    provenance: { source: 'live', asOf: now, missing: [] },
    now,
    ...overrides,
  };
}

describe('the status card', () => {
  it('starts with the verdict, and compares the numbers with those of the window before', () => {
    const { text } = statusMessage(card());
    expect(text).toMatch(
      /^:red_circle: payments is failing: all 40 runs since <!date[^>]+> failed\.\nWhat to try: investigate the newest failure\.\n\*Runs/,
    );
    expect(text).toContain('*Failures*\n40 (the 24 h before: 0)');
    expect(text).toContain('*Success rate*\n86 % (the 24 h before: 100 %)');
    expect(text).toContain('connection refused');
    expect(text).toContain('As of <!date');
  });

  it.each([
    ['healthy', 'is healthy: no failures in 288 runs in the last 24 h, nor in 288 runs before.'],
    ['unstable', 'is unstable: 40 failures in 288 runs in the last 24 h, up from 0 in 288.'],
    ['idle', 'had no runs in the last 24 h; 288 runs before.'],
    ['never_run', 'has never run.'],
    ['inactive', 'is not active: its status is active'],
    ['unknown', 'cannot be judged'],
  ] as const)('of a workflow that is %s has the state in words', (state, words) => {
    const total = state === 'idle' ? 0 : 288;
    const failed = state === 'healthy' || state === 'idle' ? 0 : 40;
    const counts = { total, success: total - failed, failure: failed };
    const message = statusMessage(card({ health: aHealth({ state }), counts }));
    expect(message.text).toContain(words);
    expectGoodMessage(message);
  });

  it('without runs in a window that is over may have had some that are not kept', () => {
    const window = { from: now - 3 * 86_400_000, to: now - 2 * 86_400_000, label: '2026-11-18', isMoving: false };
    const counts = { total: 0, success: 0, failure: 0 };
    const health = aHealth({ state: 'idle' });
    const { text } = statusMessage(card({ health, counts, countsBefore: counts, window }));
    expect(text).toContain('nor in the previous window, or none that the query service still keeps.');
    expect(statusMessage(card({ health, counts, window })).text).toContain(
      'had no runs on 2026-11-18; 288 runs before.',
    );
  });

  it('whose counts are not known says so, and nothing against what is known', () => {
    const streak = aStreak({ failed: 40, since: now - 4 * 3_600_000 });
    const health = aHealth({ state: 'unknown', verdict: 'failing', isFailingNow: true, streak });
    const { text } = statusMessage(card({ health, counts: null }));
    expect(text).toMatch(
      /^:red_circle: payments has no known counts: the query service did not return them\. It is failing now: all 40 runs/,
    );
  });

  it('says since when a workflow without an execution is active, and that it knows of no schedule', () => {
    const textOf = (isActiveSince: boolean) => {
      const neverRan = { name: 'payments', since: now - 3 * dayMs, isActiveSince };
      return statusMessage(card({ health: aHealth({ state: 'never_run', neverRan }) })).text;
    };
    expect(textOf(true)).toMatch(
      /^:grey_question: payments has never run: activated 3 d ago; its schedule is not known\./,
    );
    expect(textOf(false)).toMatch(/has never run: registered 3 d ago, activation not known; its schedule/);
    const health = aHealth({ state: 'never_run' });
    expect(statusMessage(card({ health })).text).toMatch(/^:white_circle: payments has never run\./);
  });

  it('has the evidence for its trend, if it names one', () => {
    const textOf = (overrides: Partial<StatusCard>) => statusMessage(card(overrides)).text;
    expect(textOf({})).toContain(
      'A larger share of runs failed than in the previous window. The last 28 days with runs before this window had ',
    );
    const all = { total: 288, success: 0, failure: 288 };
    expect(textOf({ counts: all, history: null })).toContain('comes by chance in at most 2.5 % of comparisons');
    const same = { total: 288, success: 287, failure: 1 };
    expect(textOf({ counts: same })).not.toContain('than in the previous window');
    const fewer = { total: 10, success: 0, failure: 10 };
    expect(textOf({ counts: fewer, countsBefore: { total: 288, success: 258, failure: 30 } })).toContain(
      'A larger share of runs failed',
    );
  });

  it('calls a workflow healthy only if that is its verdict', () => {
    const counts = { total: 288, success: 288, failure: 0 };
    const textOf = (health: Parameters<typeof aHealth>[0]) =>
      statusMessage(card({ counts, health: aHealth(health) })).text;
    expect(textOf({ verdict: 'unknown' })).toMatch(/^:grey_question: payments had no failures in 288 runs/);
    expect(textOf({ verdict: 'with_errors', newest: { lookedAt: 5, failedInARow: 0, withErrors: 2 } })).toMatch(
      /^:large_yellow_circle: payments had no failures.* But 2 of the newest 5 runs completed with errors\./,
    );
    const recovery = { lastFailedAt: now - 9 * 3_600_000, good: 250, failedShare: 1, usualFailures: 0 };
    const newest = { lookedAt: 5, failedInARow: 0, withErrors: 5 };
    expect(textOf({ verdict: 'with_errors', state: 'unstable', recovery, newest })).toMatch(
      /^:large_yellow_circle: payments has recovered.* But all of the newest 5 runs completed with errors\./,
    );
  });

  it.each([
    [1, ' Cause: '],
    [100, ' Main cause: '],
    [300, ' Main cause of the newest 100 failures: '],
  ])('of %i failures in the last day names no cause of more than were read', (failure, words) => {
    const counts = { total: 2_880, success: 2_880 - failure, failure };
    const failed = withCause({ ...anExecution(), errors: [{ error: 'connection refused', count: 4 }] });
    const main = { failure: failed, age: { recurrence: 'new', since: now }, isRepeated: true } as const;
    const health = aHealth({ state: 'unstable', intermittent: { counts, main } });
    expect(statusMessage(card({ counts, health })).text).toContain(`${words}“connection refused”`);
  });

  it('counts successes with errors apart from failures, and says how many it looked at', () => {
    const some = (isWhole: boolean) =>
      statusMessage(card({ withErrors: { withErrors: 3, lookedAt: 100, isWhole } })).text;
    expect(some(false)).toContain(
      '*Completed with errors*\nat least 3: only the newest 100 successful runs were looked at',
    );
    expect(some(true)).toContain('*Completed with errors*\n3 of 100 successful runs');
    expect(some(true)).toContain('*Failures*\n40');
    expect(statusMessage(card()).text).not.toContain('with errors');
  });

  it('has its fields in pairs, as Slack shows them, whatever is known', () => {
    const withErrors = { withErrors: 3, lookedAt: 100, isWhole: true };
    for (const more of [{}, { withErrors }, { creditUsed: null }, { creditUsed: null, withErrors }, { counts: null }]) {
      const { blocks } = statusMessage(card(more));
      const facts = blocks.flatMap((block) => (block.type === 'section' ? (block.fields ?? []) : []));
      expect(facts.length % 2).toBe(0);
      expect(facts.length).toBeGreaterThan(1);
    }
  });

  it('says since when a workflow is silent and how often it used to run', () => {
    const silence = regularSilence(now - 360 * minuteMs, 360 * minuteMs, 15 * minuteMs);
    const { text } = statusMessage(card({ health: aHealth({ silence }) }));
    expect(text).toContain('payments has gone silent: no run for 6 h, usually one every 15 min; expected by ');
    expect(text).toMatch(
      /learned from 60 runs, tolerance 5 min; it ran around that time on 4 of 4 earlier days.*\. It had 40 failures/,
    );
    expect(text).not.toContain('healthy');
  });

  it('makes no comparison if the window before is unknown', () => {
    const { text } = statusMessage(card({ countsBefore: null, health: aHealth({ state: 'unstable' }) }));
    expect(text).toContain('is unstable: 40 failures in 288 runs in the last 24 h. ');
    expect(text).not.toContain('h before');
  });

  it.each([
    [null, { lookedAt: 5, failedInARow: 5, withErrors: 0 }, 'is failing: at least the last 5 runs failed.'],
    [null, { lookedAt: 5, failedInARow: 2, withErrors: 0 }, 'is failing: the last 2 runs failed.'],
    [{ failed: 2, isWhole: true, deployedAt: null }, undefined, 'is failing: both runs since <'],
    [
      { failed: 80, isWhole: false, deployedAt: null },
      undefined,
      'is failing: at least the last 80 runs failed, the first of them <',
    ],
    [
      { failed: 80, isWhole: true, deployedAt: now - 15_000 },
      undefined,
      'failed, starting 15 s after the deployment of <',
    ],
  ])('with the streak %j and the newest runs %j says “%s”', (streak, newest, words) => {
    const health = aHealth({
      state: 'failing',
      streak: streak && aStreak({ ...streak, since: now }),
      ...(newest && { newest }),
    });
    expect(statusMessage(card({ health })).text).toContain(words);
  });

  it('does not call the difference unclear beside the word failing', () => {
    const few = {
      counts: { total: 24, success: 19, failure: 5 },
      countsBefore: { total: 24, success: 24, failure: 0 },
    };
    expect(statusMessage(card(few)).text).not.toContain('no clear difference');
    const unstable = statusMessage(card({ ...few, health: aHealth({ state: 'unstable' }) }));
    expect(unstable.text).toContain('before, 0 in 24: no clear difference.');
  });

  it('has the time of the last failure, so that an outage that is over reads as one', () => {
    const { text } = statusMessage(card({ health: aHealth({ state: 'unstable' }) }));
    expect(text).toMatch(/in the last 24 h, up from 0 in 288\. Last failure: <!date[^>]+\|2026-11-21 09:58 UTC>\./);
  });

  it.each([
    [
      'yesterday',
      false,
      ':large_green_circle: payments had no failures in 288 runs yesterday, nor in 288 runs before.',
    ],
    ['2026-11-20', false, 'no failures in 288 runs on 2026-11-20,'],
    ['2026-11-20T10:00Z..12:00Z', false, 'no failures in 288 runs from 2026-11-20T10:00Z to 12:00Z,'],
    ['2026-11-20T10:00:00.000Z..2026-11-21T10:00:00.000Z', false, 'no failures in 288 runs in the chosen 24 h,'],
    ['today', true, 'is healthy: no failures in 288 runs today,'],
    ['2026-11-20..2026-11-21', true, 'no failures in 288 runs from 2026-11-20 to 2026-11-21 so far,'],
  ])('has plain words for the window %s, in the past tense if it is over', (label, isMoving, words) => {
    const window = { from: now - dayMs, to: now, label, isMoving };
    const health = aHealth({ state: 'healthy' });
    const counts = { total: 288, success: 288, failure: 0 };
    expect(statusMessage(card({ window, health, counts })).text).toContain(words);
  });

  it('of a past window also says that the workflow fails now', () => {
    const window = { from: now - dayMs, to: now - 1, label: 'yesterday', isMoving: false };
    const health = aHealth({ state: 'failing' });
    const { text } = statusMessage(card({ window, health }));
    expect(text).toMatch(
      /^:red_circle: payments had no successful run: 40 failures in 288 runs yesterday, up from 0 in 288\. It is failing now: /,
    );
  });

  it('has a line in place of empty bars for days without runs', () => {
    const empty = { from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z', successCount: 0, failureCount: 0 };
    const { text } = statusMessage(card({ days: { zone: 'UTC', buckets: Array.from({ length: 7 }, () => empty) } }));
    expect(text).toContain('Runs per day (UTC): none in the 7 days from 15 Nov.');
  });

  it('shows that the last deployment failed, and its error', () => {
    const latestDeployment = aDeployment({ status: 'FAILED', errorMessage: 'too large' });
    expect(statusMessage(card({ latestDeployment })).text).toMatch(/Last deployment .*, failed: “too large”/);
  });

  it('shows a partial answer, and names the missing parts', () => {
    const nothing = {
      counts: null,
      countsBefore: null,
      days: { zone: 'UTC', buckets: [] },
      failures: null,
      newestExecutions: null,
      latestDeployment: null,
    };
    const provenance = { source: 'live', asOf: now, missing: ['counts', 'deployments'] } as const;
    const message = statusMessage(card({ ...nothing, creditUsed: null, provenance }));
    expect(message.text).toContain('Not known: counts, deployments.');
    expectGoodMessage(message);
  });

  it('does not call a workflow unstable if the newest runs are missing, because it may be failing', () => {
    const health = aHealth({ state: 'unstable' });
    const { text } = statusMessage(card({ health, newestExecutions: null }));
    expect(text).toContain('payments had 40 failures in 288 runs in the last 24 h, up from 0 in 288. Last failure: ');
  });

  it('shows the age of an answer that is not live', () => {
    const provenance = {
      source: 'stale',
      asOf: now - 3 * minuteMs,
      failingSince: now - 2 * minuteMs,
      missing: [],
    } as const;
    expect(statusMessage(card({ provenance })).text).toMatch(
      /^:warning: This answer is 3 min old, as of <!date.*: the query service has been unreachable since <!date\^\d+/,
    );
  });

  it('says first that a stale answer is old, and when its window ended', () => {
    const provenance = { source: 'stale', asOf: now - 180 * minuteMs, missing: [] } as const;
    const { text } = statusMessage(card({ provenance }));
    expect(text).toMatch(
      /^:warning: This answer is 3 h old, as of <!date[^>]+\|2026-11-21 07:00 UTC>: the query service is unreachable\.\n/,
    );
    expect(text).toMatch(/From <!date[^>]+\|2026-11-20 07:00 UTC> to <!date[^>]+\|2026-11-21 07:00 UTC>/);
  });

  it('combines similar failures in one line', () => {
    const errors = (batch: string) => [{ error: `refused (batch bch_${batch})`, count: 9 }];
    const failures = [anExecution({ errors: errors('6bb8694b') }), anExecution({ errors: errors('70cdc3a5') })];
    const { text } = statusMessage(card({ failures }));
    expect(text).toMatch(/2 alike, newest: .*bch_6bb8694b/);
    expect(text).not.toContain('70cdc3a5');
  });

  it('keeps the end of a long error, where the reason is', () => {
    const error = `${'failed to run: '.repeat(60)}insufficient funds`;
    expect(statusMessage(card({ failures: [anExecution({ errors: [{ error, count: 9 }] })] })).text).toContain(
      'insufficient funds',
    );
  });

  it.each([0, 1, 7, 366])('fits Slack with %i days', (length) => {
    const bucket = { from: '2026-11-21T00:00:00Z', to: '2026-11-22T00:00:00Z', successCount: 2880, failureCount: 1 };
    expectGoodMessage(statusMessage(card({ days: { zone: 'UTC', buckets: Array.from({ length }, () => bucket) } })));
  });

  it.each([0, 1, 1000])('fits Slack with %i failures, each of a thousand errors', (length) => {
    const errors = Array.from({ length: 1000 }, () => ({ error: 'x'.repeat(5000), count: 9 }));
    const message = statusMessage(
      card({ failures: Array.from({ length: Math.min(length, 3) }, () => anExecution({ errors })) }),
    );
    expectGoodMessage(message);
  });

  it('shows an unknown enum value unchanged', () => {
    const workflow = aWorkflow({ status: 'HIBERNATING' as 'ACTIVE' });
    const message = statusMessage(
      card({ workflow, newestExecutions: [anExecution({ status: 'VANISHED' as 'FAILURE' })] }),
    );
    expect(message.text).toMatch(/VANISHED.*HIBERNATING/s);
  });

  it.each(hostileStrings('text'))('%s in a name, an error and a deployment is inert and fits', (_id, string) => {
    const failures = [anExecution({ errors: [{ error: string, count: 1 }] })];
    const latestDeployment = aDeployment({ status: 'FAILED', errorMessage: string });
    const message = statusMessage(
      card({
        workflow: aWorkflow({ name: string }),
        failures,
        latestDeployment,
      }),
    );
    expectGoodMessage(message);
  });
});
