/** The evidence for a word about a trend: the days that show the usual variation. */
import { type DayCounts, daysMin, withRuns } from '../../insight/dispersion.ts';
import type { Trend } from '../../insight/health/health.ts';
import { type Markup, markup } from './mrkdwn.ts';
import { count, counted } from './number.ts';

/** @param history days before the window; null if they are not known @returns none if the trend is not called better or worse */
export function trendLine({ direction }: Trend, history: readonly DayCounts[] | null): readonly Markup[] {
  if (direction !== 'better' && direction !== 'worse') return [];
  const days = withRuns(history ?? []).map(({ failed }) => failed);
  const basis =
    days.length < daysMin
      ? 'So large a difference needs no comparison with earlier days'
      : `Before this window there were runs on ${count(days.length)} days, ${dailyText(days)}`;
  return [markup`${direction === 'worse' ? 'More' : 'Fewer'} failures than in the previous window. ${basis}.`];
}

/** @param days the failures of each */
function dailyText(days: readonly number[]): string {
  const most = Math.max(...days);
  if (most === 0) return 'and none of them failed';
  const mean = days.reduce((sum, failed) => sum + failed, 0) / days.length;
  const usual = mean < 0.1 ? 'fewer than one in ten days' : mean < 10 ? mean.toFixed(1) : count(Math.round(mean));
  return `with at most ${counted(most, 'failure')} a day, ${usual} on average`;
}
