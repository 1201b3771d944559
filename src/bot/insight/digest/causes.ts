/** The causes and the failing workflows of a window: what is new, what is gone, and what is one platform incident. */
import type { ReportedError } from '../causes/cause.ts';
import { type AgeIn, ageInAll, type CauseAge } from '../causes/recurrence.ts';
import { areOver } from '../health/health.ts';
import { type Incident, incidentOf, mayBeIncident, type RunRates } from './incident.ts';
import type { CauseTally, CountWithTimes, FailureTally } from './tally.ts';

export type JudgedCause = CauseTally &
  CauseAge & {
    /** Names of the workflows in which it is new. */
    readonly newIn: ReadonlySet<string>;
    /** Set if several workflows failed of the platform together, beyond chance; some may have failed of it at other times too. */
    readonly incident: Incident | null;
  };

/**
 * @param before the window before; null if it is not known or nothing ran in it
 * @param runRates a workflow without a rate counts as hourly
 * @returns first incidents, then new causes, then the most frequent
 */
export function judgeCauses(
  failures: FailureTally,
  before: FailureTally | null,
  ageIn: AgeIn,
  runRates: RunRates = new Map(),
): readonly JudgedCause[] {
  const looked = {
    slots: failures.slots,
    slotsBefore: before?.slots.ms === failures.slots.ms ? before.slots.count : 0,
    runRates,
    causes: [...failures.causes.values()].filter(mayBeIncident).length,
  };
  return [...failures.causes.values()]
    .map((tally): JudgedCause => {
      const known = before?.causes.get(tally.cause.fingerprint);
      const each = agesOf(tally, known, ageIn);
      const age = ageInAll([...each.values()], tally.first);
      // Another workflow failed of it in the window before.
      const others = [...(known?.workflows.keys() ?? [])].filter((name) => !tally.workflows.has(name));
      const newIn = [...each].flatMap(([name, { recurrence }]) => (recurrence === 'new' ? [name] : []));
      return {
        ...tally,
        ...age,
        recurrence: age.recurrence === 'new' && others.length > 0 ? 'recurring' : age.recurrence,
        newIn: new Set(newIn),
        incident: incidentOf(tally, { ...looked, before: known }),
      };
    })
    .sort((one, other) => urgency(other) - urgency(one) || other.count - one.count || other.last - one.last);
}

/** By the name of the workflow; none without an error text. @param known the same cause in the window before */
function agesOf(
  { cause, sample, workflows }: CauseTally,
  known: CauseTally | undefined,
  ageIn: AgeIn,
): ReadonlyMap<string, CauseAge> {
  const seen = sample.errors.length === 0 ? [] : [...workflows];
  return new Map(
    seen.map(([name, { first, last }]) => {
      const before = known?.workflows.get(name);
      return [name, ageIn(name, cause.fingerprint, { first: Math.min(first, before?.first ?? first), last })];
    }),
  );
}

function urgency({ recurrence, incident }: JudgedCause): number {
  return Number(incident !== null) * 2 + Number(recurrence === 'new');
}

export type GoneCause = Omit<CountWithTimes, 'ended'> & {
  readonly title: string;
  /** Of its newest failure. */
  readonly errors: readonly ReportedError[];
  readonly workflows: readonly string[];
};

export type Gone = {
  /** Not seen in this window, and every workflow that had it has succeeded since, more often than chance explains. Most frequent first. */
  readonly resolved: readonly GoneCause[];
  /** Not seen in this window, but it was so rare before that chance may explain it. */
  readonly unseen: readonly GoneCause[];
  /** Not seen in this window, but a workflow that had it has not succeeded since, or the service did not say. */
  readonly unproven: readonly GoneCause[];
};

/** Keyed by the name of the workflow; some workflows may be missing. */
export type RunsSince = {
  /** Time of its last run, epoch milliseconds. */
  readonly ranAt: ReadonlyMap<string, number>;
  /** Number of successful runs in the window, and in the one before. */
  readonly successes: ReadonlyMap<string, number>;
  readonly successesBefore: ReadonlyMap<string, number>;
};

export function goneCauses(failures: FailureTally, before: FailureTally, runs: RunsSince): Gone {
  const { ranAt, successes } = runs;
  // A failure that is not kept apart may have any of the causes.
  if (failures.onlyCounted > 0) return { resolved: [], unseen: [], unproven: [] };
  const gone = [...before.causes].filter(([fingerprint]) => !failures.causes.has(fingerprint));
  const found = Map.groupBy(gone, ([, tally]) => {
    const isProven = [...tally.workflows].every(([name, { ended }]) => {
      const failedAt = Math.max(ended, failures.workflows.get(name)?.ended ?? ended);
      // The last run may still be running, or may have failed after the window.
      return (successes.get(name) ?? 0) > 0 && (ranAt.get(name) ?? failedAt) > failedAt + sameRunMs;
    });
    if (!isProven) return 'unproven';
    return isOver(tally, before, runs) ? 'resolved' : 'unseen';
  });
  const groupOf = (group: keyof Gone) =>
    (found.get(group) ?? []).map(asGone).sort((one, other) => other.count - one.count);
  return { resolved: groupOf('resolved'), unseen: groupOf('unseen'), unproven: groupOf('unproven') };
}

/** The rule of a workflow that has recovered, for one cause in all runs of its workflows. */
function isOver(
  { workflows, count: failed, first, last }: CauseTally,
  { slots, workflows: failedBefore }: FailureTally,
  { successes, successesBefore }: RunsSince,
): boolean {
  const total = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);
  const names = [...workflows.keys()];
  const good = total(names.map((name) => successes.get(name) ?? 0));
  const runs = total(
    names.map((name) => (successesBefore.get(name) ?? Number.POSITIVE_INFINITY) + (failedBefore.get(name)?.count ?? 0)),
  );
  const failedShare = (last - first) / (slots.ms * slots.count);
  // One more, so that the only run proves nothing by itself.
  return areOver({ failed, runs: runs + 1, failedShare, good, usualFailures: null });
}

/** Some services report the end of a run, others its start, and they round it. */
const sameRunMs = 1000;

function asGone([, { cause, sample, workflows, count, first, last }]: readonly [string, CauseTally]): GoneCause {
  return { title: cause.title, errors: sample.errors, workflows: [...workflows.keys()], count, first, last };
}

export type FailingWorkflow = CountWithTimes & {
  readonly name: string;
  /** Empty if no listed workflow has that name; several if they share it. */
  readonly uuids: readonly string[];
  /** Its most frequent cause; an incident of several workflows only if it has no other. Null if there are too many causes. */
  readonly main: JudgedCause | null;
  /** Number of its failures with that cause. */
  readonly mainCount: number;
  readonly otherCauses: number;
  /** True if it failed of a cause for the first time, apart from incidents. */
  readonly hasNewCause: boolean;
};

/** @returns first those with a new cause, then those with the most failures */
export function failingWorkflows(
  { workflows }: FailureTally,
  causes: readonly JudgedCause[],
  listed: readonly { readonly uuid: string; readonly name: string }[],
): readonly FailingWorkflow[] {
  const uuids = Map.groupBy(listed, ({ name }) => name);
  const byName = new Map<string, { cause: JudgedCause; count: number; isShared: boolean }[]>();
  for (const cause of causes) {
    const sharing = new Set(cause.incident?.workflows);
    for (const [name, { count }] of cause.workflows) {
      const own = byName.get(name) ?? [];
      byName.set(name, own);
      own.push({ cause, count, isShared: sharing.has(name) });
    }
  }
  return [...workflows]
    .map(([name, tallied]): FailingWorkflow => {
      const own = byName.get(name) ?? [];
      // An incident is listed by itself.
      const alone = own.filter(({ isShared }) => !isShared);
      const [main] = (alone.length > 0 ? alone : own).toSorted((one, other) => other.count - one.count);
      return {
        ...tallied,
        name,
        uuids: (uuids.get(name) ?? []).map(({ uuid }) => uuid),
        main: main?.cause ?? null,
        mainCount: main?.count ?? 0,
        otherCauses: Math.max(0, own.length - 1),
        hasNewCause: alone.some(({ cause }) => cause.newIn.has(name)),
      };
    })
    .sort(
      (one, other) =>
        Number(other.hasNewCause) - Number(one.hasNewCause) || other.count - one.count || other.last - one.last,
    );
}
