/** View of `activity`: successes and failures per day or hour. */
import { describe, expect, it } from 'vitest';
import { type Activity, activityMessage } from '../../../../../src/bot/commands/words/activity/view.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { minuteMs, now } from '../../../../support/service/service-data.ts';

const dayMs = 1440 * minuteMs;
const week = { from: now - 7 * dayMs, to: now, label: '7d', isMoving: true };
const allWorkflows = null;

/** The newest is today. */
function daysOf(...counts: readonly (readonly [success: number, failure: number])[]): Activity['buckets'] {
  const midnight = now - (now % dayMs);
  return counts.map(([successCount, failureCount], index) => {
    const from = midnight - (counts.length - 1 - index) * dayMs;
    return { from: new Date(from).toISOString(), to: new Date(from + dayMs).toISOString(), successCount, failureCount };
  });
}

function activity(overrides: Partial<Activity> = {}): Activity {
  return {
    workflow: { uuid: 'w-1', name: 'payments' },
    buckets: daysOf([96, 0], [90, 6], [40, 1]),
    zone: 'UTC',
    isWhole: true,
    asked: overrides.window ?? week,
    window: week,
    healths: [],
    provenance: { source: 'live', asOf: now, missing: [] },
    now,
    ...overrides,
  };
}

const textOf = (overrides: Partial<Activity>) => activityMessage(activity(overrides)).text;

describe('activity', () => {
  it('names hours in the reader’s zone in text, chart and title', () => {
    const buckets = Array.from({ length: 24 }, (_, index) => {
      const from = Date.parse('2026-11-20T12:00:00Z') + index * 3_600_000;
      const counts = { successCount: 60, failureCount: index < 2 ? 3 : 0 };
      return { from: new Date(from).toISOString(), to: new Date(from + 3_600_000).toISOString(), ...counts };
    });
    const { text, blocks } = activityMessage(activity({ buckets, zone: 'Asia/Kolkata' }));
    expect(text).toContain('Most failures in the hour from Fri 17:30: 3.');
    expect(text).toContain('Runs per hour from Fri 17:30 (Asia/Kolkata), 17:30 to 04:30: Runs 63 · 63 · 60');
    expect(text).not.toContain('(UTC');
    expect(blocks.find(({ type }) => type === 'data_visualization')).toMatchObject({
      title: 'Runs per hour from Fri 17:30 (Asia/Kolkata)',
      chart: { axis_config: { categories: expect.arrayContaining(['17:30', '04:30']) } },
    });
  });

  it('shows the totals, the worst day and the numbers of every day', () => {
    const text = textOf({});
    expect(text).toContain('payments: 233 finished runs in the last 7 days, 226 succeeded, 7 failed (3 %).');
    expect(text).toContain('Most failures on 20 Nov (UTC): 6.');
    expect(text).toContain('Runs per day (UTC), Thu 19 to Sat 21: Runs 96 · 96 · 41; Failed 0 · 6 · 1.');
  });

  it('of hours shows each of them, and the hour with the most failures', () => {
    const begin = Date.UTC(2026, 10, 20, 13, 20);
    const edges = [begin, Date.UTC(2026, 10, 20, 14), Date.UTC(2026, 10, 20, 15), Date.UTC(2026, 10, 20, 15, 20)];
    const buckets = edges.slice(1).map((to, at) => ({
      from: new Date(edges[at] ?? 0).toISOString(),
      to: new Date(to).toISOString(),
      successCount: 4,
      failureCount: at,
    }));
    const text = textOf({ buckets });
    expect(text).toContain('Runs per hour (UTC), 13:20 to 15:00: Runs 4 · 5 · 6; Failed 0 · 1 · 2.');
    expect(text).toContain('Most failures in the hour from Fri 15:00: 2.');
    expect(text).toContain('The first and last hour are partial.');
  });

  it('says which day the window cuts, if any', () => {
    expect(textOf({})).not.toContain('partial');
    const [first, ...later] = daysOf([96, 0], [90, 6], [40, 1]);
    const from = new Date(Date.parse(first?.to ?? '') - 3 * 3_600_000).toISOString();
    expect(textOf({ buckets: first ? [{ ...first, from }, ...later] : [] })).toContain('The first day is partial.');
  });

  it('of which a part could not be read calls no number the whole', () => {
    const words = 'payments, as far as the activity could be read: ';
    expect(textOf({ isWhole: false })).toContain(`${words}233 finished runs`);
    expect(textOf({ isWhole: false, buckets: daysOf([0, 0]) })).toContain(`${words}no finished runs`);
  });

  it('links to the failures in the same window, if there are any', () => {
    expect(JSON.stringify(activityMessage(activity()).blocks)).toContain('"value":"failures w-1 7d"');
    const calm = activityMessage(activity({ buckets: daysOf([96, 0]) }));
    expect(JSON.stringify(calm.blocks)).not.toContain('failures w-1');
    expect(calm.text).toContain('96 succeeded, none failed.');
  });

  it.each([{ buckets: [] }, { buckets: daysOf([0, 0], [0, 0]) }])(
    'without runs says so and has no bars: %o',
    ({ buckets }) => {
      const message = activityMessage(activity({ buckets, workflow: allWorkflows }));
      expect(message.text).toContain('All workflows: no finished runs in the last 7 days.');
      expect(message.blocks.filter(({ type }) => type === 'data_visualization')).toEqual([]);
      expectGoodMessage(message);
    },
  );

  it('of more than 40 days shows weeks, by date', () => {
    const text = textOf({ buckets: daysOf(...Array.from({ length: 90 }, () => [10, 1] as const)) });
    expect(text).toContain('Runs per week (UTC), 24 Aug to 16 Nov: Runs 77 · 77');
    expect(text).toContain('990 finished runs');
  });

  it.each([1, 14, 31, 366])('of %i days fits Slack', (length) => {
    const buckets = daysOf(...Array.from({ length }, () => [1_000_000, 999_999] as const));
    expectGoodMessage(activityMessage(activity({ buckets })));
  });

  it.each(hostileStrings('text'))('%s as a name is inert and fits', (_id, text) => {
    expectGoodMessage(activityMessage(activity({ workflow: { uuid: 'w-1', name: text } })));
  });
});
