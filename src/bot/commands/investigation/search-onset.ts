/** Collects counts around a failure until the rise of the failure rate is known to the execution: a bisection in a few round trips. */
import { combinedProvenance } from '../../domain/provenance.ts';
import { hasEnded } from '../../insight/executions/result.ts';
import {
  binsOf,
  type Executions,
  firstInstants,
  nextQuestion,
  type Point,
  type Profile,
} from '../../insight/health/onset.ts';
import type { QueryClient } from '../../query/query-client.ts';
import { type Answered, nullOnFailure } from '../../query/results.ts';

export type OnsetQuestion = {
  readonly workflowUuid: string;
  /** Start of the failure, epoch milliseconds. */
  readonly startedAt: number;
  /** Further instants to count from, such as those of deployments. */
  readonly instants: readonly number[];
};

/** Enough for a rise anywhere in 90 days of the fastest schedule, one execution every 30 s. */
const roundsMax = 6;

/** @returns the profile of the failures before and after this one; null if the counts could not be read */
export async function searchOnset(
  question: OnsetQuestion,
  ask: QueryClient,
  now: number,
): Promise<Answered<Profile | null>> {
  const { workflowUuid } = question;
  const anchor = question.startedAt + 1;
  const instants = [...firstInstants(anchor, now), ...question.instants.filter((at) => at < now)];
  const first = await pointsAt(workflowUuid, anchor, instants, ask);
  if (first.data === null) return { ...first, data: null };
  const { sinceAnchor } = first.data;
  const end = { at: Math.max(now, anchor + 1), good: -sinceAnchor.good, failed: -sinceAnchor.failed };
  let profile: Profile = { anchor, points: inOrder([...first.data.points, end]), executions: null };
  let { provenance } = first;
  for (let round = 1; round < roundsMax; round += 1) {
    const next = nextQuestion(profile);
    if (next === null) break;
    if (next.kind === 'executions') {
      const { data, provenance: last } = await executionsIn(workflowUuid, next, ask);
      return {
        data: data !== null && isWhole(profile, data) ? { ...profile, executions: data } : profile,
        provenance: combinedProvenance(provenance, last),
      };
    }
    const more = await pointsAt(workflowUuid, anchor, next.instants, ask);
    provenance = combinedProvenance(provenance, more.provenance);
    if (more.data === null) break;
    profile = { ...profile, points: inOrder([...profile.points, ...more.data.points]) };
  }
  return { data: profile, provenance };
}

function inOrder(points: readonly Point[]): readonly Point[] {
  const byInstant = new Map(points.map((point) => [point.at, point]));
  return [...byInstant.values()].toSorted((one, other) => one.at - other.at);
}

/** The anchor is in every document: counts run until now, and only those of one document can be compared. */
async function pointsAt(
  workflowUuid: string,
  anchor: number,
  wanted: readonly number[],
  ask: QueryClient,
): Promise<Answered<{ readonly points: readonly Point[]; readonly sinceAnchor: Omit<Point, 'at'> } | null>> {
  const instants = [...new Set([anchor, ...wanted])];
  const { data, provenance } = await nullOnFailure(
    ask.countsSince({ workflowUuid, instants }),
    'the number of runs before and after this one',
  );
  const reference = data?.[0] ?? null;
  if (data === null || reference === null) return { data: null, provenance };
  const points = instants.flatMap((at, index): readonly Point[] => {
    const counts = data[index] ?? null;
    if (counts === null) return [];
    return [{ at, good: counts.success - reference.success, failed: counts.failure - reference.failure }];
  });
  return { data: { points, sinceAnchor: { good: reference.success, failed: reference.failure } }, provenance };
}

/** Page size of the service. */
const pageSize = 100;

async function executionsIn(
  workflowUuid: string,
  { from, to }: { readonly from: number; readonly to: number },
  ask: QueryClient,
): Promise<Answered<Executions | null>> {
  // One millisecond more: a start may be finer than the end, which is inclusive.
  const window = { from, to: to + 1, label: `${from} ${to}`, isMoving: false };
  const { data, provenance } = await nullOnFailure(
    ask.executions({ workflowUuid, window, page: 0, size: pageSize }),
    'the runs when failures began',
  );
  if (data === null) return { data, provenance };
  const starts = data.executions
    .filter(hasEnded)
    .map(({ startedAt, status }) => ({ at: Date.parse(startedAt), hasFailed: status === 'FAILURE' }))
    .filter(({ at }) => at >= from && at < to)
    .toSorted((one, other) => one.at - other.at);
  return { data: { from, to, starts }, provenance };
}

/** A list that contradicts the counts is not used. */
function isWhole(profile: Profile, { from, to, starts }: Executions): boolean {
  const inside = binsOf(profile).filter((bin) => bin.from >= from && bin.to <= to);
  const failed = inside.reduce((sum, bin) => sum + bin.failed, 0);
  const total = inside.reduce((sum, bin) => sum + bin.failed + bin.good, 0);
  return starts.length === total && starts.filter(({ hasFailed }) => hasFailed).length === failed;
}
