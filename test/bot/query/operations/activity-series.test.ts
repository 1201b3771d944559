/** The series of `activity`: each run is in one bucket, whatever the window and the hour. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWindow } from '../../../../src/bot/domain/window-words.ts';
import { hoursOf } from '../../../../src/bot/query/spans.ts';
import { createTestQuery } from '../../../support/bot/query.ts';
import { expectEvery } from '../../../support/runner/every.ts';
import { startTestService, type TestService } from '../../../support/service/service.ts';
import { executionRecord, failureRecord } from '../../../support/service/service-records.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Apia', 'Asia/Kathmandu'];
/** Both changes of the clocks in Europe, and a plain day. */
const days = ['2026-03-29', '2026-10-25', '2026-11-20'];

describe('the hours of a window', () => {
  const windows = zones.flatMap((zone) =>
    days.flatMap((day) =>
      Array.from({ length: 24 }, (_, hour) => Date.parse(day) + hour * hourMs + 17 * minuteMs).flatMap((now) =>
        ['20m', '1h', '24h', '30h', 'today', 'yesterday', day].map((label) => ({ zone, now, label })),
      ),
    ),
  );

  it('cover it once, without a gap, for every zone and hour', () => {
    for (const { zone, now, label } of windows) {
      const expression = parseWindow(label);
      if (!expression) throw new Error(label);
      const { from, to } = expression.bounds({ now, zone });
      const hours = hoursOf({ from, to, label, isMoving: false }) ?? [];
      expect([hours[0]?.from, hours.at(-1)?.to]).toEqual(to > from ? [from, to] : [undefined, undefined]);
      expectEvery(hours, (hour, at) => at === 0 || hour.from === hours[at - 1]?.to);
      expectEvery(hours, (hour) => hour.to - hour.from <= hourMs && hour.to > hour.from);
      expect(hours.length).toBeLessThanOrEqual(31);
    }
  });

  it('are not given for a window of more than 30 hours', () => {
    expect(hoursOf({ from: 0, to: 30 * hourMs + 1, label: 'x', isMoving: false })).toBeUndefined();
  });
});

describe('the series', () => {
  const end = Date.parse('2026-11-20T14:20:00Z');
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    // Every 7 minutes for two days, each fifth failed; some at the very edges of hours.
    const starts = [
      ...Array.from({ length: 400 }, (_, index) => end - 2 * dayMs + index * 7 * minuteMs),
      ...[0, -1, 1, 1 - hourMs].map((ms) => Date.parse('2026-11-20T10:00:00Z') + ms),
    ];
    await service.writer.putExecutions(
      starts.map((startedAt, index) =>
        (index % 5 === 0 ? failureRecord : executionRecord)(1000 + index, { startedAt }),
      ),
    );
  });
  afterAll(() => service.close());

  it.each([
    [end - dayMs, end, 25],
    [end - dayMs - 20 * minuteMs, end - 20 * minuteMs, 24],
    [end - 30 * hourMs, end, 31],
    [end - 31 * hourMs, end, 2],
  ])('from %i to %i has the same totals as the days', async (from, to, length) => {
    await using query = createTestQuery(service.url, service.apiKeys.harbor);
    const window = { from, to, label: '', isMoving: false };
    const [series, byDay] = await Promise.all([
      query.ask().activitySeries({ window }),
      query.ask().activity({ window }),
    ]);
    expect(series.data.length).toBe(length);
    expect(totalsOf(series.data)).toEqual(totalsOf(byDay.data));
    expect(series.provenance.missing).toEqual([]);
  });
});

function totalsOf(buckets: readonly { readonly successCount: number; readonly failureCount: number }[]) {
  return {
    succeeded: buckets.reduce((sum, { successCount }) => sum + successCount, 0),
    failed: buckets.reduce((sum, { failureCount }) => sum + failureCount, 0),
  };
}
