/** The workflows that failed in a window: how each is doing now, and which of its causes are new. */
import { combinedProvenance } from '../domain/provenance.ts';
import { type Recurrence, type RecurrenceIn, recurrenceOf } from '../insight/causes/recurrence.ts';
import type { NamedHealth } from '../insight/health/health.ts';
import { notNeeded, nullOnFailure } from '../query/null-on-failure.ts';
import type { EarlierRuns } from '../query/operations/workflow-batches.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Answered, Workflow } from '../query/results.ts';
import { causesOf } from './causes.ts';
import { queryHealth } from './workflow-health.ts';

/** Of more workflows it is not known. */
const lookedMax = 20;

/** A failure has no more than the name of its workflow, which several may share. */
export type FailedNames = ReadonlyMap<
  string,
  {
    /** Start of the last failure; epoch milliseconds. */
    readonly last: number;
    /** Start of the window, or of the first failure if that was earlier; epoch milliseconds. */
    readonly from: number;
  }
>;

export type FailedWorkflows = {
  /** Those that failed last come first. */
  readonly healths: readonly NamedHealth[];
  readonly recurrenceIn: RecurrenceIn;
  /** Number of workflows that were not looked at, because there are too many. */
  readonly left: number;
};

type Failed = { readonly workflow: Workflow; readonly from: number };

/** @param now epoch milliseconds; the health is as of then @returns what could be read; the rest is not known */
export async function queryFailedWorkflows(
  ask: QueryClient,
  workflows: readonly Workflow[],
  names: FailedNames,
  now: number,
): Promise<Answered<FailedWorkflows>> {
  const byName = Map.groupBy(workflows, ({ name }) => name);
  const all = [...names]
    .toSorted(([, one], [, other]) => other.last - one.last)
    .flatMap(([name, { from }]) => (byName.get(name) ?? []).map((workflow) => ({ workflow, from })));
  const looked = all.slice(0, lookedMax);
  const [health, earlier] = await Promise.all([queryHealths(ask, looked, now), queryEarlier(ask, looked, now)]);
  const healths = new Map(health.data?.map(({ workflow, health: one }) => [workflow.uuid, one]));
  const causes = await fingerprintsOf(earlier.data ?? new Map());
  const ongoing = looked.filter(({ workflow: { uuid }, from }) => (healths.get(uuid)?.streak?.since ?? from) < from);
  const ongoingUuids = new Set(ongoing.map(({ workflow }) => workflow.uuid));
  const recurrenceOfOne = (uuid: string, fingerprint: string): Recurrence => {
    if (ongoingUuids.has(uuid)) return 'ongoing';
    const before = causes.get(uuid);
    if (before === undefined) return 'unknown';
    return before.has(fingerprint) ? 'recurring' : 'new';
  };
  return {
    data: {
      healths: looked.flatMap(({ workflow: { uuid, name } }) => {
        const one = healths.get(uuid);
        return one ? [{ name, health: one }] : [];
      }),
      recurrenceIn: (name, fingerprint) =>
        recurrenceOf((byName.get(name) ?? []).map(({ uuid }) => recurrenceOfOne(uuid, fingerprint))),
      left: all.length - looked.length,
    },
    provenance: combinedProvenance(health.provenance, earlier.provenance),
  };
}

async function queryHealths(ask: QueryClient, failed: readonly Failed[], now: number) {
  if (failed.length === 0) return notNeeded(now);
  const workflows = failed.map(({ workflow }) => workflow);
  return nullOnFailure(queryHealth(ask, workflows, now), 'which workflows fail now');
}

async function queryEarlier(ask: QueryClient, failed: readonly Failed[], now: number) {
  if (failed.length === 0) return notNeeded(now);
  const ends = failed.map(({ workflow: { uuid }, from }) => ({ uuid, before: from }));
  return nullOnFailure(ask.earlierFailuresOf(ends), 'which causes are new');
}

/** The fingerprints of the earlier failures, without the workflows of which the service keeps no earlier run. */
async function fingerprintsOf(
  earlier: ReadonlyMap<string, EarlierRuns>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const kept = [...earlier].filter(([, { hasRuns }]) => hasRuns);
  const known = kept.map(async ([uuid, { failures }]) => {
    const read = await causesOf(failures);
    return [uuid, new Set(read.map(({ cause }) => cause.fingerprint))] as const;
  });
  return new Map(await Promise.all(known));
}
