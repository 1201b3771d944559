/** Alternative text of the charts. */
import { describe, expect, it } from 'vitest';
import { activityAlt, timelineAlt } from '../../../../src/bot/views/charts/alt-text.ts';
import { hostileStrings } from '../../../support/hostile.ts';
import { drawnDays, drawnTimeline } from '../../../support/pictures.ts';

const title = 'payout-batch';

describe('alternative texts', () => {
  it('tell each step’s offset, state and length, and which one failed the run', () => {
    expect(timelineAlt({ title, timeline: drawnTimeline({ calls: 2, failed: [2] }) })).toMatchInlineSnapshot(
      `"Timeline of payout-batch: 2 steps, 500 ms in total, 200 ms of it waiting. 1 succeeded, 1 failed. Step 2 failed the run. 1. http-actions@1.0.0 SendRequest from 0 ms: succeeded 100 ms. 2. consensus@1.0.0 SendRequest from 100 ms: failed 200 ms."`,
    );
  });

  it('tell each bar’s numbers', () => {
    expect(activityAlt({ title, buckets: drawnDays([1200, 31], [0, 0]) })).toMatchInlineSnapshot(
      `"Activity of payout-batch, per day in UTC, 19 Nov 2026 to 20 Nov 2026. 1,200 succeeded, 31 failed (3 % of 1,231 runs). Thu 19: 1,200 ok, 31 failed. Fri 20: none."`,
    );
  });

  it('count what does not fit, and keep what failed', () => {
    const alt = timelineAlt({ title, timeline: drawnTimeline({ calls: 140, failed: [120] }) });
    const listed = alt.match(/\d+\. \S+ SendRequest/g)?.length ?? 0;
    expect(alt).toMatch(/ 120\. \S+ SendRequest from [^:]+: failed /);
    expect(alt).toContain(`${140 - listed} more steps left out.`);
  });

  it('contain a month of days, each with its numbers', () => {
    const counts = Array.from({ length: 30 }, (_, index) => [100 + index, index] as const);
    const alt = activityAlt({ title, buckets: drawnDays(...counts) });
    expect(alt).toContain(' 22 Oct: 100 ok. 23 Oct: 101 ok, 1 failed.');
    expect(alt).toMatch(/ 20 Nov: 129 ok, 29 failed\.$/);
  });

  it.each([0, 1, 31, 366])('fit Slack’s limit with %d buckets of large numbers', (days) => {
    const counts = Array.from({ length: days }, () => [2_000_000_000, 1_999_999_999] as const);
    expect(activityAlt({ title, buckets: drawnDays(...counts) }).length).toBeLessThanOrEqual(1000);
  });

  it.each(hostileStrings('text'))('are one line within the limit with %s', (_id, name) => {
    const alt = timelineAlt({ title: name, timeline: drawnTimeline({ calls: 30, name }) });
    expect(alt.length).toBeLessThanOrEqual(1000);
    expect(alt).not.toContain('\n');
    expect(alt.isWellFormed()).toBe(true);
  });
});
