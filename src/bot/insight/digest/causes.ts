/** The causes and the failing workflows of a window: what is new, what is gone, and what is one platform incident. */
import { isOfPlatform, type Recurrence } from '../causes/cause.ts';
import type { CauseTally, FailureTally, Tallied } from './tally.ts';

export type JudgedCause = CauseTally & {
  readonly recurrence: Recurrence;
  /** Workflows that did not fail of it before, by name: of one that recurs, others did. Empty where that is not known. */
  readonly newIn: ReadonlySet<string>;
  /** Where the platform failed several workflows together; some may have failed of it at other times, too. */
  readonly incident: Incident | null;
};

/**
 * @param before the window before; null where it is not known, or nothing ran in it: then nothing can be called new
 * @returns first incidents, then new causes, then the most frequent
 */
export function judgeCauses(failures: FailureTally, before: FailureTally | null): readonly JudgedCause[] {
  const otherwise = before === null || before.lumped > 0 ? 'unknown' : 'new';
  return [...failures.causes.values()]
    .map((tally): JudgedCause => {
      const known = before?.causes.get(tally.cause.fingerprint);
      const newIn = [...tally.workflows.keys()].filter((name) => otherwise === 'new' && !known?.workflows.has(name));
      return {
        ...tally,
        recurrence: known ? 'recurring' : otherwise,
        newIn: new Set(newIn),
        incident: incidentOf(tally),
      };
    })
    .sort((one, other) => urgency(other) - urgency(one) || other.count - one.count || other.last - one.last);
}

function urgency({ recurrence, incident }: JudgedCause): number {
  return Number(incident !== null) * 2 + Number(recurrence === 'new');
}

export type GoneCause = Omit<Tallied, 'ended'> & { readonly title: string; readonly workflows: readonly string[] };

export type Gone = {
  /** It did not come back, and every workflow that had it has succeeded since, and not failed after that: most frequent first. */
  readonly resolved: readonly GoneCause[];
  /** It did not come back, and a workflow that had it has not succeeded since, or that is not known. */
  readonly unproven: readonly GoneCause[];
};

/** By the workflow's name; of some it may not be known. */
export type RunsSince = {
  /** When it ran last, epoch milliseconds. */
  readonly ranAt: ReadonlyMap<string, number>;
  /** How many of its runs in the window succeeded. */
  readonly successes: ReadonlyMap<string, number>;
};

export function goneCauses(failures: FailureTally, before: FailureTally, { ranAt, successes }: RunsSince): Gone {
  // A cause that could not be kept apart may be any.
  if (failures.lumped > 0) return { resolved: [], unproven: [] };
  const gone = [...before.causes].filter(([fingerprint]) => !failures.causes.has(fingerprint));
  const isProven = ([, tally]: readonly [string, CauseTally]) =>
    [...tally.workflows].every(([name, { ended }]) => {
      const failedAt = Math.max(ended, failures.workflows.get(name)?.ended ?? ended);
      // What ran last may be under way, or have failed after the window.
      return (successes.get(name) ?? 0) > 0 && (ranAt.get(name) ?? failedAt) > failedAt + sameRunMs;
    });
  const [proven, unproven] = [gone.filter(isProven), gone.filter((each) => !isProven(each))];
  return { resolved: proven.map(asGone).sort(mostFirst), unproven: unproven.map(asGone).sort(mostFirst) };
}

/** A service may tell of a run's end where others tell of its start, and rounds it. */
const sameRunMs = 1000;

function asGone([, { cause, workflows, count, first, last }]: readonly [string, CauseTally]): GoneCause {
  return { title: cause.title, workflows: [...workflows.keys()], count, first, last };
}

function mostFirst(one: GoneCause, other: GoneCause): number {
  return other.count - one.count;
}

export type Incident = Omit<Tallied, 'ended'> & {
  /** Names of those that failed of it, two or more. */
  readonly workflows: readonly string[];
};

/** Failures so far apart are of two faults. */
const apartMs = 60 * 60_000;

type Stretch = { count: number; readonly first: number; last: number; hours: bigint };

/** @returns the stretch of time in which the most workflows failed of a cause, one soon after the other; null for one alone */
export function incidentOf({ cause, sample, workflows, hours }: CauseTally): Incident | null {
  // Failures without an error text are alike in that alone.
  if (!isOfPlatform(cause) || sample.errors.length === 0) return null;
  const inOrder = [...workflows].sort(([, one], [, other]) => one.first - other.first);
  const [most] = stretchesOf(hours)
    .map(({ hours: within, ...stretch }) => ({
      ...stretch,
      workflows: inOrder.flatMap(([name, own]) => ((own.hours & within) === 0n ? [] : [name])),
    }))
    .sort((one, other) => other.workflows.length - one.workflows.length || other.count - one.count);
  return most && most.workflows.length > 1 ? most : null;
}

function stretchesOf(hours: CauseTally['hours']): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const [hour, { count, first, last }] of [...hours].sort(([one], [other]) => one - other)) {
    const current = stretches.at(-1);
    const bit = 1n << BigInt(hour);
    if (current && first - current.last <= apartMs) {
      current.count += count;
      current.last = last;
      current.hours |= bit;
    } else {
      stretches.push({ count, first, last, hours: bit });
    }
  }
  return stretches;
}

export type FailingWorkflow = Tallied & {
  readonly name: string;
  /** Empty where no workflow of that name is listed, several where they share it. */
  readonly uuids: readonly string[];
  /** What most of its failures are of, incidents of several workflows last; null where there are too many causes to tell. */
  readonly main: JudgedCause | null;
  /** How many of its failures are of that. */
  readonly mainCount: number;
  readonly otherCauses: number;
  /** It did not fail of it before, though others may have. Apart from such incidents. */
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
      // What it shares with others is told with them.
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
