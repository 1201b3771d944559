/** How old a cause is. */
import { describe, expect, it } from 'vitest';
import { groupByCause, withAges, withCause } from '../../../../src/bot/insight/causes/cause.ts';
import {
  ageOf,
  type EarlierCauses,
  earlierCauses,
  type Recurrence,
} from '../../../../src/bot/insight/causes/recurrence.ts';
import { anExecution } from '../../../support/service/service-data.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.parse('2026-11-20T12:00:00Z');
const before = (hours: number) => now - hours * hourMs;

describe('a cause in one workflow', () => {
  const nothing: EarlierCauses = { firstOf: new Map(), isCut: false, oldestAt: before(24 * 30) };
  const seenBefore = (hours: number) => ({ ...nothing, firstOf: new Map([['f', before(hours)]]) });

  it.each<readonly [string, number, EarlierCauses | null, number | null, Recurrence, number]>([
    ['failed for the first time today', 3, nothing, null, 'new', 3],
    ['failed a while before the answer, too', 3, seenBefore(20), null, 'new', 20],
    ['failed first a day before its last failure', 3, seenBefore(24), null, 'recurring', 24],
    ['failed for more than a day in the answer itself', 30, nothing, null, 'recurring', 30],
    ['failed for more than a day, and older failures could not be read', 30, null, null, 'recurring', 30],
    ['fails in every run since its first failure today', 3, nothing, 3, 'new', 3],
    ['fails in every run for more than a day', 30, nothing, 31, 'ongoing', 31],
    ['failed before its workflow began to fail in every run', 3, seenBefore(30), 3, 'recurring', 30],
    ['is older than the failures that are read', 3, { ...nothing, isCut: true }, null, 'unread', 3],
    ['fails in every run for longer than the failures that are read', 3, { ...nothing, isCut: true }, 5, 'ongoing', 5],
    ['has older failures that could not be read', 3, null, null, 'unanswered', 3],
    ['began with the first run that is kept', 3, { ...nothing, oldestAt: before(3) }, null, 'not_kept', 3],
    ['began after a few hours that are kept', 3, { ...nothing, oldestAt: before(26) }, null, 'not_kept', 3],
    ['has no run that is kept', 3, { ...nothing, oldestAt: null }, null, 'not_kept', 3],
  ])('that %s', (_what, firstHours, earlier, failingHours, recurrence, sinceHours) => {
    const failingSince = failingHours === null ? null : before(failingHours);
    const age = ageOf({ first: before(firstHours), last: now }, 'f', earlier, failingSince);
    expect(age).toEqual({ recurrence, since: before(sinceHours) });
  });

  it('is the same in windows of an hour, a day, a week and a month', () => {
    const starts = [0.5, 2, 20, 22, 23];
    const ages = [1, 24, 168, 720].map((hours) => {
      const failures = starts.map((start) =>
        withCause(
          anExecution({ startedAt: new Date(before(start)).toISOString(), errors: [{ error: 'refused', count: 1 }] }),
        ),
      );
      const older = failures.filter(({ startedAt }) => Date.parse(startedAt) < before(hours));
      const inside = failures.map(({ startedAt }) => Date.parse(startedAt)).filter((at) => at >= before(hours));
      const seen = { first: Math.min(...inside), last: Math.max(...inside) };
      const [{ cause } = { cause: { fingerprint: '' } }] = failures;
      return ageOf(seen, cause.fingerprint, earlierCauses(older, nothing), null);
    });
    expect(new Set(ages.map((age) => JSON.stringify(age))).size).toBe(1);
    expect(ages[0]).toEqual({ recurrence: 'new', since: now - 23 * hourMs });
    expect(now - 23 * hourMs).toBeGreaterThan(now - dayMs);
  });
});

const groups = groupByCause(
  ['a', 'b'].map((workflowName) =>
    withCause(anExecution({ workflowName, errors: [{ error: 'connection refused', count: 9 }] })),
  ),
);
const recurrence = (a: Recurrence, b: Recurrence) =>
  withAges(groups, (name) => ({ recurrence: name === 'a' ? a : b, since: 0 })).map((group) => group.recurrence);

describe('a cause of two workflows', () => {
  it('is new only if it is new in both', () => {
    expect(recurrence('new', 'new')).toEqual(['new']);
    expect(recurrence('new', 'unread')).toEqual(['unread']);
  });

  it('is ongoing or recurring if it is in one of them', () => {
    expect(recurrence('new', 'recurring')).toEqual(['recurring']);
    expect(recurrence('not_kept', 'recurring')).toEqual(['recurring']);
    expect(recurrence('ongoing', 'recurring')).toEqual(['ongoing']);
  });

  it('is none of them without an error text: two such failures may have different causes', () => {
    const bare = groupByCause([withCause(anExecution({ errors: null }))]);
    const ages = withAges(bare, () => ({ recurrence: 'recurring', since: 0 }));
    expect(ages.map((group) => group.recurrence)).toEqual(['no_text']);
  });
});
