/** The message about one execution: its state, its error, the facts about it and what to do. */
import type { KnownBlock } from '@slack/types';
import type { Provenance } from '../../domain/provenance.ts';
import type { Cause } from '../../insight/causes/cause.ts';
import type { Blamed, BlameFinding } from '../../insight/health/deployment-blame.ts';
import type { Health } from '../../insight/health/health.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, linkButton } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, bulleted, date, emoji, paragraph, plain, rich, trusted, type Words } from '../blocks/rich-text.ts';
import { causeText, errorText, rootCauseWords } from '../format/error-text.ts';
import { rollBackTarget, silenceAdvice, silenceWords, verdictLabel } from '../format/health.ts';
import { markup } from '../format/mrkdwn.ts';
import { count, counted } from '../format/number.ts';
import { sourceLines, staleLine } from '../format/provenance.ts';
import {
  executionResultEmoji,
  executionResultLabel,
  executionStatusEmoji,
  executionStatusLabel,
  faultLabel,
} from '../format/status-labels.ts';
import { beganWords, deployedAt } from './blame.ts';
import { type FailureFacts, factLines, upToThisRun } from './facts.ts';

export type ExecutionVerdict = FailureFacts & {
  readonly uuid: string;
  /** As lists show it. */
  readonly shortId: string;
  readonly workflowName: string;
  /** Null if the service does not say and no name matches. */
  readonly workflowUuid: string | null;
  readonly cause: Cause;
  /** Of its workflow now, with its silence only if this is the last run; null if it is not known. */
  readonly health: Health | null;
  /** Number of nodes in the logs; null without logs. */
  readonly nodeCount: number | null;
  readonly provenance: Provenance;
  /** Link to the execution on the platform's web page. */
  readonly webUrl?: string | undefined;
};

const headlineUnitsMax = 240;

/** One line for a list, a notification and the root of the thread. */
function verdictLine(verdict: ExecutionVerdict): Words {
  const { health, workflowName } = verdict;
  if (!health?.silence) return resultLine(verdict);
  return rich`${emoji('warning')} ${bold(workflowName)} has gone silent: ${silenceWords(health.silence)}.\n${lastRunLine(verdict)}`;
}

/** Not as it is, because a success looks like good news. */
function lastRunLine(verdict: ExecutionVerdict): Words {
  return rich`Its last run: ${resultLine(verdict)}`;
}

function resultLine(verdict: ExecutionVerdict): Words {
  const { workflowName, status, cause, startedAt, errors, rootCause } = verdict;
  if (status === 'SUCCESS')
    return rich`${emoji(executionResultEmoji(verdict))} ${bold(workflowName)} ${trusted(executionResultLabel(verdict))} (${date(startedAt)})`;
  if (status !== 'FAILURE') {
    return rich`${emoji(executionStatusEmoji(status))} ${bold(workflowName)}, started ${date(startedAt)}: ${plain(executionStatusLabel(status))}`;
  }
  if (rootCause !== null) return rich`${failureLine(verdict)}, ${rootCauseWords(rootCause, headlineUnitsMax)}`;
  const text = causeText(errors, cause.title, headlineUnitsMax);
  return rich`${failureLine(verdict)}: ${errors.length === 0 ? text : rich`“${text}”`}`;
}

function failureLine(verdict: ExecutionVerdict): Words {
  const fault = faultLabel(verdict.cause.classifiedStatus);
  const whose = fault === undefined ? [] : rich`, ${trusted(fault)}`;
  return rich`${failedWords(verdict)} (${date(verdict.startedAt)}${sinceThen(verdict)})${whose}`;
}

function failedWords({ workflowName, recovery }: ExecutionVerdict): Words {
  return rich`${emoji(recovery === null ? 'x' : 'warning')} ${bold(workflowName)} failed`;
}

/** @returns what other answers call its workflow, unless it is failing or cannot be judged there */
function otherState({ health }: ExecutionVerdict): string | null {
  if (health === null || health.verdict === 'failing' || health.verdict === 'unknown') return null;
  return verdictLabel(health.verdict, health.inactiveAs ?? undefined);
}

/** States whether it still fails, which decides the urgency. A rise since the streak’s start is the streak, read a moment later. */
function sinceThen(verdict: ExecutionVerdict): Words {
  const { recovery, hasNotRecovered, streak, rise, blame } = verdict;
  const began = blame?.kind === 'blamed' ? rich`, starting ${beganWords(blame, 'clock')}` : [];
  const state = otherState(verdict);
  const [now, failed] = state === null ? ['still failing', ''] : [state, ' failed'];
  if (rise?.isPrevailing && streak?.since !== rise.since && (streak === null || streak.count < rise.after.failed)) {
    const numbers = `${count(rise.after.failed)} of ${counted(rise.after.total, 'run')}${failed}`;
    const about = trusted(rise.isExact ? 'since' : 'since about');
    return rich`; ${bold(now)}, ${trusted(numbers)} ${about} ${date(rise.since)}${began}`;
  }
  if (recovery !== null)
    return recovery.isFirst ? rich`; succeeded again ${date(recovery.at)}` : rich`; has succeeded since`;
  if (!hasNotRecovered || streak === null || streak.count === 1) return [];
  const since = streak.since === null ? [] : rich` since ${date(streak.since)}`;
  const number = `${count(streak.count)}${streak.isCut ? ' or more' : ''}${failed}`;
  return rich`; ${bold(now)}, ${trusted(number)} in a row${trusted(upToThisRun(streak))}${since}${began}`;
}

export function verdictRootMessage(verdict: ExecutionVerdict): Message {
  const advice = verdict.health?.silence ? [trusted(silenceAdvice)] : adviceFor(verdict);
  return message([
    ...staleLine(verdict.provenance, verdict.now),
    paragraph(verdictLine(verdict)),
    ...(advice === null ? [] : [paragraph(rich`${emoji('point_right')} ${bold('What to try:')} ${advice}`)]),
  ]);
}

export function verdictProgressMessage(workflowName: string): Message {
  return message([paragraph(rich`${emoji('mag')} Looking into the run of ${bold(workflowName)}…`)]);
}

/** Without what the root says. */
function detailsLine(verdict: ExecutionVerdict): Words {
  if (verdict.status === 'FAILURE') return rich`${failedWords(verdict)} (${date(verdict.startedAt)})`;
  return verdict.health?.silence ? lastRunLine(verdict) : resultLine(verdict);
}

/** Below the root, which has the headline and what to try. */
export function verdictMessage(verdict: ExecutionVerdict): Message {
  const { uuid, shortId, provenance, now } = verdict;
  const facts = factLines(verdict);
  return message([
    paragraph(detailsLine(verdict)),
    ...errorBlocks(verdict),
    ...(facts.length === 0 ? [] : [bulleted(rich`${bold('Facts')}`, facts)]),
    context([markup`Run ${shortId} (uuid ${uuid}; commands take either)`, ...sourceLines(provenance, now)]),
    actions(buttons(verdict)),
  ]);
}

/** @returns false if its state may still change: it runs, or the workflow still fails */
export function isOver({ status, recovery, rise }: ExecutionVerdict): boolean {
  return status === 'SUCCESS' || (status === 'FAILURE' && recovery !== null && rise?.isPrevailing !== true);
}

function buttons(verdict: ExecutionVerdict) {
  const { uuid, workflowUuid, blame, webUrl } = verdict;
  const open = (label: string, line: string) => commandButton({ label, line, mode: 'open' });
  return [
    ...(isOver(verdict) ? [] : [open('Refresh', `execution ${uuid}`)]),
    open('Full logs', `logs ${uuid}`),
    ...(blame?.kind === 'blamed' || blame?.kind === 'thin'
      ? [open('Deployment details', `deployment ${blame.deployment.uuid}`)]
      : []),
    ...(workflowUuid === null
      ? []
      : [open('Workflow status', `status ${workflowUuid}`), open('All failures', `failures ${workflowUuid}`)]),
    ...linkButton('On the web', webUrl),
  ];
}

const errorUnitsMax = 400;
const errorsMax = 3;

/** @returns the errors that the message shows without a cut */
export function errorsShownWhole({ errors }: Pick<ExecutionVerdict, 'errors'>): readonly string[] {
  return errors.slice(0, errorsMax).flatMap(({ error }) => (error.length <= errorUnitsMax ? [error] : []));
}

function errorBlocks({ errors, nodeCount, status }: ExecutionVerdict): readonly KnownBlock[] {
  const shown = errors.slice(0, errorsMax);
  if (shown.length === 0) {
    return status === 'FAILURE' ? [paragraph(rich`The platform kept no error text, so the reason is not known.`)] : [];
  }
  const items = shown.map(({ error, count: nodes }) => {
    const all = counted(nodeCount ?? 0, 'node');
    const known = nodeCount !== null && nodeCount >= nodes ? `${nodes} of ${all}` : counted(nodes, 'node');
    return rich`${trusted(nodes === 0 ? 'Some nodes' : known)}: “${errorText(error, errorUnitsMax)}”`;
  });
  const left = errors.length - shown.length;
  const rest = left > 0 ? [rich`and ${trusted(counted(left, 'other error'))}`] : [];
  return [bulleted(rich`${bold(errors.length === 1 ? 'Error' : 'Errors')}`, [...items, ...rest])];
}

/** @returns a sentence without outside text */
function adviceFor(facts: ExecutionVerdict): Words | null {
  if (facts.status !== 'FAILURE') return null;
  const { blame } = facts;
  return blame?.kind === 'blamed' ? blamedAdvice(blame, facts) : [trusted(unblamedAdvice(facts))];
}

function unblamedAdvice(facts: ExecutionVerdict): string {
  const { cause, blame, recovery, streak, errors, rise } = facts;
  if (cause.classifiedStatus === 'SYSTEM_ERROR') return platformAdvice(facts);
  if (errors.length === 0) return 'read the logs of this run; if they say nothing either, ask the platform’s support.';
  const isPrevailing = rise?.isPrevailing === true;
  const again = recovery === null ? '' : 'the workflow has succeeded again, but ';
  if (isRecurring(facts) && !isPrevailing)
    return `handle this error in the workflow: ${again}the error has come back before.`;
  if (isPrevailing || (recovery === null && streak !== null && (streak.count > 1 || streak.hasLater))) {
    return `fix what the error describes. ${deploymentAdvice(blame)}`;
  }
  if (recovery !== null) return 'nothing now. If the error comes back, handle it in the workflow.';
  if (streak === null) return 'see whether the runs after this one succeed; the runs before it are not known.';
  return 'see whether the runs after this one succeed: this may be a one-off failure.';
}

/** Names the two versions as a list of deployments does: by the time of each. */
function blamedAdvice(blamed: Blamed, { recovery, rise }: ExecutionVerdict): Words {
  const { isReplaced, deployment, previous } = blamed;
  const bad = rich`the version deployed ${deployedAt(deployment)}`;
  const good =
    previous === null ? rich`the version before it` : rich`the version before it, deployed ${deployedAt(previous)}`;
  if (recovery !== null && rise?.isPrevailing !== true)
    return rich`nothing now. Compare ${bad} with ${good}, so that the failures do not come back.`;
  const target = rollBackTarget(blamed);
  if (isReplaced) return rich`roll back to ${target}. Later deployments have not ended the failures.`;
  return rich`roll back to ${target}. Then compare it with the version that fails.`;
}

const outside =
  'look for what changed outside the workflow when the failures began: a permission, a limit, a balance, a key, or the input of the call.';

/** Each reason why no deployment is blamed has its own advice. */
function deploymentAdvice(blame: BlameFinding | null): string {
  switch (blame?.kind) {
    case undefined:
    case 'blamed':
      return `Then ${outside}`;
    case 'none_came':
      return `No deployment came shortly before, so ${outside}`;
    case 'thin':
      return blame.reason === 'earlier'
        ? `The last deployment came later, so ${outside}`
        : `Compare the last deployment before the failures (numbers in the thread) with the one before it, and ${outside}`;
    case 'unread':
      return `It is not known whether a deployment is the cause: check whether one came shortly before, and ${outside}`;
    case 'never_good':
      return 'The workflow has never succeeded since its first deployment, so look for what has been missing from the beginning: a secret, a permission, a setting.';
  }
}

function platformAdvice(facts: ExecutionVerdict): string {
  const { recovery, elsewhere } = facts;
  if (isRecurring(facts)) {
    const node = facts.oddNodes.length === 0 ? '' : ' and which nodes differ';
    return `tell the platform’s support that this has come back, and give the run’s id${node} (in the thread). The platform calls it its own fault.`;
  }
  const several = elsewhere?.usual?.isChance === false;
  if (recovery === null) {
    return several
      ? 'tell the platform’s support that several workflows failed this way, and give the run’s id (in the thread). The platform calls this its own fault.'
      : 'give the platform’s support the run’s id (in the thread). The platform calls this its own fault.';
  }
  const todo =
    facts.missingCalls.length === 0 ? 'nothing now.' : 'check that a later run did what this run left undone.';
  return `${todo}${several ? ' Several workflows failed this way.' : ''} If this comes back, tell the platform’s support.`;
}

function isRecurring({ recurrence }: ExecutionVerdict): boolean {
  return recurrence !== null && recurrence.others > 0;
}
