/** The series of `activity`: each run is in one bucket, whatever the window and the hour. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWindow } from '../../../../src/bot/domain/window-words.ts';
import { partsOf } from '../../../../src/bot/query/spans.ts';
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
      const hours = partsOf({ from, to, label, isMoving: false }, zone) ?? [];
      expect([hours[0]?.from, hours.at(-1)?.to]).toEqual(to > from ? [from, to] : [undefined, undefined]);
      expectEvery(hours, (hour, at) => at === 0 || hour.from === hours[at - 1]?.to);
      expectEvery(hours, (hour) => hour.to - hour.from <= hourMs && hour.to > hour.from);
      expect(hours.length).toBeLessThanOrEqual(31);
    }
  });

  it('are days of the zone for more than 30 hours, and days of UTC where a service counts them by itself', () => {
    const now = Date.parse('2026-11-20T14:20:00Z');
    const daysIn = (zone: string, days: number) =>
      partsOf({ from: now - days * dayMs, to: now, label: 'x', isMoving: false }, zone)?.map(({ from }) => from);
    // Midnight in Berlin is 23:00 of the day before in UTC.
    const midnights = [13, 14, 15, 16, 17, 18, 19].map((day) => Date.parse(`2026-11-${day}T23:00Z`));
    expect(daysIn('Europe/Berlin', 7)).toEqual([now - 7 * dayMs, ...midnights]);
    expect(daysIn('UTC', 7)).toBeUndefined();
    expect(daysIn('Europe/London', 7)).toBeUndefined();
    expect(daysIn('Europe/Berlin', 39)).toHaveLength(40);
    expect(daysIn('Europe/Berlin', 41)).toBeUndefined();
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
    [end - dayMs, end, 25, 'UTC'],
    [end - dayMs - 20 * minuteMs, end - 20 * minuteMs, 24, 'UTC'],
    [end - 30 * hourMs, end, 31, 'UTC'],
    [end - 31 * hourMs, end, 2, 'UTC'],
    [end - 45 * hourMs, end, 3, 'Asia/Kolkata'],
    [end - 3 * dayMs, end, 4, 'America/St_Johns'],
  ])('from %i to %i has the same totals as the days', async (from, to, length, zone) => {
    await using query = createTestQuery(service.url, service.apiKeys.harbor);
    const window = { from, to, label: '', isMoving: false };
    const [series, byDay] = await Promise.all([
      query.ask().activitySeries({ window }, zone),
      query.ask().activity({ window }),
    ]);
    expect([series.data.zone, series.data.buckets.length]).toEqual([zone, length]);
    expect(totalsOf(series.data.buckets)).toEqual(totalsOf(byDay.data));
    expect(series.provenance.missing).toEqual([]);
  });
});

function totalsOf(buckets: readonly { readonly successCount: number; readonly failureCount: number }[]) {
  return {
    succeeded: buckets.reduce((sum, { successCount }) => sum + successCount, 0),
    failed: buckets.reduce((sum, { failureCount }) => sum + failureCount, 0),
  };
}
