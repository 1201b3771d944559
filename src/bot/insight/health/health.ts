/** Judges the health of a workflow from its counts and newest executions, its silence, and its trend against the window before; sorts workflows by it. */
import { percent } from '../../domain/percent.ts';
import type { Cause, ReportedError } from '../causes/cause.ts';
import type { CauseAge } from '../causes/recurrence.ts';
import { hasEnded, isCompletedWithErrors } from '../executions/result.ts';
import { chanceMax, chanceOfAtLeast, type DayCounts, isClearlyHigher, type Share } from '../statistics.ts';
import type { Blamed } from './deployment-blame.ts';
import type { NeverRan, Silence } from './silence.ts';

export type Counts = { readonly total: number; readonly success: number; readonly failure: number };

type ExecutionLike = { readonly status: string; readonly startedAt: string };
type ResultLike = ExecutionLike & { readonly detailedStatus: string | null };

export type HealthFacts = {
  /** The deployment's status as the service spells it. */
  readonly deploymentStatus: string;
  /** Epoch milliseconds of the latest execution; null when there was none. */
  readonly executedAt: number | null;
  /** Counts of the window; null if the service did not answer. */
  readonly counts: Counts | null;
  /** Newest first; null if the service did not answer. */
  readonly newestExecutions: readonly ResultLike[] | null;
  /** True if the window is over; then only its counts matter. */
  readonly isPast: boolean;
  /** Null if it is not silent. */
  readonly silence: Silence | null;
  /** False if a check for silence was due and could not be made. */
  readonly isSilenceKnown: boolean;
  /** Null if it has run, or may still be waiting for its first run. */
  readonly neverRan: NeverRan | null;
  /** Null if it does not fail now, or since when is not known. */
  readonly streak: Streak | null;
  /** The runs since the last failure; null if it fails now, or if they are not known. */
  readonly recovery: Recovery | null;
  /** Null if it fails now, did not fail in a window that goes on, or if it is not known. */
  readonly intermittent: Intermittent | null;
};

/** Why a workflow fails now and then. */
type Intermittent = {
  /** Of the window in which it failed. */
  readonly counts: Counts;
  /** The cause of most of its failures, in the newest of them; null if none has most. `isRepeated`: three or more failures that are not one run after the other, or a recurring cause. */
  readonly main: { readonly failure: FailureCause; readonly age: CauseAge; readonly isRepeated: boolean } | null;
};

export type Recovery = {
  /** Start of the last failed run, epoch milliseconds. */
  readonly lastFailedAt: number;
  /** Successful runs since. */
  readonly good: number;
  /** Share of the window from its first failure to its last, from 0 to 1; 1 if it is not known. */
  readonly failedShare: number;
  /** Failures in a window of this length over the weeks before it; null if it is not known. */
  readonly usualFailures: number | null;
};

/** The failed runs since the last success, two or more. */
export type Streak = {
  readonly failed: number;
  /** Start of the first of them, epoch milliseconds. */
  readonly since: number;
  /** False if the service keeps no success before them: there may have been more. */
  readonly isWhole: boolean;
  /** True if it usually fails so often that as many in a row may be chance, and it succeeded in the last 24 hours. */
  readonly isUsual: boolean;
  /** The last deployment, if it came after the last success and before the first failure; epoch milliseconds. */
  readonly deployedAt: number | null;
  /** The deployment with which they began, by the same evidence as in an investigation; null if none is blamed. */
  readonly blamed: Blamed | null;
  /** The newest of them; null if it could not be read. */
  readonly failure: FailureCause | null;
};

type FailureCause = { readonly cause: Cause; readonly errors: readonly ReportedError[] };

export type HealthState =
  /** Its newest finished executions failed, more in a row than is usual, and the window goes on; or every one in the window. */
  | 'failing'
  /** Some executions in the window failed, and newer ones succeeded. */
  | 'unstable'
  | 'healthy'
  /** No execution in the window, but some before. */
  | 'idle'
  | 'never_run'
  /** Its deployment is not active; `deploymentStatus` says how. */
  | 'inactive'
  | 'unknown';

/** The one word for the health of a workflow, the same in every answer that shows it; the most urgent first. */
export const verdicts = [
  'failing',
  'silent',
  'never_ran',
  /** Some executions in the window failed. */
  'unstable',
  /** All of the newest executions completed with errors: fewer may be chance. */
  'with_errors',
  /** Something that decides its health could not be read. */
  'unknown',
  /** Some executions in the window failed, and so many succeeded since that the failures are over. */
  'recovered',
  'healthy',
  /** No execution in the window, and none is known to be overdue. */
  'quiet',
  'inactive',
] as const;

export type Verdict = (typeof verdicts)[number];

export type Health = {
  readonly verdict: Verdict;
  /** Health by its counts alone, without silence and errors in successes. */
  readonly state: HealthState;
  /** Set if its next run is overdue. */
  readonly silence: Silence | null;
  readonly neverRan: NeverRan | null;
  /** The status of its deployment, if that is why it does not run. */
  readonly inactiveAs: string | null;
  /** True if its newest finished executions failed, two or more in a row and more than is usual, whatever the window. */
  readonly isFailingNow: boolean;
  readonly streak: Streak | null;
  /** Set if it has recovered. */
  readonly recovery: Recovery | null;
  /** Set if it is unstable, and this is known. */
  readonly intermittent: Intermittent | null;
  /** Among the newest finished executions: failures since the last success, and those that completed with errors. */
  readonly newest: { readonly lookedAt: number; readonly failedInARow: number; readonly withErrors: number };
};

export type NamedHealth = { readonly name: string; readonly health: Health };

/** Deployment statuses of workflows that should not run. PENDING is not one of them: it has two meanings in the field. */
const inactiveStatuses = ['PAUSED', 'DELETED', 'FAILED'];

export function isInactive({ status }: { readonly status: string }): boolean {
  return inactiveStatuses.includes(status);
}

/** One failure may be an accident. */
export const failingMin = 2;
/** Number of newest finished executions that decide. */
const newestMax = 5;

/** @param facts over the same window in every answer, so that all answers agree */
export function judgeHealth(facts: HealthFacts): Health {
  const executions = (facts.newestExecutions ?? []).filter(hasEnded).slice(0, newestMax);
  const newest = {
    lookedAt: executions.length,
    failedInARow: failuresInARow(executions),
    withErrors: executions.filter(isCompletedWithErrors).length,
  };
  const { deploymentStatus: status, silence, neverRan } = facts;
  if (isInactive({ status })) return { ...inactive, newest, inactiveAs: status };
  const isFailingNow = newest.failedInARow >= failingMin && facts.streak?.isUsual !== true;
  const state = judgeState(facts, isFailingNow);
  const streak = isFailingNow ? facts.streak : null;
  const recovery = state === 'unstable' && !facts.isPast && isRecovered(facts) ? facts.recovery : null;
  const verdict = verdictOf(facts, recovery === null ? state : 'healthy', isFailingNow, newest);
  return {
    verdict: recovery !== null && verdict === 'healthy' ? 'recovered' : verdict,
    intermittent: verdict === 'unstable' ? facts.intermittent : null,
    ...{ state, silence, neverRan, isFailingNow, streak, recovery, newest },
    inactiveAs: null,
  };
}

const none = { silence: null, neverRan: null, streak: null, recovery: null, intermittent: null };
const inactive = { ...none, verdict: 'inactive', state: 'inactive', isFailingNow: false } as const;

/** Failures that lie closer together than this chance explains are one fault. */
const togetherChanceMax = 0.01;
/** So are those of a workflow that usually fails less often in such a window: it does not fail now and then. */
const usualFailuresMax = 0.25;

function isRecovered({ counts, recovery }: HealthFacts): boolean {
  if (counts === null || recovery === null) return false;
  return areOver({ ...recovery, failed: counts.failure, runs: finished(counts) });
}

export type Failures = Omit<Recovery, 'lastFailedAt'> & { readonly failed: number; readonly runs: number };

/** If they still came as often as in these runs, or as often as while their one fault lasted, so many successes in a row would be this unlikely. */
export function areOver(failures: Failures): boolean {
  const { failed, runs, failedShare, good, usualFailures } = failures;
  const isOneFault = areTogether(failures) || (usualFailures !== null && usualFailures < usualFailuresMax);
  const runsOfFault = isOneFault ? Math.max(failed, runs * failedShare) + 1 : runs;
  return (1 - failed / runsOfFault) ** good <= chanceMax;
}

/** By the number in these runs alone, or by how many failures are usual in so many runs. */
function areTogether({ failed, runs, failedShare: share, usualFailures: usual }: Failures): boolean {
  if (failed * share ** (failed - 1) - (failed - 1) * share ** failed <= togetherChanceMax) return true;
  const others = Math.max(failed, Math.round(runs * share)) - 1;
  return usual !== null && usual * chanceOfAtLeast(failed - 1, others, usual / runs) <= togetherChanceMax;
}

/** Fewer runs show no usual rate. */
const usualRunsMin = 20;

/** @param before of the weeks before @returns true if chance explains as many failures in a row at the rate of these runs */
export function isUsual(failedInARow: number, { failed, total }: Share): boolean {
  return total >= usualRunsMin && (failed / total) ** failedInARow > chanceMax;
}

function judgeState({ counts, executedAt, isPast }: HealthFacts, isFailingNow: boolean): HealthState {
  if (counts === null) return 'unknown';
  if (counts.total === 0) return executedAt === null ? 'never_run' : 'idle';
  if (counts.failure === 0) return 'healthy';
  if (counts.success === 0) return 'failing';
  return isFailingNow && !isPast ? 'failing' : 'unstable';
}

function verdictOf(
  { isPast, silence, isSilenceKnown, neverRan, newestExecutions }: HealthFacts,
  state: HealthState,
  isFailingNow: boolean,
  { withErrors }: Health['newest'],
): Verdict {
  if (isFailingNow || (state === 'failing' && !isPast)) return 'failing';
  if (silence !== null) return 'silent';
  if (neverRan !== null) return 'never_ran';
  if (state === 'failing' || state === 'unstable') return 'unstable';
  if (isPast) return state === 'healthy' || state === 'unknown' ? state : 'quiet';
  if (withErrors >= newestMax) return 'with_errors';
  if (state === 'unknown' || !isSilenceKnown || newestExecutions === null) return 'unknown';
  return state === 'healthy' ? 'healthy' : 'quiet';
}

/** Number of newest finished executions that failed since the last success; unfinished ones are skipped. */
export function failuresInARow(newestExecutions: readonly ExecutionLike[]): number {
  const finished = newestExecutions.filter(hasEnded);
  const firstSuccess = finished.findIndex(({ status }) => status === 'SUCCESS');
  return firstSuccess < 0 ? finished.length : firstSuccess;
}

export type Trend = {
  /** `unclear` if a window has no finished execution, or the difference may be chance or the usual variation. */
  readonly direction: 'better' | 'worse' | 'same' | 'unclear';
  /** Without a full stop: `31 failures in 40 runs in the last 24h, up from 0 in 212`. Contains no outside text. */
  readonly words: string;
  /** Follows the words: `: no clear difference`, or nothing. */
  readonly note: string;
};

/**
 * @param now of this window
 * @param before of the window of the same length before it; null if not known
 * @param when the window in words, such as `in the last 24h`; they follow its counts
 * @param days of the 28 days before the window: the usual variation; null if they are not known
 */
export function trendOf(now: Counts, before: Counts | null, when: string, days: readonly DayCounts[] | null): Trend {
  const isOpen = now.total > 0 && finished(now) === 0;
  const here = isOpen ? `${runs(now)} ${when}, none finished yet` : `${hereWords(now)} ${when}`;
  const say = (direction: Trend['direction'], rest = '', note = ''): Trend => ({ direction, words: here + rest, note });
  if (before === null) return say('unclear');
  if (before.total === 0)
    return say('unclear', now.total === 0 ? ', nor in the previous window' : '; no runs in the previous window');
  if (now.total === 0) return say('unclear', `; ${runs(before)} before`);
  if (finished(before) === 0) return say('unclear', `; before, ${runs(before)}, none finished`);
  const there = now.failure === now.total ? hereWords(before) : `${number(before.failure)} in ${number(before.total)}`;
  if (finished(now) === 0) return say('unclear', `; before, ${hereWords(before)}`);
  if (now.failure === 0 && before.failure === 0) return say('same', `, nor in ${runs(before)} before`);
  if (now.failure * finished(before) === before.failure * finished(now)) {
    return say('same', `; the same share before, ${there}`);
  }
  const direction = directionOf(now, before, days);
  if (direction === 'unclear') return say('unclear', `; before, ${there}`, ': no clear difference');
  const [shareNow, shareBefore] =
    now.failure === 0 || before.failure === 0
      ? ['', '']
      : [now, before].map((counts) => ` (${percent(counts.failure, finished(counts))})`);
  return say(direction, `${shareNow}, ${direction === 'worse' ? 'up' : 'down'} from ${there}${shareBefore}`);
}

function finished({ success, failure }: Counts): number {
  return success + failure;
}

/** Created once: toLocaleString creates one for each call. */
const { format: number } = new Intl.NumberFormat('en-US');

function runs({ total }: Counts): string {
  return total === 1 ? '1 run' : `${number(total)} runs`;
}

function hereWords(counts: Counts): string {
  const { total, failure } = counts;
  if (total === 0) return 'no runs';
  if (failure === 0) return `no failures in ${runs(counts)}`;
  if (failure === total)
    return total === 1 ? 'the only run failed' : total === 2 ? 'both runs failed' : `all ${runs(counts)} failed`;
  return `${number(failure)} ${failure === 1 ? 'failure' : 'failures'} in ${runs(counts)}`;
}

function directionOf(now: Counts, before: Counts, days: readonly DayCounts[] | null): 'better' | 'worse' | 'unclear' {
  const [here, there] = [now, before].map((counts) => ({ failed: counts.failure, total: finished(counts) }));
  if (!here || !there) return 'unclear';
  if (isClearlyHigher(here, there, days)) return 'worse';
  return isClearlyHigher(there, here, days) ? 'better' : 'unclear';
}

type Urgent = {
  readonly workflow: { readonly name: string };
  readonly health: Health;
  readonly counts: { readonly failure: number } | null;
};

export type JudgedWorkflow<Workflow> = {
  readonly workflow: Workflow;
  readonly health: Health;
  /** Counts of the last 24 hours; null if not known. */
  readonly counts: Counts | null;
};

/** The most urgent verdict first; within one the most failures in a row now, the longest silence, the most failures, then by name. */
export function byUrgency<Judged extends Urgent>(judged: readonly Judged[]): readonly Judged[] {
  return judged.toSorted(
    (one, other) =>
      rankOf(one.health.verdict) - rankOf(other.health.verdict) ||
      failedNow(other) - failedNow(one) ||
      (other.health.silence?.forMs ?? 0) - (one.health.silence?.forMs ?? 0) ||
      (other.counts?.failure ?? 0) - (one.counts?.failure ?? 0) ||
      one.workflow.name.localeCompare(other.workflow.name),
  );
}

/** A workflow that fails now and then has a short streak. */
function failedNow({ health: { isFailingNow, streak, newest } }: { readonly health: Health }): number {
  return isFailingNow ? (streak?.failed ?? newest.failedInARow) : 0;
}

function rankOf(verdict: Verdict): number {
  return verdicts.indexOf(verdict);
}

/** @returns the verdicts that occur, the most urgent first, with their workflows in the given order */
export function byVerdict<Workflow>(
  judged: readonly JudgedWorkflow<Workflow>[],
): ReadonlyMap<Verdict, readonly JudgedWorkflow<Workflow>[]> {
  const found = [...Map.groupBy(judged, ({ health }) => health.verdict)];
  return new Map(found.toSorted(([one], [other]) => rankOf(one) - rankOf(other)));
}
