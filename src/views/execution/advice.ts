/** What to try after a failure, as far as the facts go: one sentence, or none. */

type Facts = {
  readonly status: string;
  readonly cause: { readonly classifiedStatus: string | null };
  readonly blame: object | null;
  readonly recovery: object | null;
  readonly streak: { readonly count: number } | null;
  readonly recurrence: { readonly others: number } | null;
  readonly elsewhere: { readonly workflows: readonly string[] } | null;
  readonly oddNodes: readonly string[];
  readonly unreached: readonly unknown[];
  readonly errors: readonly unknown[];
};

/** @returns a sentence of ours, without anything from outside in it */
export function adviceFor(facts: Facts): string | null {
  const { status, cause, blame, recovery, streak, errors } = facts;
  if (status !== 'FAILURE') return null;
  if (blame !== null) return 'compare that deployment with the one before it, or deploy the one before again.';
  if (cause.classifiedStatus === 'SYSTEM_ERROR') return platformAdvice(facts);
  if (errors.length === 0) return 'look at the logs below; if they say nothing either, ask whoever runs the platform.';
  if (recovery !== null) {
    return isRecurring(facts)
      ? 'handle this error in the workflow: it succeeded again, but it keeps coming back.'
      : 'nothing urgent, it succeeded again; if it comes back, handle this error in the workflow.';
  }
  if (streak !== null && streak.count > 1) {
    return 'check what the failing call was given, its credentials and what it depends on; no deployment came just before.';
  }
  return 'see whether the next run succeeds; it may have been a single slip.';
}

function platformAdvice(facts: Facts): string {
  const { recovery, elsewhere } = facts;
  if (isRecurring(facts)) {
    const what = facts.oddNodes.length === 0 ? 'the execution’s id' : 'the execution’s id and the node that differs';
    return `nothing in the workflow; tell whoever runs the platform that it keeps coming back, with ${what}.`;
  }
  const several = elsewhere !== null && elsewhere.workflows.length > 0;
  if (recovery === null) {
    return several
      ? 'nothing in the workflow: the platform fails several. Tell whoever runs it, with the execution’s id.'
      : 'nothing in the workflow; tell whoever runs the platform, with the execution’s id.';
  }
  const todo = facts.unreached.length === 0 ? '' : ' Check that a later run did what this one did not.';
  return `nothing to mend: the platform failed ${several ? 'several workflows ' : ''}and has recovered.${todo} If it comes back, tell whoever runs it.`;
}

function isRecurring({ recurrence }: Facts): boolean {
  return recurrence !== null && recurrence.others > 0;
}
