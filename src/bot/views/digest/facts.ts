/** The facts that a digest shows about one window. A fact that could not be read is null. */
import type { ChosenWorkflows } from '../../domain/subscription.ts';
import type { FailingWorkflow, Gone, JudgedCause } from '../../insight/digest/causes.ts';
import type { DayLike, Reconciliation } from '../../insight/digest/reconcile.ts';
import type { SuccessesWithErrors } from '../../insight/executions/result.ts';
import type { RootCause } from '../../insight/executions/root-cause.ts';
import type { FailingCall } from '../../insight/executions/timeline.ts';
import { isRejected } from '../../insight/health/deployment-states.ts';
import { byUrgency, type Health } from '../../insight/health/health.ts';
import { firstRunWithinMs, type NeverRan, type SilentWorkflow } from '../../insight/health/silence.ts';
import type { DayCounts } from '../../insight/statistics.ts';
import type { KnownWorkflows } from './subscription-text.ts';

/** Longest name of a workflow in a digest. */
export const nameUnitsMax = 48;

/** Parts that a digest too long for a posted message leaves out, in this order: what fails now stays longest. */
export const cuts = [
  'the chart and notes',
  'resolved causes',
  'deployments',
  'workflows that never ran',
  'details of incidents',
  'other workflows',
  'parts of errors',
  'deployments before failures',
] as const;
export type Cut = (typeof cuts)[number];

/** Due time, window and subject of a digest. */
export type DigestFrame = {
  /** Epoch milliseconds; the end is exclusive. */
  readonly window: { readonly from: number; readonly to: number };
  /** IANA; the window is shown in it. */
  readonly zone: string;
  readonly about: ChosenWorkflows;
  /** Names of the chosen workflows; none if left out. */
  readonly known?: KnownWorkflows;
  readonly dueAt: number;
  readonly isLate: boolean;
  /** Digests that were never posted and not reported yet. */
  readonly missed: readonly { readonly dueAt: number }[];
};

export type DigestDeployment = {
  readonly workflowName: string;
  /** Its state at the end of the window, as `withStates` returns it. */
  readonly status: string;
  readonly deployedAt: number;
};

export type ShownCause = JudgedCause & {
  /** The call in which its sample failed; null if not known. */
  readonly failing: FailingCall | null;
  /** Null if no fault of some nodes is known to explain what the others of its sample say. */
  readonly rootCause: RootCause | null;
};

export type DigestWorkflow = FailingWorkflow & {
  /** As of the time when the digest is made; null if it is not known. */
  readonly health: Health | null;
};

export type FailedWorkflows = {
  /** A part of `workflowCount`. */
  readonly existing: number;
  /** Names of which no workflow exists any more. */
  readonly deleted: number;
  /** True if several existing workflows share the name of one that failed: the service names the workflow of a failure, and no more. */
  readonly isAtLeast: boolean;
};

export type DigestFacts = DigestFrame & {
  /** The window's own, counted one by one. */
  readonly failureCount: number;
  /** Number of failures that are not kept apart by cause or workflow. */
  readonly onlyCounted: number;
  /** Rows of the service that could not be read: each may be a failure. */
  readonly unreadable: number;
  /** Runs that succeeded; null if the service did not answer. */
  readonly successCount: number | null;
  /** Failures that the service counts but did not return; 0 if it did not answer. */
  readonly failuresNotRead: number;
  /** Counts of the window before; null if not known. */
  readonly failuresBefore: number | null;
  readonly successesBefore: number | null;
  /** Days of the 28 days before the window: the usual variation; null if not known. */
  readonly history: readonly DayCounts[] | null;
  /** Failures per day, by the service's own count, oldest first and up to the window's end; null if not known. */
  readonly daily: { readonly zone: string; readonly buckets: readonly DayLike[] } | null;
  /** Number of workflows it is about; null if not known. */
  readonly workflowCount: number | null;
  /** Workflows that failed, by whether they still exist; null if the list of workflows is not known. */
  readonly failedWorkflows: FailedWorkflows | null;
  /** Number of chosen workflows that the service does not list. */
  readonly goneWorkflows: number;
  /** Most urgent first. */
  readonly causes: readonly JudgedCause[];
  /** The first of the causes; each has a reply in the thread. */
  readonly shown: readonly ShownCause[];
  readonly failing: readonly DigestWorkflow[];
  /** Successful runs by workflow name; some may be missing. */
  readonly successes: ReadonlyMap<string, number>;
  readonly gone: Gone | null;
  /** Successes that completed with errors, by workflow name; null if not known. They are no failures. */
  readonly withErrors: (SuccessesWithErrors & { readonly workflows: ReadonlyMap<string, number> }) | null;
  /** Active workflows that never ran, as of the window's end; the longest active first. */
  readonly neverRan: readonly NeverRan[];
  /** Most recent run first. */
  readonly silent: readonly SilentWorkflow[];
  /** In the window, newest first: those of the failing workflows, and the rejected ones of all. */
  readonly deployments: readonly DigestDeployment[];
  /** Number of workflows in which rejected deployments are not looked for: a limit of each digest, no gap of this one. */
  readonly deploymentsNotLookedAt: number;
  /** A decimal; of all its workflows. */
  readonly creditUsed: string | null;
  /** Failures that ended in the window and started up to this long before it are counted, milliseconds. */
  readonly lookedBackMs: number;
  readonly reconciliation: Reconciliation;
  /** Kinds of findings that were not looked for, in words for people: the digest cannot say that there are none. */
  readonly unchecked: readonly string[];
  /** Data that the service did not return, or that was too much to request, in words for people. */
  readonly missing: readonly string[];
};

/** Those that failed in every run since an instant, two or more, in the order of the list of workflows. */
export function failingNow({ failing }: Pick<DigestFacts, 'failing'>): readonly DigestWorkflow[] {
  const judged = failing.flatMap((workflow) => {
    const { health, count: failure } = workflow;
    return health?.isFailingNow ? [{ workflow, health, counts: { failure } }] : [];
  });
  return byUrgency(judged).map(({ workflow }) => workflow);
}

/** Workflows whose next run was overdue in this window for the first time; their last run may be before it. */
export function fellSilent({ silent, window }: Pick<DigestFacts, 'silent' | 'window'>): readonly SilentWorkflow[] {
  return silent.filter(({ expectedBy }) => expectedBy >= window.from);
}

/** Active workflows whose first run became overdue in this window. */
export function freshlyNeverRan({ neverRan, window }: Pick<DigestFacts, 'neverRan' | 'window'>): readonly NeverRan[] {
  return neverRan.filter(({ since }) => since + firstRunWithinMs >= window.from);
}

/** Deployments that did not take effect. */
export function rejectedDeployments({ deployments }: Pick<DigestFacts, 'deployments'>): readonly DigestDeployment[] {
  return deployments.filter(isRejected);
}

/** `doubtful`: no failure was read, but the data is incomplete. */
export type DigestVerdict = 'failed' | 'doubtful' | 'silent' | 'nothing_ran' | 'clear';

export function verdictOf(facts: DigestFacts): DigestVerdict {
  const { failureCount, failuresNotRead, unreadable, workflowCount, goneWorkflows, reconciliation, successCount } =
    facts;
  if (failureCount > 0) return 'failed';
  const isAboutNothing = facts.about.kind !== 'all' && (workflowCount === 0 || goneWorkflows > 0);
  if (failuresNotRead > 0 || unreadable > 0 || isAboutNothing) return 'doubtful';
  if (reconciliation.mismatches.length > 0) return 'doubtful';
  if (facts.silent.length > 0) return 'silent';
  if (facts.unchecked.length > 0) return 'doubtful';
  return successCount === 0 ? 'nothing_ran' : 'clear';
}
