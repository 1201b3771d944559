/** The facts that a digest shows about one window. Parts that could not be read are null. */
import type { ChosenWorkflows } from '../../domain/subscription.ts';
import type { FailingWorkflow, Gone, JudgedCause } from '../../insight/digest/causes.ts';
import type { Reconciliation } from '../../insight/digest/reconcile.ts';
import type { SilentWorkflow } from '../../insight/digest/silent.ts';
import type { FailingCall } from '../../insight/executions/timeline.ts';
import type { KnownWorkflows } from './subscription-text.ts';

/** When it was due, for which window, and for whom. */
export type DigestFrame = {
  /** Epoch milliseconds; the end is not within. */
  readonly window: { readonly from: number; readonly to: number };
  /** IANA: the channel reads the window in it. */
  readonly zone: string;
  readonly about: ChosenWorkflows;
  /** Of the chosen ones; none where left out. */
  readonly known?: KnownWorkflows;
  readonly dueAt: number;
  readonly isLate: boolean;
  /** Digests that were never posted and not reported yet. */
  readonly missed: readonly { readonly dueAt: number }[];
};

export type DigestDeployment = {
  readonly workflowName: string;
  readonly status: string;
  readonly deployedAt: number;
  /** How soon after it the workflow's failures began; null where that was not soon, before it or before the window. */
  readonly failedAfterMs: number | null;
};

export type ShownCause = JudgedCause & {
  /** Where its sample failed; null where that is not known. */
  readonly failing: FailingCall | null;
};

export type DigestFacts = DigestFrame & {
  /** Of the window, counted one by one. */
  readonly failureCount: number;
  /** How many of them could not be kept apart by cause or workflow. */
  readonly lumped: number;
  /** Rows of the service that could not be read: each may be a failure. */
  readonly unreadable: number;
  /** Runs that succeeded; null where the service could not say. */
  readonly successCount: number | null;
  /** Failures of the window that the service counts beyond those it gave; none where it could not say. */
  readonly failuresNotRead: number;
  /** The window before; nulls where it is not known. */
  readonly failuresBefore: number | null;
  readonly successesBefore: number | null;
  /** How many workflows it is about; null where that is not known. */
  readonly workflowCount: number | null;
  /** How many of the chosen ones the service does not list. */
  readonly goneWorkflows: number;
  /** Those to be told first come first. */
  readonly causes: readonly JudgedCause[];
  /** The first of the causes: each has a reply. */
  readonly shown: readonly ShownCause[];
  readonly failing: readonly FailingWorkflow[];
  /** Runs that succeeded, by the name of the workflow; of some it is not known. */
  readonly successes: ReadonlyMap<string, number>;
  readonly gone: Gone | null;
  /** The one that ran last first. */
  readonly silent: readonly SilentWorkflow[];
  /** Of the failing workflows, in the window, newest first. */
  readonly deployments: readonly DigestDeployment[];
  /** A decimal: of all workflows that it is about. */
  readonly creditUsed: string | null;
  readonly reconciliation: Reconciliation;
  /** What the service could not give, or was not asked for because it is too much, in words a person reads. */
  readonly missing: readonly string[];
};

/** Those whose silence could be told from this window on: what ran last may lie before it, and no digest has told of that. */
export function fellSilent({ silent, window }: Pick<DigestFacts, 'silent' | 'window'>): readonly SilentWorkflow[] {
  return silent.filter(({ silentAt }) => silentAt >= window.from);
}

/** `doubtful`: nothing failed as far as could be read, and something says that this is not all. */
export type DigestVerdict = 'failed' | 'doubtful' | 'silent' | 'nothing_ran' | 'clear';

export function verdictOf(facts: DigestFacts): DigestVerdict {
  const { failureCount, failuresNotRead, unreadable, workflowCount, goneWorkflows, reconciliation, successCount } =
    facts;
  if (failureCount > 0) return 'failed';
  const isAboutNothing = facts.about.kind !== 'all' && (workflowCount === 0 || goneWorkflows > 0);
  if (failuresNotRead > 0 || unreadable > 0 || isAboutNothing) return 'doubtful';
  if (reconciliation.mismatches.length > 0) return 'doubtful';
  if (facts.silent.length > 0) return 'silent';
  return successCount === 0 ? 'nothing_ran' : 'clear';
}
