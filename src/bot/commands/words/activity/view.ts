/** View of `activity`: totals, the worst day or hour, and a chart. */

import { percent } from '../../../domain/percent.ts';
import type { ActivityFieldsFragment } from '../../../query/generated/operations.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { rich, trusted, type Words } from '../../../views/blocks/rich-text.ts';
import { activityCharts, dayName, hourName, unitOf } from '../../../views/charts/activity-chart.ts';
import { nameOrAll, type RunsScope, runsMessage, windowActions } from '../../../views/execution/runs-message.ts';
import { type Markup, markup } from '../../../views/format/mrkdwn.ts';
import { count, counted } from '../../../views/format/number.ts';
import { orNotKept, windowText } from '../../../views/format/provenance.ts';

export type Activity = RunsScope & {
  /** Days or hours, oldest first, the first and the last cut to the window. The chart shows these alone. */
  readonly buckets: readonly ActivityFieldsFragment[];
  /** False if some of them could not be read. */
  readonly isWhole: boolean;
  /** Of the hours and days. */
  readonly zone: string;
};

export function activityMessage(activity: Activity): Message {
  const { buckets, window, zone } = activity;
  const { failed } = totalsOf(buckets);
  const hasRuns = buckets.some(({ successCount, failureCount }) => successCount + failureCount > 0);
  return runsMessage(activity, {
    head: rich`${totalWords(activity)}${worst(activity)}`,
    blocks: hasRuns ? activityCharts(buckets, zone) : [],
    notes: partialLine(buckets),
    related: failed > 0 ? ['status', 'failures', 'executions'] : ['status', 'executions'],
    actions: windowActions('activity', activity, window.label === '30d' ? '7d' : '30d'),
  });
}

/** The window may cut the first and the last hour or day. A day of 23 h is whole. */
function partialLine(buckets: Activity['buckets']): readonly Markup[] {
  const lengths = buckets.map(({ from, to }) => Date.parse(to) - Date.parse(from));
  const wholeMs = 0.95 * Math.max(...lengths);
  const ends = { first: lengths[0] ?? wholeMs, last: lengths.at(-1) ?? wholeMs };
  const cut = Object.entries(ends).flatMap(([end, ms]) => (ms < wholeMs ? [end] : []));
  return cut.length === 0
    ? []
    : [markup`The ${cut.join(' and ')} ${unitOf(buckets)} ${cut.length > 1 ? 'are' : 'is'} partial.`];
}

function totalsOf(buckets: Activity['buckets']) {
  return {
    succeeded: buckets.reduce((sum, { successCount }) => sum + successCount, 0),
    failed: buckets.reduce((sum, { failureCount }) => sum + failureCount, 0),
  };
}

function totalWords(activity: Activity): Words {
  const { succeeded, failed } = totalsOf(activity.buckets);
  const total = succeeded + failed;
  const who = rich`${nameOrAll(activity)}${trusted(activity.isWhole ? '' : ', as far as the activity could be read')}`;
  const head = rich`${who}: ${trusted(counted(total, 'finished run'))} ${trusted(windowText(activity.window))}`;
  if (total === 0) return rich`${head}${trusted(orNotKept(activity.window))}.`;
  const share = failed === 0 ? 'none failed' : `${count(failed)} failed (${percent(failed, total)})`;
  return rich`${head}, ${trusted(`${count(succeeded)} succeeded, ${share}`)}.`;
}

/** Names the day or hour with the most failures if several have some. */
function worst({ buckets, zone }: Activity): Words {
  const failing = buckets.filter(({ failureCount }) => failureCount > 0);
  if (failing.length < 2) return [];
  const { from, failureCount } = failing.reduce((one, other) => (other.failureCount > one.failureCount ? other : one));
  const when =
    unitOf(buckets) === 'hour'
      ? `in the hour from ${hourName(from, zone)}`
      : `on ${dayName(from, zone)}${zone === 'UTC' ? ' (UTC)' : ''}`;
  return rich` Most failures ${trusted(when)}: ${trusted(count(failureCount))}.`;
}
