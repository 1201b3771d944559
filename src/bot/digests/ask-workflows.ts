/** Queries the workflows of a digest: which they are, how often they ran, and which fell silent. */
import type { ChosenWorkflows } from '../domain/subscription.ts';
import { countsWithin, type DayLike } from '../insight/digest/reconcile.ts';
import {
  isRest,
  type MaybeResting,
  maybeSilent,
  restsLike,
  type SilentWorkflow,
  silentWorkflows,
} from '../insight/digest/silent.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Workflow } from '../query/results.ts';
import { addDecimals } from '../query/rows.ts';
import { hasText, type TimeSpan, windowOf } from './ask-failures.ts';
import { asked, type Part, unasked } from './asked.ts';

/** Of more workflows not everything is asked: that would be a question for each handful of them. */
export const askedMax = 150;

/** @returns those that the digest is about */
export function within(about: ChosenWorkflows, workflows: readonly Workflow[]): readonly Workflow[] {
  switch (about.kind) {
    case 'all':
      return workflows;
    case 'text':
      return workflows.filter(({ name }) => hasText(name, about.text));
    case 'chosen':
      return workflows.filter(({ uuid }) => about.uuids.includes(uuid));
  }
}

export type Activity = { readonly days: readonly DayLike[] | null; readonly before: readonly DayLike[] | null };

const activityPart = 'the number of runs';

/** @param workflows those that it is about; null where they are not known */
export async function askActivity(
  ask: QueryClient,
  about: ChosenWorkflows,
  workflows: readonly Workflow[] | null,
  [span, before]: readonly [TimeSpan, TimeSpan],
): Promise<Activity & { readonly missing: readonly string[] }> {
  const uuids = about.kind === 'chosen' ? about.uuids : workflows?.map(({ uuid }) => uuid);
  if (about.kind !== 'all' && uuids === undefined) return { days: null, before: null, missing: [activityPart] };
  const each = about.kind === 'all' ? [{}] : (uuids ?? []).map((workflowUuid) => ({ workflowUuid }));
  const questions = [span, before].flatMap((one) => each.map((which) => ({ ...which, window: windowOf(one) })));
  if (questions.length === 0) return { days: null, before: null, missing: [] };
  const { data, missing } = await asked(ask.activities(questions), activityPart);
  const [days, earlier] = [data?.slice(0, each.length), data?.slice(each.length)];
  return { days: summed(days), before: summed(earlier), missing };
}

/** Bucket by bucket over several workflows. */
function summed(lists: readonly (readonly DayLike[] | null)[] | undefined): readonly DayLike[] | null {
  const sums = new Map<string, DayLike>();
  for (const list of lists ?? [null]) {
    if (list === null) return null;
    for (const bucket of list) {
      const key = `${bucket.from} ${bucket.to}`;
      const known = sums.get(key);
      sums.set(key, {
        ...bucket,
        successCount: bucket.successCount + (known?.successCount ?? 0),
        failureCount: bucket.failureCount + (known?.failureCount ?? 0),
      });
    }
  }
  return [...sums.values()];
}

/** Null where the workflows are not known. */
export async function askSilent(
  ask: QueryClient,
  workflows: readonly Workflow[] | null,
  span: TimeSpan,
  now: number,
): Promise<Part<readonly SilentWorkflow[]>> {
  if (workflows === null) return { data: null, missing: ['which workflows went silent'] };
  const candidates = maybeSilent(workflows, now);
  if (candidates.length === 0) return { data: [], missing: [] };
  const looked = candidates.slice(0, askedMax);
  const starts = await asked(ask.newestStartsOf(looked.map(({ uuid }) => uuid)), 'which workflows went silent');
  const left = candidates.length - looked.length;
  const silent = starts.data && (await withoutRests(ask, silentWorkflows(looked, starts.data, now), span, now));
  return {
    data: silent,
    missing: [...starts.missing, ...(left > 0 ? [`whether ${left} more workflows went silent`] : [])],
  };
}

/** Of so many: each takes up to six questions, and of more nobody reads. */
const restsMax = 25;

/** Where nobody can tell whether it is a rest, it is silent. */
async function withoutRests(
  ask: QueryClient,
  silent: readonly MaybeResting[],
  { from }: TimeSpan,
  now: number,
): Promise<readonly SilentWorkflow[]> {
  const spans = silent
    .slice(0, restsMax)
    .flatMap((workflow) =>
      [...restsLike(workflow, now), ...restsLike(workflow, from)].flatMap(({ ran, rested }) =>
        [ran, rested].map((each) => ({ workflowUuid: workflow.uuid, window: windowOf(each) })),
      ),
    );
  if (spans.length === 0) return silent;
  const { data } = await asked(ask.activities(spans), activityPart);
  const runs = new Map(
    spans.map(({ workflowUuid, window }, index) => {
      const counts = countsWithin(window, data?.[index] ?? null);
      return [`${workflowUuid} ${window.label}`, counts && counts.success + counts.failure];
    }),
  );
  const rests = (workflow: MaybeResting, until: number) =>
    restsLike(workflow, until).some((rest) =>
      isRest(rest, (each) => runs.get(`${workflow.uuid} ${windowOf(each).label}`) ?? null),
    );
  return silent
    .filter((workflow) => !rests(workflow, now))
    .map((workflow) =>
      rests(workflow, from) ? { ...workflow, silentAt: Math.max(workflow.silentAt, from) } : workflow,
    );
}

export type Usage = {
  /** Runs that succeeded, by the workflow's name. */
  readonly successes: ReadonlyMap<string, number>;
  /** Of all of them; null where that is not told. */
  readonly creditUsed: string | null;
  readonly missing: readonly string[];
};

/** @param told names of those of which it matters most, the first ones most of all */
export async function askUsage(
  ask: QueryClient,
  workflows: readonly Workflow[] | null,
  span: TimeSpan,
  told: readonly string[],
): Promise<Usage> {
  const ran = (workflows ?? []).filter(({ executedAt }) => executedAt !== null && Date.parse(executedAt) >= span.from);
  const isAll = ran.length <= askedMax;
  const byName = Map.groupBy(ran, ({ name }) => name);
  const wanted = isAll ? ran : [...new Set(told)].flatMap((name) => byName.get(name) ?? []).slice(0, askedMax);
  const uuids = wanted.map(({ uuid }) => uuid);
  const { data, missing } =
    wanted.length === 0 ? unasked : await asked(ask.countsOf(uuids, windowOf(span)), 'the number of runs by workflow');
  const successes = [...Map.groupBy(wanted, ({ name }) => name)].flatMap(([name, alike]) => {
    const counts = alike.flatMap(({ uuid }) => data?.get(uuid) ?? []);
    return counts.length < alike.length ? [] : [[name, sum(counts.map(({ success }) => success))] as const];
  });
  const credits = uuids.map((uuid) => data?.get(uuid)?.creditUsed ?? null);
  return { successes: new Map(successes), creditUsed: isAll && ran.length > 0 ? addDecimals(credits) : null, missing };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
