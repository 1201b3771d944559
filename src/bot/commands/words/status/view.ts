/** The status card: the verdict first, then the numbers, the last failures, the last deployment and the days. */
import type { RichTextElement } from '@slack/types';
import { memoize, memoizeLatest } from '../../../../shared/cache/memoize.ts';
import { freezeDeep } from '../../../../shared/frozen.ts';
import type { Provenance } from '../../../domain/provenance.ts';
import type { Window } from '../../../domain/window.ts';
import type { Counts, Health } from '../../../insight/health/health.ts';
import type {
  DeploymentFieldsFragment,
  ExecutionFieldsFragment,
  WorkflowFieldsFragment,
} from '../../../query/generated/operations.ts';
import { answerActions, linkButton, relatedCommands } from '../../../views/blocks/answer-actions.ts';
import { context } from '../../../views/blocks/blocks.ts';
import { commandButton } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, date, errorEnds, paragraph, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { type DayBucket, dayBars } from '../../../views/charts/day-bars.ts';
import { missingLine, sourceLine, windowLine } from '../../../views/format/provenance.ts';
import { deploymentActionLabel } from '../../../views/format/status-labels.ts';
import { duration } from '../../../views/format/time.ts';
import { matchedNameNote } from '../../../views/notices/pick-workflow.ts';
import { factFields } from './facts.ts';
import { failuresBlock } from './failures.ts';
import { verdict } from './verdict.ts';

export type StatusCard = {
  readonly workflow: Omit<WorkflowFieldsFragment, 'executionCountByStatus'>;
  readonly health: Health;
  /** What was typed, when another name was taken for it. */
  readonly takenFor: string | null;
  readonly counts: Counts | null;
  readonly countsBefore: Counts | null;
  readonly creditUsed: string | null;
  readonly days: readonly DayBucket[] | null;
  readonly failures: readonly ExecutionFieldsFragment[] | null;
  readonly recent: readonly ExecutionFieldsFragment[] | null;
  readonly latestDeployment: DeploymentFieldsFragment | null;
  readonly window: Window;
  readonly provenance: Provenance;
  readonly now: number;
  /** Of the workflow on the platform's web page. */
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

/** Small print is not where one looks for whether a verdict still holds. */
function staleNote({ provenance, now }: StatusCard): readonly RichTextElement[] {
  if (provenance.source !== 'stale') return [];
  return rich`\nThat was ${trusted(duration(now - provenance.asOf))} ago: there is no newer answer.`;
}

/** To what there is. */
function waysOf({ workflow, failures, latestDeployment }: StatusCard) {
  return [
    ...(failures === null || failures.length === 0 ? [] : (['failures'] as const)),
    ...(workflow.executedAt === null ? [] : (['executions'] as const)),
    ...(latestDeployment === null ? [] : (['deployments'] as const)),
  ];
}

/** The newest failure: one press from the card to its cause. */
function investigateButton({ failures }: StatusCard) {
  const [newest] = failures ?? [];
  if (newest === undefined) return [];
  const accessibilityLabel = 'Investigate the last failure, in a thread';
  const line = `execution ${newest.uuid}`;
  return [commandButton({ label: 'Investigate', line, mode: 'open', style: 'primary', accessibilityLabel })];
}

/** These blocks tell nothing of the moment: with the answer in memory they are made once, and checked and read aloud once. */
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
