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
  if (blame !== null) return 'roll that deployment back: deploy the one before it again. Compare the two afterwards.';
  if (cause.classifiedStatus === 'SYSTEM_ERROR') return platformAdvice(facts);
  if (errors.length === 0) return 'look at the logs below; if they say nothing either, ask whoever runs the platform.';
  const again = recovery === null ? '' : 'it succeeded again, but ';
  if (isRecurring(facts)) return `handle this error in the workflow: ${again}it keeps coming back.`;
  if (recovery !== null)
    return 'nothing urgent, it succeeded again; if it comes back, handle this error in the workflow.';
  if (streak !== null && streak.count > 1) {
    return 'put right what the error names. No deployment came just before, so look for what changed outside since the last good run: a right, a limit, a balance, a key, or what the call was given.';
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
  const todo = facts.unreached.length === 0 ? '' : 'check that a later run did what this one left undone. Otherwise ';
  const what = several ? 'the platform failed several workflows' : 'the platform failed';
  return `${todo}nothing to mend: ${what}, and this one has succeeded since. If it comes back, tell whoever runs the platform.`;
}

function isRecurring({ recurrence }: Facts): boolean {
  return recurrence !== null && recurrence.others > 0;
}
