/** The workflows that failed in a window: how each is doing now, and how old its causes are. */
import { combinedProvenance } from '../domain/provenance.ts';
import {
  type AgeIn,
  ageInAll,
  ageOf,
  type EarlierCauses,
  earlierCauses,
  type SeenSpan,
} from '../insight/causes/recurrence.ts';
import type { NamedHealth } from '../insight/health/health.ts';
import { type EarlierRuns, earlierFailuresMax } from '../query/operations/workflow-batches.ts';
import type { QueryClient } from '../query/query-client.ts';
import { type Answered, notNeeded, nullOnFailure, type Workflow } from '../query/results.ts';
import { causesOf } from './causes.ts';
import { queryHealth } from './workflow-health.ts';

/** Of more workflows it is not known. */
const lookedMax = 20;

export type FailedWorkflows = {
  /** Those that failed last come first. */
  readonly healths: readonly NamedHealth[];
  readonly ageIn: AgeIn;
  /** Number of workflows that were not looked at, because there are too many. */
  readonly left: number;
};

/**
 * @param failed by the name of the workflow, which several may share: a failure has no more
 * @param isOne whether the answer is about one workflow, and says why it fails now and then
 * @param from start of the window @param now the health is as of then; both epoch milliseconds
 * @returns what could be read; the rest is not known
 */
export async function queryFailedWorkflows(
  ask: QueryClient,
  workflows: readonly Workflow[],
  failed: ReadonlyMap<string, SeenSpan>,
  { from, now, isOne = false }: { readonly from: number; readonly now: number; readonly isOne?: boolean },
): Promise<Answered<FailedWorkflows>> {
  const byName = Map.groupBy(workflows, ({ name }) => name);
  const all = [...failed]
    .toSorted(([, one], [, other]) => other.last - one.last)
    .flatMap(([name, { first }]) => (byName.get(name) ?? []).map((workflow) => ({ workflow, first })));
  const looked = all.slice(0, lookedMax);
  const ends = looked.map(({ workflow: { uuid }, first }) => ({ uuid, before: Math.min(from, first) }));
  const isAsked = looked.length > 0;
  const named = looked.map(({ workflow }) => workflow);
  const [health, earlier] = await Promise.all([
    isAsked ? nullOnFailure(queryHealth(ask, named, now, isOne), 'which workflows fail now') : notNeeded(now),
    isAsked ? nullOnFailure(ask.earlierFailuresOf(ends), 'which causes are new') : notNeeded(now),
  ]);
  const healths = new Map(health.data?.map((judged) => [judged.workflow.uuid, judged.health]));
  const causes = await causesBefore(earlier.data ?? new Map());
  return {
    data: {
      healths: named.flatMap(({ uuid, name }) => {
        const one = healths.get(uuid);
        return one ? [{ name, health: one }] : [];
      }),
      ageIn: (name, fingerprint, seen) => {
        const uuids = byName.get(name)?.map(({ uuid }) => uuid) ?? [''];
        const ageHere = (uuid: string) =>
          ageOf(seen, fingerprint, causes.get(uuid) ?? null, healths.get(uuid)?.streak?.since ?? null);
        return ageInAll(uuids.map(ageHere), seen.first);
      },
      left: all.length - looked.length,
    },
    provenance: combinedProvenance(health.provenance, earlier.provenance),
  };
}

async function causesBefore(earlier: ReadonlyMap<string, EarlierRuns>): Promise<ReadonlyMap<string, EarlierCauses>> {
  const known = [...earlier].map(async ([uuid, { failures, oldestAt }]) => {
    const isCut = failures.length >= earlierFailuresMax;
    return [uuid, earlierCauses(await causesOf(failures), { isCut, oldestAt })] as const;
  });
  return new Map(await Promise.all(known));
}
