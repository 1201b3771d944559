/** View of `status`: verdict, numbers, last failures, last deployment and runs per day. */
import type { RichTextBlock, RichTextElement, SectionBlock } from '@slack/types';
import { freezeDeep, memoize, memoizeLatest } from '../../../../shared/cache/memoize.ts';
import type { Provenance } from '../../../domain/provenance.ts';
import type { Window } from '../../../domain/window.ts';
import { type CauseGroup, groupByCause } from '../../../insight/causes/cause.ts';
import type { Counts, Health } from '../../../insight/health/health.ts';
import type {
  DeploymentFieldsFragment,
  ExecutionFieldsFragment,
  WorkflowFieldsFragment,
} from '../../../query/generated/operations.ts';
import { context, fields } from '../../../views/blocks/blocks.ts';
import { answerActions, commandButton, linkButton, relatedCommands } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, bulleted, date, errorEnds, paragraph, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { type DayBucket, dayBars } from '../../../views/charts/day-bars.ts';
import { type Markup, markup } from '../../../views/format/mrkdwn.ts';
import { count, counted, percent } from '../../../views/format/number.ts';
import { missingLine, sourceLine, windowLine } from '../../../views/format/provenance.ts';
import {
  deploymentActionLabel,
  deploymentStatusLabel,
  executionStatusLabel,
  faultLabel,
} from '../../../views/format/status-labels.ts';
import { dateToken, duration } from '../../../views/format/time.ts';
import { matchedNameNote } from '../../../views/notices/pick-workflow.ts';
import { verdict } from './verdict.ts';

export type StatusCard = {
  readonly workflow: Omit<WorkflowFieldsFragment, 'executionCountByStatus'>;
  readonly health: Health;
  /** The typed text, if it matched another name. */
  readonly takenFor: string | null;
  readonly counts: Counts | null;
  readonly countsBefore: Counts | null;
  readonly creditUsed: string | null;
  readonly days: readonly DayBucket[] | null;
  readonly failures: readonly ExecutionFieldsFragment[] | null;
  readonly newestExecutions: readonly ExecutionFieldsFragment[] | null;
  readonly latestDeployment: DeploymentFieldsFragment | null;
  readonly window: Window;
  readonly provenance: Provenance;
  readonly now: number;
  /** Link to the workflow on the platform's web page. */
  readonly webUrl?: string | undefined;
};

export function statusMessage(card: StatusCard): Message {
  const { workflow, window, provenance, now, days, failures, counts, latestDeployment } = card;
  const line = `status ${workflow.uuid} ${window.label}`;
  const otherWindow = window.label === '7d' ? '24h' : '7d';
  return message([
    paragraph([...verdict(card), ...staleNote(card), ...matchedNameNote(workflow.name, card.takenFor)]),
    factFields(card),
    ...(failures === null || failures.length === 0 ? [] : [lastFailures(failures, counts)]),
    ...(latestDeployment === null ? [] : [lastDeployment(latestDeployment)]),
    ...(days === null || days.length === 0 ? [] : [runsPerDay(days)]),
    context([windowLine(card), sourceLine(provenance, now), ...missingLine(provenance)]),
    ...relatedCommands(card, waysOf(card), investigateButton(card)),
    answerActions(line, [
      commandButton({ label: `Last ${otherWindow}`, line: `status ${workflow.uuid} ${otherWindow}`, mode: 'replace' }),
      ...linkButton('On the web', card.webUrl),
    ]),
  ]);
}

/** Puts the age of a stale answer next to the verdict. */
function staleNote({ provenance, now }: StatusCard): readonly RichTextElement[] {
  if (provenance.source !== 'stale') return [];
  return rich`\nThat was ${trusted(duration(now - provenance.asOf))} ago: there is no newer answer.`;
}

/** Related commands that have something to show. */
function waysOf({ workflow, failures, latestDeployment }: StatusCard) {
  return [
    ...(failures === null || failures.length === 0 ? [] : (['failures'] as const)),
    ...(workflow.executedAt === null ? [] : (['executions'] as const)),
    ...(latestDeployment === null ? [] : (['deployments'] as const)),
  ];
}

/** Button to investigate the newest failure. */
function investigateButton({ failures }: StatusCard) {
  const [newest] = failures ?? [];
  if (newest === undefined) return [];
  const accessibilityLabel = 'Investigate the last failure, in a thread';
  const line = `execution ${newest.uuid}`;
  return [commandButton({ label: 'Investigate', line, mode: 'open', style: 'primary', accessibilityLabel })];
}

/** Memoized: these blocks do not depend on the time, so a cached answer builds, checks and reads them once. */
const lastDeployment = memoize(({ deployedAt, status, errorMessage }: DeploymentFieldsFragment) => {
  const error = errorMessage === null ? [] : rich`: ${errorEnds(errorMessage)}`;
  const done = plain(deploymentActionLabel(status));
  return freezeDeep(paragraph(rich`${bold('Last deployment')} ${date(Date.parse(deployedAt))}, ${done}${error}`));
});

const runsPerDay = memoize((days: readonly DayBucket[]) => freezeDeep(dayBars(days)));

const lastFailures = memoizeLatest(
  (counts: Counts | null) => String(counts?.failure),
  (failures: readonly ExecutionFieldsFragment[], counts) => freezeDeep(failuresBlock(failures, counts)),
);

type Facts = {
  readonly workflow: { readonly status: string; readonly executedAt: string | null };
  readonly counts: Counts | null;
  readonly countsBefore: Counts | null;
  readonly creditUsed: string | null;
  readonly newestExecutions: readonly { readonly status: string; readonly startedAt: string }[] | null;
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

/** Share of the finished runs; running ones are not counted. */
function successRate(counts: Counts): string {
  return hasFinished(counts) ? percent(counts.success, counts.success + counts.failure) : 'no finished runs';
}

function hasFinished(counts: Counts | null): boolean {
  return counts !== null && counts.success + counts.failure > 0;
}

function lastRun({ workflow, newestExecutions }: Facts): string | Markup {
  const [latest] = newestExecutions ?? [];
  if (latest) return markup`${dateToken(Date.parse(latest.startedAt))}, ${executionStatusLabel(latest.status)}`;
  return workflow.executedAt === null ? 'never' : dateToken(Date.parse(workflow.executedAt));
}

const errorUnitsMax = 220;

/** @param failures newest first, at least one @param counts of the window; null if the service could not say */
export function failuresBlock(
  failures: readonly ExecutionFieldsFragment[],
  counts: { readonly failure: number } | null,
): RichTextBlock {
  const total = counts?.failure ?? failures.length;
  const which = total > failures.length ? rich` (${failures.length} of ${trusted(count(total))})` : [];
  const newestFirst = [...groupByCause(failures)].sort((one, other) => other.last - one.last);
  return bulleted(rich`${bold('Last failures')}${which}`, newestFirst.map(causeLine));
}

function causeLine({ count: alike, sample }: CauseGroup<ExecutionFieldsFragment>): readonly RichTextElement[] {
  const [first, ...others] = sample.errors ?? [];
  const fault = faultLabel(sample.classifiedStatus);
  const many = alike > 1 ? rich`${alike} alike, newest: ` : [];
  const whose = fault === undefined ? [] : rich` (${trusted(fault)})`;
  const text = first === undefined ? trusted('no error text') : errorEnds(first.error, errorUnitsMax);
  const more = others.length > 0 ? rich` (and ${trusted(counted(others.length, 'other error'))})` : [];
  return rich`${many}${date(Date.parse(sample.startedAt))}${whose}: ${text}${more}`;
}
