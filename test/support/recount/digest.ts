/**
 * Counts the facts of a digest a second time, from the raw lists of the query service and the definitions in docs/truth.md alone: it shares no
 * code with the bot.
 */
import { type IncidentFact, recountIncidents } from './incidents.ts';
import { causeOf, endOf, type RawDeployment, type RawExecution, type RawLists, type Span, startOf } from './lists.ts';
import { type NeverRanFact, recountNeverRan, recountSilent, type SilentFact } from './silence.ts';
import { recountTrend, type TrendFact } from './trend.ts';

const isIn = ({ from, to }: Span, at: number) => at >= from && at < to;

const dayMs = 86_400_000;

type Counted = { readonly count: number; readonly first: number; readonly last: number };

function countOf(runs: readonly RawExecution[]): Counted {
  const starts = runs.map(startOf);
  return { count: runs.length, first: Math.min(...starts), last: Math.max(...starts) };
}

/** Facts in a form that both implementations can be brought to. */
export type Recount = {
  readonly failures: number;
  readonly failuresBefore: number;
  readonly successes: number;
  readonly successesBefore: number;
  readonly existingWorkflows: number;
  readonly failedExisting: number;
  readonly failedDeleted: number;
  /** Name, failures, first and last start, successes. */
  readonly workflows: readonly (readonly [string, number, number, number, number])[];
  /** Without their titles: recurrence, count, first and last start, the workflows with their counts, and if it is new in them. */
  readonly causes: readonly string[];
  readonly incidents: readonly IncidentFact[];
  readonly trend: TrendFact;
  readonly silent: readonly SilentFact[];
  /** Names of those whose run became overdue in the window. */
  readonly fellSilent: readonly string[];
  readonly neverRan: readonly NeverRanFact[];
  /** Names of those whose first run became overdue in the window. */
  readonly freshlyNeverRan: readonly string[];
  readonly causesResolved: number;
  readonly causesGone: number;
  readonly deployments: readonly string[];
  readonly creditMicros: number;
  readonly withErrors: number;
};

export function recount(lists: RawLists, window: Span): Recount {
  const { workflows, executions, deployments } = lists;
  const before = { from: 2 * window.from - window.to, to: window.from };
  const failedIn = (span: Span) => executions.filter((run) => run.status === 'FAILURE' && isIn(span, endOf(run)));
  const startedIn = (span: Span) => executions.filter((run) => isIn(span, startOf(run)));
  const succeededIn = (span: Span) => startedIn(span).filter(({ status }) => status === 'SUCCESS');
  const [failed, failedBefore] = [failedIn(window), failedIn(before)];
  const byWorkflow = Map.groupBy(failed, ({ workflowName }) => workflowName);
  const byCause = Map.groupBy(failed, causeOf);
  const byCauseBefore = Map.groupBy(failedBefore, causeOf);
  const isBeforeKnown = failedBefore.length > 0 || succeededIn(before).length > 0;
  const existing = workflows.filter(({ status }) => status !== 'DELETED');
  const existingNames = new Set(existing.map(({ name }) => name));
  const failedExisting = [...byWorkflow.keys()].filter((name) => existingNames.has(name)).length;
  const gone = [...byCauseBefore.keys()].filter((cause) => !byCause.has(cause));
  const isResolved = (cause: string) => {
    const runs = failedBefore.filter((run) => causeOf(run) === cause);
    const names = runs.map(({ workflowName }) => workflowName);
    const ofNames = (run: RawExecution) => names.includes(run.workflowName);
    const ranBefore = [...failedBefore, ...succeededIn(before)].filter(ofNames).length + 1;
    const { count, first, last } = countOf(runs);
    const share = (last - first) / (window.to - window.from);
    // Probability that so many independent failures lie within the share.
    const isOneFault = count * share ** (count - 1) - (count - 1) * share ** count <= 0.01;
    const rate = count / (isOneFault ? Math.max(count, ranBefore * share) + 1 : ranBefore);
    if ((1 - rate) ** succeededIn(window).filter(ofNames).length > 0.025) return false;
    return names.every((name) => {
      const own = executions.filter(({ workflowName }) => workflowName === name);
      const failedAt = Math.max(...[...failed, ...failedBefore].filter((run) => own.includes(run)).map(endOf));
      return own.some((run) => run.status === 'SUCCESS' && isIn(window, startOf(run)) && startOf(run) > failedAt);
    });
  };
  const given = { window, failures: failed, failuresBefore: isBeforeKnown ? failedBefore : null };
  const shareOf = ({ length }: readonly RawExecution[], span: Span) => ({
    failed: length,
    ended: length + succeededIn(span).length,
  });
  const [silent, neverRan] = [recountSilent(lists, window.to), recountNeverRan(lists, window.to)];
  const flawed = executions.filter(({ detailedStatus }) => detailedStatus === 'COMPLETED_WITH_ERRORS');
  return {
    failures: failed.length,
    failuresBefore: failedBefore.length,
    successes: succeededIn(window).length,
    successesBefore: succeededIn(before).length,
    existingWorkflows: existing.length,
    failedExisting,
    failedDeleted: byWorkflow.size - failedExisting,
    workflows: [...byWorkflow]
      .map(([name, runs]) => {
        const { count, first, last } = countOf(runs);
        const succeeded = succeededIn(window).filter(({ workflowName }) => workflowName === name);
        return [name, count, first, last, succeeded.length] as const;
      })
      .sort(),
    causes: [...byCause]
      .map(([cause, runs]) => {
        const runsBefore = (isBeforeKnown ? byCauseBefore.get(cause) : undefined) ?? [];
        const each = recurrences(lists, { cause, runs, runsBefore, window });
        const others = runsBefore.some((before) => !runs.some(({ workflowName }) => workflowName === nameOf(before)));
        return causeText(countOf(runs), recurrenceOf([...each.values()], others), workflowsOf(runs, each));
      })
      .sort(),
    incidents: [...recountIncidents({ ...lists, ...given }).values()].sort((one, other) => one.first - other.first),
    trend: recountTrend(shareOf(failed, window), shareOf(failedBefore, before), executions, window),
    silent,
    fellSilent: silent.filter(([, , expectedBy]) => expectedBy >= window.from).map(([name]) => name),
    neverRan,
    freshlyNeverRan: neverRan.filter(([, since]) => since + dayMs >= window.from).map(([name]) => name),
    causesResolved: gone.filter((cause) => isResolved(cause)).length,
    causesGone: gone.length,
    deployments: deploymentsUntil(window.to, deployments)
      .filter(({ deployedAt }) => isIn(window, Date.parse(deployedAt)))
      .filter(
        ({ workflowName, workflowUUID, status }) =>
          byWorkflow.has(workflowName) || (status === 'FAILED' && existing.some(({ uuid }) => uuid === workflowUUID)),
      )
      .map(({ workflowName, status, deployedAt }) => `${workflowName} ${status} ${Date.parse(deployedAt)}`)
      .sort(),
    creditMicros: startedIn(window).reduce((sum, { creditUsed }) => sum + Math.round(Number(creditUsed ?? 0) * 1e6), 0),
    withErrors: flawed.filter((run) => isIn(window, endOf(run))).length,
  };
}

/** With the states at that time: one that another has replaced, or a pause has stopped, is no longer active. */
function deploymentsUntil(to: number, deployments: readonly RawDeployment[]): readonly RawDeployment[] {
  const until = deployments.filter(({ deployedAt }) => Date.parse(deployedAt) < to);
  const hasLater = (one: RawDeployment, statuses: readonly string[]) =>
    until.some(
      ({ workflowUUID, status, deployedAt }) =>
        workflowUUID === one.workflowUUID &&
        statuses.includes(status) &&
        Date.parse(deployedAt) > Date.parse(one.deployedAt),
    );
  return until.map((one) => {
    if (one.status !== 'ACTIVE') return one;
    if (hasLater(one, ['ACTIVE'])) return { ...one, status: 'REPLACED' };
    return hasLater(one, ['PAUSED', 'DELETED']) ? { ...one, status: 'STOPPED' } : one;
  });
}

type Recurrence = 'new' | 'ongoing' | 'recurring' | 'unread' | 'unanswered' | 'not_kept' | 'no_text';

/** Of a cause in several workflows. @param others true if another workflow failed of it in the window before */
function recurrenceOf(each: readonly Recurrence[], others: boolean): Recurrence {
  if (each.length === 0) return 'no_text';
  const order = ['ongoing', 'recurring', 'unanswered', 'unread', 'not_kept'] as const;
  return order.find((one) => each.includes(one)) ?? (others ? 'recurring' : 'new');
}

type FailedOf = {
  readonly cause: string;
  readonly runs: readonly RawExecution[];
  readonly runsBefore: readonly RawExecution[];
  readonly window: Span;
};

/** By the name of the workflow; none without an error text. */
function recurrences(
  { workflows, executions }: RawLists,
  { cause, runs, runsBefore, window }: FailedOf,
): ReadonlyMap<string, Recurrence> {
  const names = cause === '' ? [] : [...new Set(runs.map(nameOf))];
  return new Map(
    names.map((name) => {
      const failedHere = executions.filter(
        (run) => run.workflowName === name && run.status === 'FAILURE' && isIn(window, endOf(run)),
      );
      const from = Math.min(window.from, ...failedHere.map(startOf));
      const starts = [...runs, ...runsBefore].filter((run) => run.workflowName === name).map(startOf);
      const each = workflows
        .filter((workflow) => workflow.name === name)
        .map(({ uuid, status }) => {
          const own = executions.filter(({ workflowUUID }) => workflowUUID === uuid);
          const failed = own.filter((run) => run.status === 'FAILURE' && startOf(run) < from);
          const read = failed.sort((a, b) => startOf(b) - startOf(a)).slice(0, 100);
          const since = Math.min(...starts, ...read.filter((run) => causeOf(run) === cause).map(startOf));
          const isActive = !['PAUSED', 'DELETED', 'FAILED'].includes(status);
          const isOngoing = isActive && failingSince(own) <= since;
          if (Math.max(...starts) - since >= dayMs) return isOngoing ? 'ongoing' : 'recurring';
          if (read.length === 100) return isOngoing ? 'ongoing' : 'unread';
          return since - Math.min(...own.map(startOf)) >= dayMs ? 'new' : 'not_kept';
        });
      return [name, each.length === 0 ? unlisted(starts) : recurrenceOf(each, false)];
    }),
  );
}

/** The earlier failures of a workflow that is not listed cannot be asked for. */
function unlisted(starts: readonly number[]): Recurrence {
  return Math.max(...starts) - Math.min(...starts) >= dayMs ? 'recurring' : 'unanswered';
}

/** Start of the first of two or more failures since the last success; infinite if it does not fail now. */
function failingSince(runs: readonly RawExecution[]): number {
  const ended = runs.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE');
  const lastGood = Math.max(...ended.filter(({ status }) => status === 'SUCCESS').map(startOf));
  const since = ended.map(startOf).filter((start) => start > lastGood);
  return since.length >= 2 ? Math.min(...since) : Number.POSITIVE_INFINITY;
}

function nameOf({ workflowName }: RawExecution): string {
  return workflowName;
}

type OfWorkflow = { readonly name: string; readonly count: number; readonly isNew: boolean };

function workflowsOf(runs: readonly RawExecution[], each: ReadonlyMap<string, Recurrence>): readonly OfWorkflow[] {
  return [...Map.groupBy(runs, nameOf)].map(([name, own]) => ({
    name,
    count: own.length,
    isNew: each.get(name) === 'new',
  }));
}

export function causeText(
  { count, first, last }: Counted,
  recurrence: Recurrence,
  workflows: readonly OfWorkflow[],
): string {
  const names = workflows.map(({ name, count: own, isNew }) => `${name} ${own}${isNew ? ' new' : ''}`).sort();
  return `${recurrence} ${count} ${first} ${last} ${names.join(', ')}`;
}
