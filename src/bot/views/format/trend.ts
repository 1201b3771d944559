/** The evidence for a word about a trend: the days that show the usual variation. */
import { type DayCounts, daysMin, withRuns } from '../../insight/dispersion.ts';
import type { Trend } from '../../insight/health/health.ts';
import { type Markup, markup } from './mrkdwn.ts';
import { counted } from './number.ts';

/** @param history days before the window; null if they are not known @returns none if the trend is not called better or worse */
export function trendLine({ direction }: Trend, history: readonly DayCounts[] | null): readonly Markup[] {
  if (direction !== 'better' && direction !== 'worse') return [];
  const days = withRuns(history ?? []).length;
  const basis =
    days < daysMin
      ? 'so large a difference needs no comparison with earlier days'
      : `outside the variation over ${counted(days, 'day')} with runs`;
  return [markup`${direction === 'worse' ? 'More' : 'Fewer'} failures than before: ${basis}.`];
}
