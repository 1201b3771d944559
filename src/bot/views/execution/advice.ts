/** Advice after a failure: one sentence that follows from the facts. */
import type { RichTextElement } from '@slack/types';
import type { Meeting } from '../../insight/digest/incident.ts';
import { parseTimestamp } from '../../insight/executions/timeline.ts';
import type { Blamed, BlameFinding, DeploymentLike } from '../../insight/health/deployment-blame.ts';
import { date, rich, trusted } from '../blocks/rich-text.ts';

type AdviceFacts = {
  readonly status: string;
  readonly cause: { readonly classifiedStatus: string | null };
  readonly blame: BlameFinding<DeploymentLike> | null;
  readonly rise: { readonly isPrevailing: boolean } | null;
  readonly recovery: object | null;
  readonly streak: { readonly count: number } | null;
  readonly recurrence: { readonly others: number } | null;
  readonly elsewhere: { readonly workflows: readonly string[]; readonly usual: Meeting | null } | null;
  readonly oddNodes: readonly string[];
  readonly missingCalls: readonly unknown[];
  readonly errors: readonly unknown[];
};

/** @returns a sentence without outside text */
export function adviceFor(facts: AdviceFacts): readonly RichTextElement[] | null {
  if (facts.status !== 'FAILURE') return null;
  const { blame } = facts;
  return blame?.kind === 'blamed' ? blamedAdvice(blame, facts) : [trusted(unblamedAdvice(facts))];
}

function unblamedAdvice(facts: AdviceFacts): string {
  const { cause, blame, recovery, streak, errors, rise } = facts;
  if (cause.classifiedStatus === 'SYSTEM_ERROR') return platformAdvice(facts);
  if (errors.length === 0) return 'look at the logs below; if they say nothing either, ask the platform’s support.';
  const isPrevailing = rise?.isPrevailing === true;
  const again = recovery === null ? '' : 'it succeeded again, but ';
  if (isRecurring(facts) && !isPrevailing) return `handle this error in the workflow: ${again}it keeps coming back.`;
  if (isPrevailing || (recovery === null && streak !== null && streak.count > 1)) {
    return `fix what the error names. ${deploymentAdvice(blame)}`;
  }
  if (recovery !== null)
    return 'nothing urgent, it succeeded again; if it comes back, handle this error in the workflow.';
  if (streak === null) return 'see whether the next run succeeds; the runs before this one are not known.';
  return 'see whether the next run succeeds; it may have been a one-off failure.';
}

/** Names the two versions as a list of deployments does: by the time of each. */
function blamedAdvice(
  { isReplaced, deployment, previous }: Blamed<DeploymentLike>,
  { recovery, rise }: AdviceFacts,
): readonly RichTextElement[] {
  const bad = rich`the version deployed ${deployedAt(deployment)}`;
  const good =
    previous === null ? rich`the version before it` : rich`the version before it, deployed ${deployedAt(previous)}`;
  if (recovery !== null && rise?.isPrevailing !== true)
    return rich`nothing urgent, it succeeded again. Compare ${bad} with ${good}, so that it does not come back.`;
  const target =
    previous === null
      ? rich`the version before the one deployed ${deployedAt(deployment)}`
      : rich`the version deployed ${deployedAt(previous)}`;
  if (isReplaced) return rich`roll back to ${target}. Later deployments have not ended the failures.`;
  return rich`roll back to ${target}. Then compare it with ${bad}.`;
}

function deployedAt({ deployedAt: at }: DeploymentLike): RichTextElement {
  return date(parseTimestamp(at) ?? 0);
}

const outside =
  'look for what changed outside the workflow since the last good run: a permission, a limit, a balance, a key, or the input of the call.';

/** Each reason why no deployment is blamed has its own advice. */
function deploymentAdvice(blame: BlameFinding<DeploymentLike> | null): string {
  switch (blame?.kind) {
    case undefined:
    case 'blamed':
      return `Then ${outside}`;
    case 'none_came':
      return `There was no deployment in the time named below, so ${outside}`;
    case 'thin':
      return blame.reason === 'earlier'
        ? `The failures began before the last deployment, so ${outside}`
        : `There was a deployment (see the numbers below): compare it with the one before it, and ${outside}`;
    case 'unread':
      return `The deployments could not be read: check whether there was one, and ${outside}`;
    case 'never_good':
      return 'It has never succeeded since its first deployment, so look for what has been missing from the beginning: a secret, a permission, a setting.';
  }
}

function platformAdvice(facts: AdviceFacts): string {
  const { recovery, elsewhere } = facts;
  if (isRecurring(facts)) {
    const what = facts.oddNodes.length === 0 ? 'the run’s id' : 'the run’s id and the node that differs';
    return `nothing in the workflow; tell the platform’s support that it keeps coming back, with ${what}.`;
  }
  const several = elsewhere?.usual?.isChance === false;
  if (recovery === null) {
    return several
      ? 'nothing in the workflow: the platform fails several workflows. Tell its support, with the run’s id.'
      : 'nothing in the workflow; tell the platform’s support, with the run’s id.';
  }
  const todo =
    facts.missingCalls.length === 0 ? '' : 'check that a later run has done what this one left undone. Otherwise ';
  const what = several ? 'the platform failed several workflows' : 'the platform failed';
  return `${todo}nothing to fix: ${what}, and this one has succeeded since. If it comes back, tell the platform’s support.`;
}

function isRecurring({ recurrence }: AdviceFacts): boolean {
  return recurrence !== null && recurrence.others > 0;
}
