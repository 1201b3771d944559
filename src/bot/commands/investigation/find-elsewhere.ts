/** Finds other workflows that failed alike: then the cause lies outside of the execution. */
import { combinedProvenance } from '../../domain/provenance.ts';
import { causesOf } from '../../health/causes.ts';
import type { WithCause } from '../../insight/causes/cause.ts';
import { judgeMeeting, type Meeting } from '../../insight/digest/incident.ts';
import type { QueryClient } from '../../query/query-client.ts';
import { type Answered, type Execution, notNeeded, nullOnFailure } from '../../query/results.ts';
import type { Elsewhere } from '../../views/execution/facts.ts';

/** Searched before and after the failure. */
const withinMs = 15 * 60_000;
/** A few pages are enough: one more name does not change the verdict. */
const failuresMax = 300;

type Failed = Pick<WithCause<Execution>, 'errors' | 'cause' | 'startedAt' | 'workflowName'>;

/**
 * Finds other workflows that failed with the same cause at about the same time: then the platform failed, not one workflow.
 * @param now epoch milliseconds
 */
export async function findElsewhere(
  execution: Failed,
  ask: QueryClient,
  now: number,
): Promise<Answered<Elsewhere | null>> {
  // Failures without an error text cannot be compared.
  if (execution.errors === null || execution.errors.length === 0) return notNeeded();
  const startedAt = Date.parse(execution.startedAt);
  const window = {
    from: startedAt - withinMs,
    to: Math.max(startedAt + 1, Math.min(now, startedAt + withinMs)),
    label: 'about the same time',
    isMoving: false,
  };
  const { data, provenance } = await nullOnFailure(
    ask.failures({ window, max: failuresMax }),
    'failures of other workflows at that time',
  );
  if (data === null) return { data, provenance };
  const { fingerprint } = execution.cause;
  const own = execution.workflowName;
  const others = alikeElsewhere(await causesOf(data.executions), { fingerprint, own });
  const workflows = [...new Set(others.map(({ workflowName }) => workflowName))].sort();
  const usual =
    workflows.length === 0 ? notNeeded() : await queryUsual({ fingerprint, own, workflows }, window.from, ask);
  return {
    data: { workflows, withinMs, isCut: data.isCut, usual: usual.data },
    provenance: combinedProvenance(provenance, usual.provenance),
  };
}

/** The usual rate of failures is measured over this time before. */
const usualMs = 3 * 86_400_000;

type Sought = { readonly fingerprint: string; readonly own: string };

/** @returns the failures of other workflows with the same cause */
function alikeElsewhere(failures: readonly WithCause<Execution>[], { fingerprint, own }: Sought) {
  return failures.filter(({ workflowName, cause }) => workflowName !== own && cause.fingerprint === fingerprint);
}

/** Compares the failures of the other workflows with how often this cause usually makes them fail. */
async function queryUsual(
  { fingerprint, own, workflows }: Sought & { readonly workflows: readonly string[] },
  to: number,
  ask: QueryClient,
): Promise<Answered<Meeting | null>> {
  const window = { from: to - usualMs, to, label: 'the days before', isMoving: false };
  const { data, provenance } = await nullOnFailure(
    ask.failures({ window, max: failuresMax }),
    'how often other workflows usually fail this way',
  );
  if (data === null) return { data, provenance };
  const alike = alikeElsewhere(await causesOf(data.executions), { fingerprint, own });
  const times = Map.groupBy(alike, ({ workflowName }) => workflowName);
  const failedAt = [...new Set([...workflows, ...times.keys()])].map((name) =>
    (times.get(name) ?? []).map(({ startedAt }) => Date.parse(startedAt)),
  );
  // A list that is cut covers only the time from its oldest failure on.
  const oldest = data.executions.reduce((least, { startedAt }) => Math.min(least, Date.parse(startedAt)), to);
  const spans = (to - (data.isCut ? oldest : window.from)) / (2 * withinMs);
  return { data: judgeMeeting(failedAt, workflows.length, spans), provenance };
}
