/** Alternative text of a timeline. */
import { describe, expect, it } from 'vitest';
import { timelineAlt } from '../../../../src/bot/views/charts/timeline.ts';
import { drawnTimeline } from '../../../support/drawing/pictures.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';

const title = 'payout-batch';

describe('alternative texts', () => {
  it('tell each step’s offset, state and length, and which one failed the run', () => {
    expect(timelineAlt({ title, timeline: drawnTimeline({ calls: 2, failed: [2] }) })).toMatchInlineSnapshot(
      `"Timeline of payout-batch: 2 steps, 500 ms in total, 200 ms of it waiting. 1 succeeded, 1 failed. Run failed in step 2. 1. http-actions@1.0.0 SendRequest from 0 ms: succeeded 100 ms. 2. consensus@1.0.0 SendRequest from 100 ms: failed 200 ms."`,
    );
  });

  it('count what does not fit, and keep what failed', () => {
    const alt = timelineAlt({ title, timeline: drawnTimeline({ calls: 140, failed: [120] }) });
    const listed = alt.match(/\d+\. \S+ SendRequest/g)?.length ?? 0;
    expect(alt).toMatch(/ 120\. \S+ SendRequest from [^:]+: failed /);
    expect(alt).toContain(`${140 - listed} more steps left out.`);
  });

  it.each(hostileStrings('text'))('are one line within the limit with %s', (_id, name) => {
    const alt = timelineAlt({ title: name, timeline: drawnTimeline({ calls: 30, name }) });
    expect(alt.length).toBeLessThanOrEqual(1000);
    expect(alt).not.toContain('\n');
    expect(alt.isWellFormed()).toBe(true);
  });
});
