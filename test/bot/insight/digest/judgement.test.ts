/** Judgement of a digest's failures: new, resolved, incidents, and matching counts. */
import { describe, expect, it } from 'vitest';
import type { AgeIn, Recurrence } from '../../../../src/bot/insight/causes/recurrence.ts';
import { failingWorkflows, goneCauses, judgeCauses } from '../../../../src/bot/insight/digest/causes.ts';
import { countsWithin, reconcile } from '../../../../src/bot/insight/digest/reconcile.ts';
import { createTally } from '../../../../src/bot/insight/digest/tally.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const from = Date.parse('2026-11-20T06:00:00Z');
const window = { from, to: from + dayMs };

type Failed = { readonly workflow: string; readonly minute: number; readonly error?: string; readonly by?: string };

const runMs = 30_000;

function tally(failures: readonly Failed[], limits?: Parameters<typeof createTally>[1]) {
  const one = createTally({ ...window, zone: 'UTC' }, limits);
  for (const { workflow, minute, error = 'quorum lost', by = 'SYSTEM_ERROR' } of failures) {
    const startedAt = new Date(from + minute * minuteMs).toISOString();
    const errors = error === '' ? null : [{ error, count: 3 }];
    const finishedAt = new Date(from + minute * minuteMs + runMs).toISOString();
    one.add({ uuid: 'e', workflowName: workflow, startedAt, finishedAt, classifiedStatus: by, errors });
  }
  return one.result();
}

const nothing = tally([]);
const isNew: AgeIn = (_name, _fingerprint, { first }) => ({ recurrence: 'new', since: first });

describe('a cause is', () => {
  it('new if its workflows never had it, recurring if one had, ongoing if one has failed since before, none of them if that is not known', () => {
    const failures = tally(['a', 'b'].map((workflow) => ({ workflow, minute: 1 })));
    const recurrence = (a: Recurrence, b: Recurrence, before = nothing) =>
      judgeCauses(failures, before, (name) => ({ recurrence: name === 'a' ? a : b, since: 0 }))[0]?.recurrence;
    expect(recurrence('new', 'new')).toBe('new');
    expect(recurrence('new', 'recurring')).toBe('recurring');
    expect(recurrence('new', 'unread')).toBe('unread');
    expect(recurrence('ongoing', 'recurring')).toBe('ongoing');
    expect(recurrence('new', 'new', tally([{ workflow: 'c', minute: 1 }]))).toBe('recurring');
    expect(recurrence('ongoing', 'new', failures)).toBe('ongoing');
    const bare = tally([{ workflow: 'a', minute: 1, error: '' }]);
    expect(judgeCauses(bare, bare, isNew)[0]).toMatchObject({ recurrence: 'no_text', newIn: new Set() });
  });

  it('as old in a workflow as its first failure there, also in the window before', () => {
    const before = tally([{ workflow: 'old', minute: 1 }]);
    const failures = tally(
      [1, 2, 3].flatMap((minute) => ['old', 'other'].map((workflow) => ({ workflow, minute: minute * 90 }))),
    );
    const ages = new Map<string, number>();
    judgeCauses(failures, before, (name, _fingerprint, { first }) => {
      ages.set(name, first);
      return { recurrence: 'new', since: first };
    });
    expect([...ages]).toEqual([
      ['old', from + minuteMs],
      ['other', from + 90 * minuteMs],
    ]);
  });

  it('new in a workflow that did not fail of it before, though others did', () => {
    const failures = tally(['old', 'other'].map((workflow) => ({ workflow, minute: 90 })));
    const ageIn: AgeIn = (name) => ({ recurrence: name === 'old' ? 'recurring' : 'new', since: 0 });
    const causes = judgeCauses(failures, null, ageIn);
    expect(causes).toMatchObject([{ recurrence: 'recurring', newIn: new Set(['other']) }]);
  });

  it('resolved if every workflow that had it has succeeded since without failing, and unproven otherwise', () => {
    const before = tally([
      ...[1, 2, 3].map((minute) => ({ workflow: 'good', minute, error: 'disk full' })),
      { workflow: 'failing', minute: 1, error: 'key expired' },
      { workflow: 'stopped', minute: 1, error: 'no gas left' },
      { workflow: 'underway', minute: 1, error: 'heap exhausted' },
    ]);
    const now = tally([{ workflow: 'failing', minute: 9, error: 'other words' }]);
    // A service may report the end of the last run instead of its start.
    const ranAt = new Map(
      Object.entries({ good: 8, failing: 9, stopped: 1, underway: 9 }).map(([name, at]) => [
        name,
        from + at * minuteMs + runMs,
      ]),
    );
    const successes = new Map(Object.entries({ good: 4, failing: 3, stopped: 0, underway: 0 }));
    const { resolved, unproven } = goneCauses(now, before, { ranAt, successes, successesBefore: successes });
    expect(resolved).toMatchObject([{ title: 'disk full', workflows: ['good'] }]);
    expect(unproven.map(({ title }) => title)).toEqual(['key expired', 'no gas left', 'heap exhausted']);
  });

  it.each([
    ['one in twenty runs', [100], 19, 24, 'unseen'],
    ['two of 96 far apart', [100, 900], 94, 96, 'unseen'],
    ['five of 96 far apart', [100, 400, 700, 1000, 1300], 91, 96, 'resolved'],
    ['five of 96, and few runs since', [100, 400, 700, 1000, 1300], 91, 9, 'unseen'],
    ['an outage of three runs', [100, 101, 102], 93, 96, 'resolved'],
    ['the only run', [100], 0, 1, 'unseen'],
    ['three of as many as the service does not say', [100, 101, 900], undefined, 96, 'unseen'],
  ] as const)(
    'that was %s before resolved only where chance does not explain its absence',
    (_, minutes, good, since, group) => {
      const before = tally(minutes.map((minute) => ({ workflow: 'a', minute })));
      const ranAt = new Map([['a', from + 9999 * minuteMs]]);
      const successesBefore = new Map(good === undefined ? [] : [['a', good]]);
      const gone = goneCauses(nothing, before, { ranAt, successes: new Map([['a', since]]), successesBefore });
      expect(Object.entries(gone).flatMap(([name, { length }]) => (length === 0 ? [] : [name]))).toEqual([group]);
    },
  );
});

it('a workflow’s main cause is its own one rather than a shared one', () => {
  const failures = tally([
    ...[1, 2, 3].map((minute) => ({ workflow: 'a', minute })),
    { workflow: 'b', minute: 2 },
    { workflow: 'a', minute: 9, error: 'disk full', by: 'USER_ERROR' },
  ]);
  const [one] = failingWorkflows(failures, judgeCauses(failures, nothing, isNew), [{ uuid: 'u-a', name: 'a' }]);
  expect(one).toMatchObject({ name: 'a', count: 4, mainCount: 1, otherCauses: 1, uuids: ['u-a'], hasNewCause: true });
  expect(one?.main?.cause.title).toBe('disk full');
});

describe('counts', () => {
  const bucket = (start: string, end: string, failureCount: number) => ({
    from: start,
    to: end,
    successCount: 5,
    failureCount,
  });
  const long = { from: Date.parse('2026-11-19T06:00:00Z'), to: Date.parse('2026-11-22T06:00:00Z') };
  const days = [
    bucket('2026-11-19T06:00:00Z', '2026-11-20T00:00:00Z', 9),
    bucket('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', 2),
    bucket('2026-11-21T00:00:00Z', '2026-11-21T23:59:59.999Z', 4),
    bucket('2026-11-22T00:00:00Z', '2026-11-22T05:59:59.999Z', 9),
  ];
  const day = (text: string) => Date.parse(text);

  it('are checked only for whole days of the zone in the window', () => {
    const read = new Map([
      [day('2026-11-20'), 2],
      [day('2026-11-21'), 3],
    ]);
    const mismatches = [{ day: day('2026-11-21'), read: 3, counted: 4 }];
    const utc = { ...long, zone: 'UTC' };
    expect(reconcile(utc, read, days)).toEqual({ days: 2, mismatches });
    expect(reconcile({ ...long, zone: 'Europe/Vienna' }, read, days)).toEqual({ days: 0, mismatches: [] });
    expect(reconcile({ ...window, zone: 'UTC' }, read, days.slice(1, 2))).toEqual({ days: 0, mismatches: [] });
    expect(reconcile(utc, read, null)).toEqual({ days: 0, mismatches: [] });
  });

  it('are known if the buckets cover exactly the window', () => {
    expect(countsWithin(long, days)).toEqual({ success: 20, failure: 24 });
    expect(countsWithin(long, days.slice(1))).toBeNull();
    expect(countsWithin({ ...long, from: long.from + 1 }, days)).toBeNull();
    expect(countsWithin(long, null)).toBeNull();
  });
});
