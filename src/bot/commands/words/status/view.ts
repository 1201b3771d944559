/** View of `status`: verdict, numbers, last failures, last deployment and runs per day. */

import type { RichTextBlock, RichTextElement, SectionBlock } from '@slack/types';
import { freezeDeep, memoize, memoizeLatest } from '../../../../shared/cache/memoize.ts';
import { percent } from '../../../domain/percent.ts';
import type { Provenance } from '../../../domain/provenance.ts';
import { isRolling, type Window } from '../../../domain/window.ts';
import { type CauseGroup, groupByCause, withCause } from '../../../insight/causes/cause.ts';
import type { SuccessesWithErrors } from '../../../insight/executions/result.ts';
import { type Counts, type Health, type Trend, trendOf } from '../../../insight/health/health.ts';
import type {
  DeploymentFieldsFragment,
  ExecutionFieldsFragment,
  WorkflowFieldsFragment,
} from '../../../query/generated/operations.ts';
import { context, fields } from '../../../views/blocks/blocks.ts';
import { answerActions, commandButton, linkButton, relatedCommands } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  bold,
  bulleted,
  date,
  emoji,
  errorEnds,
  paragraph,
  plain,
  rich,
  trusted,
} from '../../../views/blocks/rich-text.ts';
import type { ActivityBucket } from '../../../views/charts/activity-chart.ts';
import { dayBars } from '../../../views/charts/day-bars.ts';
import { investigateButtons } from '../../../views/execution/investigate-buttons.ts';
import {
  failingSentence,
  healthAdvice,
  recoveryWords,
  silenceWords,
  trendLine,
  unstableSentence,
  verdictEmoji,
  withErrorsEvidence,
} from '../../../views/format/health.ts';
import { type Markup, markup } from '../../../views/format/mrkdwn.ts';
import { count, counted } from '../../../views/format/number.ts';
import {
  orNotKept,
  sourceLines,
  spanText,
  staleLine,
  unreadWindow,
  windowLine,
  windowText,
} from '../../../views/format/provenance.ts';
import {
  deploymentActionLabel,
  deploymentStatusLabel,
  executionResultLabel,
  faultLabel,
  withErrorsText,
} from '../../../views/format/status-labels.ts';
import { activationText, dateToken, duration } from '../../../views/format/time.ts';

export type StatusCard = {
  readonly workflow: Omit<WorkflowFieldsFragment, 'executionCountByStatus'>;
  readonly health: Health;
  readonly counts: Counts | null;
  readonly countsBefore: Counts | null;
  readonly creditUsed: string | null;
  readonly days: { readonly buckets: readonly ActivityBucket[]; readonly zone: string };
  /** The usual variation, for the trend. */
  readonly history: readonly ActivityBucket[] | null;
  readonly failures: readonly ExecutionFieldsFragment[] | null;
  /** Null if not known. */
  readonly withErrors: SuccessesWithErrors | null;
  readonly newestExecutions: readonly ExecutionFieldsFragment[] | null;
  readonly latestDeployment: DeploymentFieldsFragment | null;
  /** Another than the window of the card, if it could not be read. */
  readonly asked: Window;
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
    ...staleLine(provenance, now),
    paragraph([...verdict(card), ...unreadWindow(card.asked, window)]),
    factFields(card),
    ...(failures === null || failures.length === 0 ? [] : [lastFailures(failures, counts)]),
    ...(latestDeployment === null ? [] : [lastDeployment(latestDeployment)]),
    ...(days.buckets.length === 0 ? [] : [runsPerDay(days.buckets, days.zone)]),
    context([...trendEvidence(card), windowLine(card), ...sourceLines(provenance, now)]),
    ...relatedCommands(card, relatedWords(card), investigateNewest(card)),
    answerActions(line, [
      commandButton({
        label: `Last ${spanText(otherWindow)}`,
        line: `status ${workflow.uuid} ${otherWindow}`,
        mode: 'replace',
      }),
      ...linkButton('On the web', card.webUrl),
    ]),
  ]);
}

/** Related commands that have something to show. */
function relatedWords({ workflow, failures, latestDeployment }: StatusCard) {
  return [
    ...(failures === null || failures.length === 0 ? [] : (['failures'] as const)),
    ...(workflow.executedAt === null ? [] : (['executions'] as const)),
    ...(latestDeployment === null ? [] : (['deployments'] as const)),
  ];
}

function investigateNewest({ failures }: StatusCard) {
  const [newest] = failures ?? [];
  if (newest === undefined) return [];
  return investigateButtons({ uuid: newest.uuid, subject: 'the last failure', isPrimary: true });
}

/** Memoized: these blocks do not depend on the time, so a cached answer builds, checks and reads them once. */
const lastDeployment = memoize(({ deployedAt, status, errorMessage }: DeploymentFieldsFragment) => {
  const error = errorMessage === null ? [] : rich`: “${errorEnds(errorMessage)}”`;
  const at = date(Date.parse(deployedAt));
  // The history has pauses and deletions too, with their own time.
  if (status === 'PAUSED') return freezeDeep(paragraph(rich`${bold('Paused')} ${at}${error}`));
  if (status === 'DELETED') return freezeDeep(paragraph(rich`${bold('Deleted')} ${at}${error}`));
  const done = plain(deploymentActionLabel(status));
  return freezeDeep(paragraph(rich`${bold('Last deployment')} ${at}, ${done}${error}`));
});

const runsPerDay = memoizeLatest(
  (zone: string) => zone,
  (buckets: readonly ActivityBucket[], zone) => freezeDeep(dayBars(buckets, zone)),
);

const lastFailures = memoizeLatest(
  (counts: Counts | null) => String(counts?.failure),
  (failures: readonly ExecutionFieldsFragment[], counts) => freezeDeep(failuresBlock(failures, counts)),
);

function factFields(card: StatusCard): SectionBlock {
  const { counts, creditUsed: credits, withErrors } = card;
  const facts = [
    ...(counts === null ? [] : countFields(counts, card)),
    markup`*Last run*\n${lastRun(card)}`,
    // Counted apart: such a run is no failure, and lowers no success rate.
    ...(withErrors?.withErrors ? [markup`*Completed with errors*\n${withErrorsText(withErrors)}`] : []),
    ...(credits === null ? [] : [markup`*Credits used*\n${credits}`]),
  ];
  // Slack shows fields in pairs. The verdict or the line of the last deployment has its state, too.
  const deployment = markup`*Deployment*\n${deploymentStatusLabel(card.workflow.status)}`;
  return fields(facts.length % 2 === 0 ? facts : [...facts, deployment]);
}

function countFields(counts: Counts, { countsBefore: before, window }: StatusCard): readonly Markup[] {
  const span = isRolling(window) ? spanText(window.label) : duration(window.to - window.from);
  const beside = (earlier: Counts | null, read: (counts: Counts) => string) =>
    earlier === null ? markup`` : markup` (the ${span} before: ${read(earlier)})`;
  return [
    markup`*Runs*\n${count(counts.total)}${beside(before, ({ total }) => count(total))}`,
    markup`*Failures*\n${count(counts.failure)}${beside(before, ({ failure }) => count(failure))}`,
    markup`*Success rate*\n${successRate(counts)}${beside(hasFinished(before) ? before : null, successRate)}`,
  ];
}

/** Share of the finished runs; running ones are not counted. */
function successRate(counts: Counts): string {
  return hasFinished(counts) ? percent(counts.success, counts.success + counts.failure) : 'no finished runs';
}

function hasFinished(counts: Counts | null): boolean {
  return counts !== null && counts.success + counts.failure > 0;
}

function lastRun({ workflow, newestExecutions }: StatusCard): string | Markup {
  const [latest] = newestExecutions ?? [];
  if (latest) return markup`${dateToken(Date.parse(latest.startedAt))}, ${executionResultLabel(latest)}`;
  return workflow.executedAt === null ? 'never' : dateToken(Date.parse(workflow.executedAt));
}

const errorUnitsMax = 220;

/** @param failures newest first, at least one @param counts of the window; null if the service could not say */
function failuresBlock(
  failures: readonly ExecutionFieldsFragment[],
  counts: { readonly failure: number } | null,
): RichTextBlock {
  const total = counts?.failure ?? failures.length;
  const which = total > failures.length ? rich` (${failures.length} of ${trusted(count(total))})` : [];
  const groups = groupByCause(failures.map((failure) => withCause(failure)));
  const newestFirst = groups.toSorted((one, other) => other.last - one.last);
  return bulleted(rich`${bold('Newest failures')}${which}`, newestFirst.map(causeLine));
}

function causeLine({ count: alike, sample }: CauseGroup<ExecutionFieldsFragment>): readonly RichTextElement[] {
  const [first, ...others] = sample.errors ?? [];
  const fault = faultLabel(sample.classifiedStatus);
  const many = alike > 1 ? rich`${alike} alike, newest: ` : [];
  const whose = fault === undefined ? [] : rich` (${trusted(fault)})`;
  const text = first === undefined ? trusted('no error text') : rich`“${errorEnds(first.error, errorUnitsMax)}”`;
  const more = others.length > 0 ? rich` (and ${trusted(counted(others.length, 'other error'))})` : [];
  return rich`${many}${date(Date.parse(sample.startedAt))}${whose}: ${text}${more}`;
}

/** The first sentence: the health now, or the result of a past window. */
function verdict(card: StatusCard): readonly RichTextElement[] {
  const { workflow, health } = card;
  const advice = healthAdvice(health);
  const silent = health.silence === null ? [] : rich`has gone silent: ${silenceWords(health.silence)}. It `;
  const words = card.window.isMoving ? presentWords(card) : rich`${plain(pastWords(card))}`;
  return rich`${emoji(verdictEmoji(health.verdict))} ${bold(workflow.name)} ${silent}${words}${failingNow(card)}${lastFailure(card)}${unstableSentence(health)}${advice.length === 0 ? [] : rich`\n${advice}`}`;
}

function presentWords(card: StatusCard): readonly RichTextElement[] {
  switch (card.health.state) {
    case 'failing':
      // The numbers of the window are right below.
      return rich`is failing: ${card.health.isFailingNow ? failingSentence(card.health) : plain(`${trendFrom(card).words}.`)}`;
    case 'unstable': {
      const { recovery } = card.health;
      if (recovery !== null)
        return rich`has recovered: ${recoveryWords(recovery)}; ${plain(`${trendFrom(card).words}.${flawWords(card)}`)}`;
      // Without the newest runs its current state is unknown.
      return rich`${trusted(card.newestExecutions === null ? 'had' : 'is unstable:')} ${plain(trendWords(card))}.`;
    }
    case 'healthy':
      return rich`${plain(healthyWords(card))}`;
    default:
      return rich`${plain(otherWords(card))}`;
  }
}

/** Only a workflow with the verdict `healthy` is called that. */
function healthyWords(card: StatusCard): string {
  return `${card.health.verdict === 'healthy' ? 'is healthy:' : 'had'} ${trendWords(card)}.${flawWords(card)}`;
}

/** The successes of the window that had errors; of the newest runs, if those of the window were not all looked at. */
function flawWords({ health, withErrors }: StatusCard): string {
  if (withErrors?.isWhole && withErrors.withErrors > 0)
    return ` But ${withErrorsText(withErrors)} completed with errors.`;
  return health.newest.withErrors > 0 ? ` But ${withErrorsEvidence(health)}.` : '';
}

/** Past tense for a past window: the current state may differ. */
function pastWords(card: StatusCard): string {
  switch (card.health.state) {
    case 'failing':
      return `had no successful run: ${trendWords(card)}.`;
    case 'unstable':
    case 'healthy':
      return `had ${trendWords(card)}.`;
    default:
      return otherWords(card);
  }
}

function trendWords(card: StatusCard): string {
  const { words, note } = trendFrom(card);
  return words + note;
}

/** Compares this window with the previous one. */
function trendFrom({ counts, countsBefore, window, history }: StatusCard): Trend {
  return trendOf(counts ?? noRuns, countsBefore, windowText(window), history);
}

function trendEvidence(card: StatusCard): readonly Markup[] {
  const { counts, health, history } = card;
  return counts === null || health.state === 'inactive' ? [] : trendLine(trendFrom(card), history);
}

const noRuns: Counts = { total: 0, success: 0, failure: 0 };

function otherWords(card: StatusCard): string {
  const { health, workflow, now } = card;
  const kept = (card.countsBefore?.total ?? 0) > 0 ? '' : orNotKept(card.window);
  if (health.state === 'idle') return `had ${trendWords(card)}${kept}.`;
  if (health.state === 'never_run')
    return `has never run${health.neverRan ? `: ${activationText(health.neverRan, now)}; its schedule is not known` : ''}.`;
  if (health.state === 'inactive') return inactiveWords(workflow.status);
  return health.verdict === 'unknown'
    ? 'cannot be judged: the query service did not return its counts.'
    : 'has no known counts: the query service did not return them.';
}

/** @param status of the deployment, as the service spells it */
function inactiveWords(status: string): string {
  if (status === 'PAUSED' || status === 'DELETED') return `is ${deploymentStatusLabel(status)}.`;
  return status === 'FAILED'
    ? 'is not active: its deployment failed.'
    : `is not active: its status is ${deploymentStatusLabel(status)}.`;
}

function failingNow({ health, window }: StatusCard): readonly RichTextElement[] {
  if (!health.isFailingNow || (window.isMoving && health.state === 'failing')) return [];
  return rich` It is failing now: ${failingSentence(health)}`;
}

/** Shows whether an outage is over. */
function lastFailure({ failures, health, window }: StatusCard): readonly RichTextElement[] {
  const [newest] = failures ?? [];
  if (newest === undefined || !window.isMoving || health.state !== 'unstable' || health.recovery !== null) return [];
  return rich` Last failure: ${date(Date.parse(newest.startedAt))}.`;
}
