/** `activity` against the sample organization. */
import { describe, expect, it } from 'vitest';
import type { MessageAnswer } from '../../../../../src/bot/commands/framework/command.ts';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

describe('activity', () => {
  it.each([
    [
      'activity payments',
      /^:red_circle: Failing now: every run .*payments: 20,160 finished runs in the last 7 days.*Sat 14 to Sat 21: Runs .*80/s,
    ],
    ['activity', /All workflows: [\d,]+ finished runs in the last 7 days/],
    ['activity fx-rates 30d', /fx-rates: 8,640 finished runs in the last 30 days.*22 Oct to/s],
    [
      'activity payments-eu yesterday',
      /payments-eu: 96 finished runs yesterday.*Runs per hour from .* 00:00 to 11:00: /s,
    ],
    ['activity invoice-sync', /invoice-sync: no finished runs in the last 7 days\./],
  ])('answers “%s” with its facts', async (line, words) => {
    expect((await type(line)).text).toMatch(words);
  });

  it.each([
    ...(['24h', '30h', 'today', 'yesterday', '7d', '30d', '90d'] as const).map((window) => [window, true] as const),
    ...(['30m', '1h', '31h', '2d', '2026-11-20T10:17Z..12:40Z'] as const).map((window) => [window, false] as const),
  ])(
    'of %s has the same totals in its sentence, its text and its chart, if there is one: %s',
    async (window, isDrawn) => {
      const { text, answer } = await type(`activity ${window}`);
      const [, succeeded, failed] = / ([\d,]+) succeeded, ([\d,]+|none) failed/.exec(text) ?? [];
      const total = numberOf(succeeded) + numberOf(failed);
      expect(chartedIn(answer)).toEqual(isDrawn ? [total, numberOf(failed)] : null);
      expect(numbersIn(text)).toEqual([total, numberOf(failed)]);
    },
  );

  it('has no chart and no file if nothing ran', async () => {
    const { answer } = await type('activity invoice-sync');
    expect(answer.file).toBeUndefined();
    expect(JSON.stringify(answer.message.blocks)).not.toContain('data_visualization');
  });

  it('of an ambiguous name keeps the window in the choice', async () => {
    const { answer } = await type('activity pay 30d');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"value":"activity [0-9a-f-]{36} 30d"/);
  });
});

function numberOf(words = 'none'): number {
  return words === 'none' ? 0 : Number(words.replaceAll(',', ''));
}

/** The sum of each series of the chart: all runs, failed ones. Null without a chart. */
function chartedIn({ message }: MessageAnswer): readonly number[] | null {
  const charts = message.blocks.filter((block) => block.type === 'data_visualization');
  if (charts.length === 0) return null;
  const sumOf = (at: number) =>
    sum(charts.flatMap(({ chart }) => chart.series[at]?.data ?? []).map(({ value }) => value));
  return [sumOf(0), sumOf(1)];
}

/** Sums of the numbers in the text: all runs, failed ones. */
function numbersIn(text: string): readonly number[] {
  return [/: Runs ([\d, ·]+);/g, /; Failed ([\d, ·]+|none)\.$/gm].map((pattern) =>
    sum([...text.matchAll(pattern)].flatMap(([, words = '']) => words.split(' · ').map(numberOf))),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
