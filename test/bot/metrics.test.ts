/** The bot's Prometheus metrics: they count its work and contain no user data. */
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/bot/metrics.ts';
import { createServiceMetrics } from '../../src/query-service/metrics.ts';
import { startTestCommands } from '../support/bot/commands.ts';

/** A bot over the sample's query service, after a few command lines. */
async function metricsAfter(...lines: readonly string[]): Promise<string> {
  const metrics = createMetrics();
  const commands = await startTestCommands({ measure: metrics.measure });
  try {
    for (const line of lines) await commands.type(line);
    return await metrics.text();
  } finally {
    await commands.close();
  }
}

describe('the metrics', () => {
  it('count commands by name and outcome, and queries by operation', async () => {
    const text = await metricsAfter('status fx-rates', 'status', 'explode');
    expect(text).toContain('command_duration_seconds_count{command="status",outcome="answered"} 1');
    expect(text).toContain('command_duration_seconds_count{command="status",outcome="usage"} 1');
    expect(text).toContain('command_duration_seconds_count{command="unknown",outcome="usage"} 1');
    expect(text).toMatch(/query_duration_seconds_count\{question="workflow status",outcome="answered"\} 1/);
  });

  it('count answers from the cache', async () => {
    const text = await metricsAfter('status fx-rates', 'status fx-rates');
    expect(text).toMatch(/lookups_total\{source="asked"\} [1-9]/);
    expect(text).toMatch(/lookups_total\{source="fresh"\} [1-9]/);
  });

  it('contain no workspace, person or workflow', async () => {
    expect(await metricsAfter('status fx-rates', 'status no-such-workflow')).not.toMatch(/T1|UANY|fx-rates|no-such/);
  });

  it('show the outcome and lateness of digests', async () => {
    const metrics = createMetrics();
    metrics.measure({ kind: 'digest', outcome: 'posted', latenessMs: 4000 });
    metrics.measure({ kind: 'digest', outcome: 'quiet', latenessMs: null });
    const text = await metrics.text();
    expect(text).toMatch(/digests_total\{outcome="posted"\} 1[\s\S]*digests_total\{outcome="quiet"\} 1/);
    expect(text).toMatch(/lateness_seconds_bucket\{le="1"\} 0[\s\S]*lateness_seconds_bucket\{le="5"\} 1/);
    expect(text).toContain('lateness_seconds_count 1');
  });

  it('show the event loop delay of the bot and the query service', async () => {
    for (const metrics of [createMetrics(), createServiceMetrics()]) {
      const upToIn = (text: string, le: string) =>
        Number.parseInt(text.split(`_delay_seconds_bucket{le="${le}"} `)[1] ?? '', 10);
      const held = async () => {
        const text = await metrics.text();
        return upToIn(text, '+Inf') - upToIn(text, '0.1');
      };
      // The histogram counts from its second interval on.
      await expect.poll(async () => upToIn(await metrics.text(), '+Inf')).toBeGreaterThan(0);
      const before = await held();
      const until = performance.now() + 120;
      while (performance.now() < until);
      await expect.poll(held).toBeGreaterThan(before);
      const text = await metrics.text();
      const upTo = (le: string) => upToIn(text, le);
      expect(text.match(/^# TYPE nodejs_eventloop_delay_seconds histogram$/gm)).toHaveLength(1);
      expect(upTo('+Inf')).toBe(Number(/_delay_seconds_count (\d+)/.exec(text)?.[1]));
      expect(upTo('0.1')).toBeLessThan(upTo('+Inf'));
      expect(upTo('5')).toBe(upTo('+Inf'));
    }
  });

  it('of two bots in one process are separate', async () => {
    const [first, second] = [createMetrics(), createMetrics()];
    first.measure({ kind: 'acknowledgement', durationMs: 40 });
    expect(await first.text()).toContain('acknowledgement_duration_seconds_bucket{le="0.05"} 1');
    expect(await second.text()).toContain('acknowledgement_duration_seconds_count 0');
  });
});
