/** The timeline chart: one row for each step, states by shape and word, outside text only as text. */
import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../../src/bot/insight/executions/timeline.ts';
import { createRasteriser } from '../../../../src/bot/rendering/rasterise.ts';
import { timelineAlt, timelineSvg } from '../../../../src/bot/views/charts/timeline.ts';
import { drawnTimeline, sizeOf, skeletonOf, textsOf } from '../../../support/drawing/pictures.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';
import { finished } from '../../../support/runner/finished.ts';

const title = 'payout-batch';
/** Draws with the real library, whose parser refuses what is not well-formed XML. */
const rasterise = createRasteriser();

describe('the timeline’s picture', () => {
  it.each([0, 1, 2, 20, 30, 31, 100, 140])('is well-formed and 800 pixels wide with %d steps', async (calls) => {
    const svg = timelineSvg({ title, timeline: drawnTimeline({ calls }) });
    const { width, height } = sizeOf(await rasterise(svg));
    expect(width).toBe(800);
    expect(height).toBe(Number(/height="(\d+)"/.exec(svg)?.[1]));
    expect(height).toBeLessThan(6000);
  });

  it('keeps its scale with an event a day ahead, and says in words that its time is impossible', () => {
    const at = (ms: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + ms).toISOString();
    const event = (from: number, to: number) => ({
      ...{ capabilityID: 'evm@1', method: 'Read', status: 'COMPLETED', errors: null },
      ...{ startedAt: at(from), finishedAt: at(to) },
    });
    const execution = { status: 'SUCCESS', startedAt: at(0), finishedAt: at(1_000), errors: null };
    const events = [event(0, 400), event(86_400_000, 86_400_500), event(500, 900)];
    const timeline = finished(timelineOf({ execution, events, now: Date.parse(at(60_000)) }));
    const texts = textsOf(timelineSvg({ title, timeline }));
    expect(texts).toEqual(
      expect.arrayContaining(['3 steps, 1 s in total, 200 ms of it waiting', 'succeeded · impossible start']),
    );
    expect(texts.join()).not.toMatch(/\d h\b/);
    expect(timelineAlt({ title, timeline })).toContain('3. evm@1 Read: succeeded impossible start.');
  });

  it('names each step with its number, method, state and length', () => {
    const texts = textsOf(timelineSvg({ title, timeline: drawnTimeline({ calls: 3, failed: [3] }) }));
    expect(texts).toEqual(expect.arrayContaining(['1', 'http-actions@1.0.0', 'SendRequest', 'succeeded · 100 ms']));
    expect(texts).toEqual(expect.arrayContaining(['3', 'failed · 300 ms', 'run failed in step 3']));
    const doubtful = drawnTimeline({ calls: 3, failed: [3], error: null });
    expect(textsOf(timelineSvg({ title, timeline: doubtful }))).toContain('run probably failed in step 3');
    expect(texts.slice(0, 3)).toEqual([
      title,
      '3 steps, 800 ms in total, 200 ms of it waiting',
      '2 succeeded, 1 failed',
    ]);
  });

  it('shows states by marker and fill as well as by colour', () => {
    const failed = timelineSvg({ title, timeline: drawnTimeline({ calls: 1, failed: [1] }) });
    const succeeded = timelineSvg({ title, timeline: drawnTimeline({ calls: 1 }) });
    const marker = (svg: string) => /<g transform.*?<\/g><\/g>/.exec(svg)?.[0].replace(/#[0-9a-f]{6}/g, '');
    expect(marker(failed)).not.toBe(marker(succeeded));
    expect(failed).toContain('fill="url(#failed)"');
    expect(succeeded).not.toContain('fill="url(#failed)"');
  });

  it('leaves a running step open at the end of the scale', () => {
    const svg = timelineSvg({ title, timeline: drawnTimeline({ calls: 3, isRunning: true }) });
    expect(textsOf(svg)).toContain('in progress · 800 ms so far');
    expect(svg).toMatch(/<path d="M[\d.]+ [\d.]+L950\.0 [\d.]+L968\.0 /);
  });

  it('shows the longer waits in words', () => {
    expect(textsOf(timelineSvg({ title, timeline: drawnTimeline({ calls: 6 }) }))).toContain('waiting 1 s');
  });

  it('counts the steps that it leaves out, and none of them failed', () => {
    const texts = textsOf(timelineSvg({ title, timeline: drawnTimeline({ calls: 140, failed: [139] }) }));
    expect(texts).toContain('40 more steps left out: 40 succeeded');
    expect(texts).toContain('139');
    expect(texts).toContain('140 steps, 1 min 44 s in total, 35 s of it waiting');
  });

  it('keeps every mark inside the picture for any times', () => {
    const timeline = drawnTimeline({ calls: 4 });
    const calls = timeline.calls.map((call) => ({ ...call, startMs: call.startMs * 1000, endMs: call.endMs * 1000 }));
    const svg = timelineSvg({ title, timeline: { ...timeline, calls } });
    const edges = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
      ([, x, wide]) => Number(x) + Number(wide),
    );
    expect(Math.max(...edges)).toBeLessThanOrEqual(1000);
  });
});

describe('text from outside', () => {
  const plain = skeletonOf(timelineSvg({ title, timeline: drawnTimeline({ calls: 2, name: 'plain' }) }));

  it.each(hostileStrings('text'))('%s adds no element and stays well-formed', async (_id, name) => {
    const svg = timelineSvg({ title: name, timeline: drawnTimeline({ calls: 2, name }) });
    expect(skeletonOf(svg)).toBe(plain);
    expect(sizeOf(await rasterise(svg)).width).toBe(800);
  });

  it.each([
    '</text><image href="file:///etc/passwd"/>',
    '"><script>',
    '&xxe;',
    '<!ENTITY a "b">',
    ']]>',
    '\ufffe\uffff',
  ])('that is markup is only text: %j', async (name) => {
    const svg = timelineSvg({ title: name, timeline: drawnTimeline({ calls: 2, name }) });
    expect(skeletonOf(svg)).toBe(plain);
    expect(sizeOf(await rasterise(svg)).width).toBe(800);
  });

  it('has its secrets masked, in the picture and in its words', () => {
    const picture = { title, timeline: drawnTimeline({ calls: 1, name: 'x xoxb-1234567890-canary' }) };
    expect(timelineSvg(picture)).not.toContain('canary');
    expect(timelineAlt(picture)).not.toContain('1234567890');
  });
});
