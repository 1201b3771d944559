/** The facts about one execution beside its error, a line each: streak, recovery, recurrence, other workflows, deployment. */

import { percent } from '../../domain/percent.ts';
import type { ReportedError } from '../../insight/causes/cause.ts';
import type { CauseAge } from '../../insight/causes/recurrence.ts';
import type { Meeting } from '../../insight/digest/incident.ts';
import { isCompletedWithErrors } from '../../insight/executions/result.ts';
import type { RootCause } from '../../insight/executions/root-cause.ts';
import type { CapabilityCall, FailingCall } from '../../insight/executions/timeline.ts';
import type { BlameFinding } from '../../insight/health/deployment-blame.ts';
import type { Stretch } from '../../insight/health/onset.ts';
import { bold, code, date, plain, rich, several, trusted, type Words } from '../blocks/rich-text.ts';
import { ageWords } from '../format/cause-age.ts';
import { rootCauseLines } from '../format/error-text.ts';
import { count, counted } from '../format/number.ts';
import { duration, preciseDuration } from '../format/time.ts';
import { blameLine } from './blame.ts';

export type FailureStreak = {
  /** Failures in a row, ending with this one. */
  readonly count: number;
  /** True if there are failures after this one. */
  readonly hasLater: boolean;
  /** True if there may be older failures. */
  readonly isCut: boolean;
  /** When the first of them started, epoch milliseconds; null if that is not known. */
  readonly since: number | null;
  /** Number of the newest `comparedCount` of them with this cause. */
  readonly sameCauseCount: number;
  readonly comparedCount: number;
};

/** It fails more often since an instant, and the counts before and after it. */
export type FailureRise = {
  /** Epoch milliseconds. */
  readonly since: number;
  /** True if that is the start of the first failure; otherwise the rise began about then. */
  readonly isExact: boolean;
  readonly before: Stretch;
  readonly after: Stretch;
  /** True if it has not ended, and at least half of the executions fail. */
  readonly isPrevailing: boolean;
  /** True if it has ended, at about the end of `after`. */
  readonly isOver: boolean;
};

/** When it succeeded after the failure. */
export type Recovery = {
  /** Epoch milliseconds. */
  readonly at: number;
  /** True if it is the first success after the failure; otherwise it is the newest. */
  readonly isFirst: boolean;
};

/** Failures of the same cause outside of this streak: before the last success, or after the next. */
export type CauseRecurrence = {
  /** Of the cause in this workflow, those of this streak included. */
  readonly age: CauseAge;
  readonly others: number;
  /** True if there may be more. */
  readonly isCut: boolean;
  /** When the first and the last of them started, epoch milliseconds; equal for one. */
  readonly first: number;
  readonly last: number;
};

/** Other workflows that failed of the same cause at about the same time. */
export type Elsewhere = {
  readonly workflows: readonly string[];
  /** Searched time before and after the failure. */
  readonly withinMs: number;
  /** True if there may be more. */
  readonly isCut: boolean;
  /** Number of other workflows that fail this way in such a time at their usual rates; null if it is not known. */
  readonly usual: Meeting | null;
};

type Callee = Pick<CapabilityCall, 'capability' | 'method'>;

/** A call and its index in the timeline. */
type IndexedCall = { readonly index: number; readonly call: CapabilityCall };

export type FailureFacts = {
  readonly status: string;
  /** Null if the service does not say. */
  readonly detailedStatus: string | null;
  readonly startedAt: number;
  /** Null while it runs, or if the service reported none. */
  readonly finishedAt: number | null;
  readonly failing: FailingCall | null;
  readonly streak: FailureStreak | null;
  readonly lastGoodAt: number | null;
  readonly recovery: Recovery | null;
  /** True if no execution has succeeded since. */
  readonly hasNotRecovered: boolean;
  readonly recurrence: CauseRecurrence | null;
  readonly elsewhere: Elsewhere | null;
  /** Nodes whose logs differ from the majority; they may be the reason. */
  readonly oddNodes: readonly string[];
  /** The groups of nodes whose logs agree, largest first, if none has a majority; empty otherwise. */
  readonly disagreeing: readonly { readonly nodes: readonly string[] }[];
  /** Calls that failed or had errors, apart from the failing one. */
  readonly flawedCalls: readonly IndexedCall[];
  /** Calls of good executions that this one did not reach. */
  readonly missingCalls: readonly Callee[];
  /** Calls that are still running. */
  readonly runningCalls: readonly IndexedCall[];
  /** Errors of the execution itself. */
  readonly errors: readonly ReportedError[];
  /** Null if no fault of some nodes is known to explain what the others say. */
  readonly rootCause: RootCause | null;
  /** Null if the rate is not known to have risen. */
  readonly rise: FailureRise | null;
  /** Null if no deployment can be the reason. */
  readonly blame: BlameFinding | null;
  readonly now: number;
};

type Lines = readonly Words[];

export function factLines(facts: FailureFacts): Lines {
  if (facts.status !== 'FAILURE') return [...durationLine(facts), ...runningLines(facts), ...flawedLines(facts)];
  return [
    ...rootCauseLines(facts),
    ...failingLine(facts),
    ...missingCallsLine(facts),
    ...durationLine(facts),
    ...flawedLines(facts),
    ...oddNodesLine(facts),
    ...streakLines(facts),
    ...riseLine(facts),
    ...recoveryLine(facts),
    ...recurrenceLine(facts),
    ...elsewhereLine(facts),
    ...(facts.blame === null ? [] : [blameLine(facts.blame)]),
  ];
}

function failingLine({ failing }: FailureFacts): Lines {
  if (failing === null) return [];
  const { state, status } = failing.call;
  const reported =
    state === 'completed_with_errors' ? rich`, although the platform reports it as ${plain(status, 60)}` : [];
  return [failingCallText(failing, reported)];
}

/** The calls that were not reached may be the damage. */
function missingCallsLine({ missingCalls }: FailureFacts): Lines {
  if (missingCalls.length === 0) return [];
  const named = missingCalls.slice(0, callsNamedMax);
  const words = named.flatMap((call, index) => (index === 0 ? calleeText(call) : rich`, ${calleeText(call)}`));
  const left = missingCalls.length - named.length;
  const rest = left > 0 ? rich` and ${trusted(counted(left, 'more step'))}` : [];
  return [rich`${bold('Did not run')}: ${words}${rest}`];
}

const callsNamedMax = 3;

function runningLines({ runningCalls }: FailureFacts): Lines {
  const lines = runningCalls.slice(0, callsNamedMax).map((running) => rich`Now in ${callText(running)}`);
  const left = runningCalls.length - lines.length;
  return left > 0 ? [...lines, rich`and in ${trusted(counted(left, 'more step'))}`] : lines;
}

function flawedLines(facts: FailureFacts): Lines {
  const { flawedCalls, status, errors } = facts;
  if (isCompletedWithErrors(facts) && flawedCalls.length === 0 && errors.length === 0)
    return [rich`The platform reports errors in this run, but not in which step`];
  const although = status === 'SUCCESS' ? rich`Succeeded although ` : rich`Also, `;
  const lines = flawedCalls.slice(0, callsNamedMax).map((flawed) => {
    const nodes = Math.max(0, ...flawed.call.errors.map((error) => error.count));
    const where = nodes === 0 ? '' : ` on ${counted(nodes, 'node')}`;
    const what = flawed.call.state === 'failed' ? 'failed' : 'had errors';
    return rich`${although}${callText(flawed)}, ${trusted(what + where)}`;
  });
  const left = flawedCalls.length - lines.length;
  return left > 0 ? [...lines, rich`and ${trusted(counted(left, 'more step'))} with errors`] : lines;
}

function durationLine({ startedAt, finishedAt, now, status }: FailureFacts): Lines {
  if (finishedAt !== null && finishedAt >= startedAt)
    return [rich`Took ${trusted(preciseDuration(finishedAt - startedAt))}`];
  const isRunning = status !== 'SUCCESS' && status !== 'FAILURE';
  return isRunning && now >= startedAt ? [rich`Running for ${trusted(preciseDuration(now - startedAt))} so far`] : [];
}

const nodesNamedMax = 3;

const groupsMax = 9;

/** @returns such as `3 / 3 / 3` */
export function groupSizesText(groups: readonly { readonly nodes: readonly string[] }[]): string {
  const sizes = groups.slice(0, groupsMax).map(({ nodes }) => count(nodes.length));
  const left = groups.length - sizes.length;
  return `${sizes.join(' / ')}${left > 0 ? ` and ${counted(left, 'more group')}` : ''}`;
}

function oddNodesLine({ oddNodes, disagreeing }: FailureFacts): Lines {
  if (disagreeing.length > 0)
    return [
      rich`${bold('The nodes disagree')}: no majority, groups of ${trusted(groupSizesText(disagreeing))}; see the logs`,
    ];
  if (oddNodes.length === 0 || oddNodes.length > nodesNamedMax) return [];
  const verb = oddNodes.length === 1 ? 'differs' : 'differ';
  return [rich`${bold(oddNodes.join(', '), 200)} ${trusted(verb)} from the other nodes: see the logs`];
}

/** Failures without an error text have nothing else in common. */
function causeWords({ errors }: FailureFacts): string {
  return errors.length === 0 ? 'without an error text' : 'with this cause';
}

function streakLines(facts: FailureFacts): Lines {
  const { streak, lastGoodAt } = facts;
  const good = lastGoodAt === null ? [] : [rich`Last good run: ${date(lastGoodAt)}`];
  if (streak === null) return good;
  if (streak.count === 1 && lastGoodAt !== null) {
    return [rich`The first failure since the last good run (${date(lastGoodAt)})`];
  }
  if (streak.count === 1) return [rich`No earlier failure is known`];
  const number = `${count(streak.count)}${streak.isCut ? ' or more' : ''}`;
  const same = trusted(`${ofCompared(streak)} ${causeWords(facts)}`);
  const since = streak.since === null ? [] : rich`, since ${date(streak.since)}`;
  const row = rich`${trusted(number)} failures in a row${trusted(upToThisRun(streak))}, ${same}${since}`;
  return [row, ...good];
}

/** The runs after this one may have failed, too. */
export function upToThisRun({ hasLater }: FailureStreak): string {
  return hasLater ? ' up to this run' : '';
}

/** Such as `all`, `60`, or of a longer streak `98 of the newest 100`. */
function ofCompared({ count: all, sameCauseCount: same, comparedCount, isCut }: FailureStreak): string {
  if (isCut || comparedCount < all) return `${count(same)} of the newest ${count(comparedCount)}`;
  return same === all ? (all === 2 ? 'both' : 'all') : count(same);
}

/** Left out if the streak or the deployment says the same. */
function riseLine({ rise, streak, blame }: FailureFacts): Lines {
  if (rise === null || blame?.kind === 'blamed') return [];
  if (streak?.since === rise.since) return [];
  const { since, isExact, before, after, isOver } = rise;
  const numbers = trusted(`${failedOf(after)} (${percent(after.failed, after.total)})`);
  const from = rich`${trusted(isExact ? '' : 'about ')}${date(since)}`;
  const when = isOver
    ? rich`${bold('Failed more often')} from ${from} to about ${date(after.to)}`
    : rich`${bold('Fails more often')} since ${from}`;
  return [rich`${when}: ${numbers}; before, from ${date(before.from)}, ${trusted(failedOf(before))}`];
}

/** Such as `3 of 2,010 runs failed`. */
function failedOf({ failed, total }: Stretch): string {
  return `${count(failed)} of ${counted(total, 'run')} failed`;
}

/** Only the facts that the first line does not have. */
function recoveryLine({ recovery, hasNotRecovered, streak }: FailureFacts): Lines {
  if (recovery !== null)
    return recovery.isFirst ? [] : [rich`It has succeeded since, most recently ${date(recovery.at)}`];
  const isKnownAlready = !hasNotRecovered || (streak !== null && streak.count > 1);
  return isKnownAlready ? [] : [rich`No run has succeeded since`];
}

/** In the words of the lists of causes. */
function recurrenceLine(facts: FailureFacts): Lines {
  const { recurrence, startedAt, errors } = facts;
  if (recurrence === null) return [];
  const { others, isCut, first, last, age } = recurrence;
  const failures = others === 1 ? 'one other failure' : counted(others, 'other failure');
  const number = trusted(`${isCut ? 'at least ' : ''}${failures} ${causeWords(facts)}`);
  const span = () => (first === last ? date(first) : rich`from ${date(first)} to ${date(last)}`);
  const more = others === 0 ? [] : rich`${number}, ${span()}`;
  if (errors.length === 0) return others === 0 ? [] : [rich`${more}: they may have other causes`];
  const beginning = age.since === startedAt ? trusted('this run') : date(age.since);
  switch (age.recurrence) {
    case 'new':
      if (others === 0) return [rich`${bold('New cause')}: no failure with this cause is known before ${beginning}`];
      return [rich`${bold('New')} since ${date(age.since)}: ${number}, none is known before`];
    case 'ongoing':
    case 'recurring':
      return [
        others === 0 ? rich`${bold('Cause')}: first seen ${date(age.since)}` : rich`${bold('Recurring')}: ${more}`,
      ];
    default:
      return [rich`${bold('Cause')}: ${ageWords(age)}${others === 0 ? [] : rich`; ${more}`}`];
  }
}

const workflowsNamedMax = 6;

function usualWords(usual: Meeting | null): string {
  if (usual === null) return '; the usual number is not known';
  if (usual.isChance) return '; that may be chance';
  const number = Math.round(usual.expected);
  return `; usually ${number === 0 ? 'none' : count(number)} in that time`;
}

function elsewhereLine({ elsewhere }: FailureFacts): Lines {
  if (elsewhere === null) return [];
  const { workflows, withinMs, isCut, usual } = elsewhere;
  const within = trusted(`within ${duration(withinMs)} of this run`);
  if (workflows.length === 0) return isCut ? [] : [rich`Only this workflow failed this way ${within}`];
  const named = workflows.map((name) => plain(name, 60));
  const number = `${isCut ? 'at least ' : ''}${counted(workflows.length, 'other workflow')}`;
  return [
    rich`${bold('Not alone')}: ${trusted(number)} failed this way ${within}: ${several(named, workflowsNamedMax)}${trusted(usualWords(usual))}`,
  ];
}

const certainties = { certain: 'Failed in', likely: 'Probably failed in', possible: 'May have failed in' } as const;

const evidenceWords: Readonly<Record<FailingCall['evidence'], string>> = {
  own_error: 'it reported the last error of all steps, and the run’s error contains that error',
  shared_error: 'its error is part of the run’s error, but that alone is no proof',
  recovered_error: 'its error is part of the run’s error, but a later call of this step succeeded',
  named: 'the run’s error names it',
  last: 'it was the last to go wrong, and no step began after it',
  unfinished: 'no end reported',
};

/** @returns such as `Probably failed in step 3, http-actions Send: the run’s error names it` */
export function failingCallText({ certainty, evidence, ...numbered }: FailingCall, reported: Words = []): Words {
  return rich`${trusted(certainties[certainty])} ${callText(numbered)}${reported}: ${trusted(evidenceWords[evidence])}`;
}

/** With its number in the timeline. */
function callText({ index, call }: IndexedCall): Words {
  return rich`step ${index + 1}, ${calleeText(call)}`;
}

export function calleeText({ capability, method }: Callee): Words {
  return method === null ? rich`${code(capability)}` : rich`${code(capability)} ${code(method)}`;
}
