/** The status card's numbers, each beside what it was in the window before. */
import type { SectionBlock } from '@slack/types';
import type { Counts } from '../../../insight/health/health.ts';
import { fields } from '../../../views/blocks/blocks.ts';
import { type Markup, markup } from '../../../views/format/mrkdwn.ts';
import { count, percent } from '../../../views/format/number.ts';
import { deploymentStatusLabel, executionStatusLabel } from '../../../views/format/status-labels.ts';
import { dateToken } from '../../../views/format/time.ts';

type Facts = {
  readonly workflow: { readonly status: string; readonly executedAt: string | null };
  readonly counts: Counts | null;
  readonly countsBefore: Counts | null;
  readonly creditUsed: string | null;
  readonly recent: readonly { readonly status: string; readonly startedAt: string }[] | null;
};

export function factFields(facts: Facts): SectionBlock {
  const { counts, countsBefore, creditUsed: credits } = facts;
  return fields([
    ...(counts === null ? [] : countFields(counts, countsBefore)),
    markup`*Deployment*\n${deploymentStatusLabel(facts.workflow.status)}`,
    markup`*Last run*\n${lastRun(facts)}`,
    ...(credits === null ? [] : [markup`*Credits used*\n${credits}`]),
  ]);
}

function countFields(counts: Counts, before: Counts | null): readonly Markup[] {
  return [
    markup`*Runs*\n${count(counts.total)}${beside(before, ({ total }) => count(total))}`,
    markup`*Failures*\n${count(counts.failure)}${beside(before, ({ failure }) => count(failure))}`,
    markup`*Success rate*\n${successRate(counts)}${beside(hasFinished(before) ? before : null, successRate)}`,
  ];
}

function beside(before: Counts | null, read: (counts: Counts) => string): Markup {
  return before === null ? markup`` : markup` (before: ${read(before)})`;
}

/** Of the finished runs; a run in progress is neither. */
function successRate(counts: Counts): string {
  return hasFinished(counts) ? percent(counts.success, counts.success + counts.failure) : 'no finished runs';
}

function hasFinished(counts: Counts | null): boolean {
  return counts !== null && counts.success + counts.failure > 0;
}

function lastRun({ workflow, recent }: Facts): string | Markup {
  const [latest] = recent ?? [];
  if (latest) return markup`${dateToken(Date.parse(latest.startedAt))}, ${executionStatusLabel(latest.status)}`;
  return workflow.executedAt === null ? 'never' : dateToken(Date.parse(workflow.executedAt));
}
