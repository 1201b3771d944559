/** The cause of a failed execution, and failures grouped by cause. */
import { mapCooperatively } from '../../../shared/time/cooperative.ts';
import { createReadings, type NormalisedError, normaliseError, type Readings } from './normalize-error.ts';
import { type AgeIn, ageInAll, type CauseAge, type SeenSpan } from './recurrence.ts';

const noDetail = 'no detail kept';

export type ReportedError = {
  readonly error: string;
  /** Number of nodes that reported it. */
  readonly count: number;
};

export type Cause = {
  /** Equal for failures of one cause, whatever their ids, numbers and times; stable from release to release. */
  readonly fingerprint: string;
  /** The meaningful end of the error with variables as `<id>`, `<number>` and so on, at most 120 characters. */
  readonly title: string;
  /** A different error, which may explain the failure, with its text and the number of nodes that reported it. Null if all agree. */
  readonly otherError: { readonly title: string; readonly error: string; readonly nodes: number } | null;
  /** Shown, not compared: the platform changes how it classifies the same error. */
  readonly classifiedStatus: string | null;
};

/** The fields of a failed execution that are read; `sample` returns all of them. */
export type FailedExecution = {
  readonly workflowName: string;
  readonly startedAt: string;
  readonly classifiedStatus: string | null;
  readonly errors: readonly ReportedError[] | null;
};

export type WithCause<Execution> = Execution & { readonly cause: Cause };

export type CauseGroup<Execution extends FailedExecution> = {
  readonly cause: Cause;
  readonly count: number;
  /** Start of the first and the last, epoch milliseconds. */
  readonly first: number;
  readonly last: number;
  /** The newest of them. */
  readonly sample: Execution;
  /** By name, in order of appearance. */
  readonly workflows: ReadonlyMap<string, SeenSpan>;
};

/** Number of errors that are read; each is one text that some nodes reported. */
const errorsReadMax = 64;
/** Units read of all errors of one execution, and of each error at least and at most. */
const unitsReadMax = 32_000;
const unitsEachMin = 500;
const unitsEachMax = 8_000;

/**
 * The error that most nodes report is the cause; errors that differ only in variables count as one. On a tie
 * the more specific error wins, so that their order does not matter.
 *
 * @param readings of the failures read with it @returns the cause of one failed execution; never throws
 */
export function causeOf({ errors, classifiedStatus }: Explained, readings = createReadings()): Cause {
  const [main, ...others] = rankedErrors(errors ?? [], readings);
  const other = others.find(({ title }) => title !== main?.title);
  return {
    fingerprint: digest(main?.key ?? ''),
    title: main?.title ?? noDetail,
    otherError: other ? { title: other.title, error: other.error, nodes: other.nodes } : null,
    classifiedStatus,
  };
}

export function withCause<Execution extends Explained>(execution: Execution): WithCause<Execution> {
  return { ...execution, cause: causeOf(execution) };
}

/** @returns the executions with their causes; an error takes a tenth of a millisecond, so they are read in slices */
export function readCauses<Execution extends Explained>(
  executions: readonly Execution[],
): Promise<readonly WithCause<Execution>[]> {
  const readings = createReadings();
  return mapCooperatively(executions, (execution) => ({ ...execution, cause: causeOf(execution, readings) }));
}

/** Returns true if the service classifies it as the platform's fault. */
export function isOfPlatform({ classifiedStatus }: Pick<Cause, 'classifiedStatus'>): boolean {
  return classifiedStatus === 'SYSTEM_ERROR';
}

type Explained = Pick<FailedExecution, 'errors' | 'classifiedStatus'>;

type RankedError = NormalisedError & { readonly error: string; readonly nodes: number };

function rankedErrors(errors: readonly ReportedError[], readings: Readings): readonly RankedError[] {
  const told = errors.slice(0, errorsReadMax).filter(({ error }) => error.trim() !== '');
  const unitsMax = Math.min(unitsEachMax, Math.max(unitsEachMin, Math.floor(unitsReadMax / told.length)));
  const read = told.map(({ error, count }) => ({ ...normaliseError(error, unitsMax, readings), error, nodes: count }));
  const alike = [...Map.groupBy(read, ({ key }) => key).values()].flatMap(([first, ...rest]) =>
    first ? [{ ...first, nodes: rest.reduce((sum, { nodes }) => sum + nodes, first.nodes) }] : [],
  );
  return alike.sort(
    (one, other) =>
      Number(other.weight > 0) - Number(one.weight > 0) ||
      other.nodes - one.nodes ||
      other.weight - one.weight ||
      (one.key < other.key ? -1 : 1),
  );
}

/** Two 32-bit hashes side by side (cyrb53's rounds): a key of fixed length that reveals no part of the error. */
function digest(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 2654435761);
    other = Math.imul(other ^ unit, 1597334677);
  }
  const mixed = [
    Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909),
    Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909),
  ];
  return mixed.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** @returns one group for each cause, most frequent first, then the most recent */
export function groupByCause<Execution extends FailedExecution>(
  executions: readonly WithCause<Execution>[],
): readonly CauseGroup<Execution>[] {
  const timed = executions.map((execution) => ({ execution, startedAt: Date.parse(execution.startedAt) }));
  const byCause = Map.groupBy(timed, ({ execution }) => execution.cause.fingerprint);
  const groups = [...byCause.values()].flatMap((members) => {
    const [head] = members;
    if (!head) return [];
    const newest = members.reduce((best, one) => (one.startedAt > best.startedAt ? one : best), head);
    const workflows = new Map<string, SeenSpan>();
    for (const { execution, startedAt: at } of members) {
      const { first, last } = workflows.get(execution.workflowName) ?? { first: at, last: at };
      workflows.set(execution.workflowName, { first: Math.min(first, at), last: Math.max(last, at) });
    }
    const first = Math.min(...[...workflows.values()].map((seen) => seen.first));
    const { cause } = newest.execution;
    return [{ cause, count: members.length, first, last: newest.startedAt, sample: newest.execution, workflows }];
  });
  return groups.sort((one, other) => other.count - one.count || other.last - one.last);
}

export type AgedGroup<Execution extends FailedExecution> = CauseGroup<Execution> & CauseAge;

export function withAges<Execution extends FailedExecution>(
  groups: readonly CauseGroup<Execution>[],
  ageIn: AgeIn,
): readonly AgedGroup<Execution>[] {
  return groups.map((group) => {
    const { workflows, cause, sample, first } = group;
    const hasText = sample.errors?.some(({ error }) => error.trim() !== '');
    const comparable = hasText ? [...workflows] : [];
    const each = comparable.map(([name, seen]) => ageIn(name, cause.fingerprint, seen));
    return { ...group, ...ageInAll(each, first) };
  });
}
