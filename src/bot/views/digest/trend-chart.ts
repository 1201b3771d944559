/** Failures per day in a digest: a chart and its numbers, or only the numbers, as a phone has room. */
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { daysMin } from '../../insight/dispersion.ts';
import { blockText } from '../blocks/message.ts';
import { dayName } from '../charts/day-bars.ts';
import { barChart, chartNumbers } from '../charts/native-chart.ts';
import { type DigestFacts, verdictOf } from './facts.ts';

const dayMs = 86_400_000;
/** So many characters fit in a line of a phone 400 pixels wide. */
const lineUnits = 44;
/** With so many other lines, the numbers and the chart, the sample's digest fills a screen and a half, 1,200 pixels. */
const besideChartMax = 44;
/** With so many lines and no chart, it fills as much. */
const linesMax = 54;

/** @param others all other blocks of the message @returns none without failures, with fewer days than show a trend, or without room */
export function trendChart(facts: DigestFacts, others: readonly MessageBlock[]): readonly MessageBlock[] {
  const { daily, window } = facts;
  if (verdictOf(facts) !== 'failed' || daily === null || daily.length < daysMin) return [];
  const names = daily.map(({ day }) => {
    const name = dayName(new Date(day).toISOString()).replace(/^0/, '');
    return day + dayMs > window.to ? `${name} so far` : name;
  });
  const drawn = [
    'Failures per day (UTC)',
    names,
    [{ name: 'Failures', values: daily.map(({ failed }) => failed) }],
  ] as const;
  const numbers = chartNumbers(...drawn);
  const otherLines = others.reduce((sum, block) => sum + linesOf(block), 0);
  if (otherLines + linesOf(numbers) > linesMax) return [];
  return otherLines > besideChartMax ? [numbers] : [barChart(...drawn), numbers];
}

/** The fallback of a date is as long as the date that a person sees. */
function linesOf(block: MessageBlock): number {
  return blockText(block)
    .replace(/<!date\^[^|<>]*\|/g, '')
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / lineUnits)), 0);
}
