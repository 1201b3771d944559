/** Judges silence a second time, by "Silence in full" in docs/truth.md: no code is shared with the bot. */
import { type RawDeployment, type RawExecution, type RawLists, type RawWorkflow, startOf } from './lists.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;

type Judged = { readonly lastAt: number; readonly expectedBy: number };
type Kind = 'interval' | 'repeating' | 'irregular';

type Pattern = {
  readonly kind: Kind;
  readonly interval: number;
  readonly grace: number;
  /** Of an irregular pattern. */
  readonly limit: number;
  /** From when on it is overdue. */
  readonly overdueAt: number;
};

type History = {
  /** All starts up to the moment, in order. */
  readonly starts: readonly number[];
  readonly newest: readonly number[];
  readonly begin: number;
};

export type SilentFact = readonly [name: string, lastAt: number, expectedBy: number];

/** @returns the silent workflows at `at`, epoch milliseconds */
export function recountSilent({ workflows, executions }: RawLists, at: number): readonly SilentFact[] {
  return workflows
    .filter(({ status, registeredAt }) => status === 'ACTIVE' && Date.parse(registeredAt) < at)
    .flatMap((workflow): SilentFact[] => {
      const { uuid, name } = workflow;
      const own = executions.filter(({ workflowUUID }) => workflowUUID === uuid);
      const judged = judge(workflow, own, at);
      return judged === null ? [] : [[name, judged.lastAt, judged.expectedBy]];
    })
    .sort();
}

function judge(workflow: RawWorkflow, runs: readonly RawExecution[], at: number): Judged | null {
  const starts = runs
    .map(startOf)
    .filter((start) => start <= at)
    .sort(ascending);
  const newest = starts.slice(-60);
  const begin = starts.length < 60 ? (starts[0] ?? at) : Date.parse(workflow.registeredAt);
  const pattern = patternOf(newest);
  const lastAt = newest.at(-1);
  if (pattern === null || lastAt === undefined || at <= pattern.overdueAt) return null;
  const history = { starts, newest, begin };
  const weeks = droppingOldest([7, 14, 21, 28].flatMap((days) => findingOf(days * dayMs, pattern, history, at) ?? []));
  const hasManyWeeks = [7, 14, 21].every((days) => lastAt - days * dayMs >= begin);
  const dayShifts = hasManyWeeks ? [1, 2] : [1, 2, 3, 4, 5, 6].filter((days) => isAlike(at - days * dayMs, at));
  const days = dayShifts.flatMap((each) => findingOf(each * dayMs, pattern, history, at) ?? []);
  if (isAtRest(weeks, days)) return null;
  const proof = pattern.kind === 'interval' ? proofOf(workflow, starts, pattern.interval) : 'most';
  const expectedBy =
    pattern.kind === 'irregular'
      ? irregularDue(weeks, lastAt + pattern.limit * quietness(runs, pattern.interval, begin, lastAt), lastAt)
      : regularDue(weeks, days, pattern, proof);
  return expectedBy !== null && at > expectedBy ? { lastAt, expectedBy } : null;
}

const ascending = (one: number, other: number) => one - other;
const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
const middle = (values: readonly number[]) => quantile(values.toSorted(ascending), 0.5);
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** @param starts in order */
function patternOf(starts: readonly number[]): Pattern | null {
  const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? start));
  return intervalOf(starts, gaps) ?? repeatingOf(starts, gaps) ?? irregularOf(starts, gaps);
}

function intervalOf(starts: readonly number[], gaps: readonly number[]): Pattern | null {
  const interval = middle(gaps);
  const usual = gaps.filter((gap) => gap <= 3 * interval).sort(ascending);
  if (interval <= 0 || usual.length / gaps.length < 2 / 3) return null;
  if (usual.length >= 30) usual.pop();
  const [low, high, longest] = [quantile(usual, 0.05), quantile(usual, 0.95), usual.at(-1) ?? 0];
  const isEven = low >= interval / 2 && high <= 1.7 * interval;
  if (!isEven || usual.length < 4 + (16 * (longest - low)) / interval) return null;
  const late = (longest - interval) * (1 + 3 / usual.length);
  const grace = Math.round(Math.max(5 * minuteMs, interval / 50, 1.25 * late));
  return { kind: 'interval', interval, grace, limit: 0, overdueAt: (starts.at(-1) ?? 0) + interval + grace };
}

function repeatingOf(starts: readonly number[], gaps: readonly number[]): Pattern | null {
  const [oldest, latest] = [starts[0] ?? 0, starts.at(-1) ?? 0];
  const reach = Math.min(Math.max(quantile(gaps.toSorted(ascending), 0.1) / 3, 5 * minuteMs), 60 * minuteMs);
  for (const period of [7 * dayMs, dayMs]) {
    const times = [...starts.map((start) => start - period), ...starts.map((start) => start + period)];
    const missed = times
      .filter((time) => time >= oldest && time <= latest)
      .map((time) => Math.min(...starts.map((start) => Math.abs(start - time))))
      .sort(ascending);
    const most = quantile(missed, 0.95);
    if (latest - oldest < 2.5 * period || missed.length < 8 || most > reach) continue;
    const grace = Math.round(Math.max(5 * minuteMs, period / 350, 1.25 * most));
    const next = Math.min(...starts.map((start) => start + period).filter((time) => time > latest + grace));
    return { kind: 'repeating', interval: middle(gaps), grace, limit: 0, overdueAt: next + grace };
  }
  return null;
}

function irregularOf(starts: readonly number[], gaps: readonly number[]): Pattern | null {
  const sum = total(gaps);
  if (gaps.length < 8 || sum <= 0) return null;
  const weight = sum ** 2 / total(gaps.map((gap) => gap ** 2));
  const limit = Math.max(10 * minuteMs, 1.5 * Math.max(...gaps), sum * (0.003 ** (-1 / weight) - 1));
  const overdueAt = (starts.at(-1) ?? 0) + limit;
  return { kind: 'irregular', interval: sum / gaps.length, grace: 0, limit, overdueAt };
}

/** The time of the next run that an earlier period predicts, or that it rested, or did not run yet. */
type Finding = { readonly next: number | null; readonly isRest: boolean };

const notYet: Finding = { next: null, isRest: false };

/** @returns null if there is no such period, or if it says nothing */
function findingOf(shift: number, pattern: Pattern, { starts, newest, begin }: History, at: number): Finding | null {
  const { kind, interval, grace, limit } = pattern;
  const lastAt = newest.at(-1) ?? at;
  const isIrregular = kind === 'irregular';
  const lookBack = isIrregular ? limit : 2 * interval + Math.min(grace, 2 * interval);
  const [from, to] = [lastAt - shift - lookBack, at - shift - grace];
  if (lastAt - shift < begin || from >= to) return null;
  const within = starts.filter((start) => start >= from && start < to);
  const isKnown = starts.length < 60 || (newest[0] ?? at) <= from;
  const isCut = !isKnown && within.length >= 25;
  const read = isCut ? within.slice(0, 25) : within;
  const end = lastAt - shift + (isIrregular ? limit / 2 : Math.min(grace, interval / 2));
  const after = read.filter((start) => start > end);
  if (!isIrregular && read.every((start) => start > end)) return notYet;
  const isFew = isIrregular && !isCut && after.length < (to - end) / interval / 4;
  const isWeek = shift % (7 * dayMs) === 0;
  const next = after.find((start) => isWeek || isAlike(start, start + shift));
  if (next !== undefined && !isFew) return { next: next + shift, isRest: false };
  return isCut || (after.length > 0 && !isFew) ? null : { next: null, isRest: true };
}

const isWeekend = (time: number) => new Date(time).getUTCDay() % 6 === 0;
const isAlike = (one: number, other: number) => isWeekend(one) === isWeekend(other);

/** Weeks in which it did not run yet say nothing if they are older than all others. */
function droppingOldest(weeks: readonly Finding[]): readonly Finding[] {
  return weeks.slice(0, 1 + weeks.findLastIndex((week) => week !== notYet));
}

function isAtRest([newest, ...older]: readonly Finding[], days: readonly Finding[]): boolean {
  const rests = older.filter(({ isRest }) => isRest).length;
  if (newest?.isRest === true || (older.length > 0 && rests >= older.length / 2)) return true;
  return days.length >= 2 && days.slice(0, 2).every(({ isRest }) => isRest);
}

function irregularDue(weeks: readonly Finding[], due: number, lastAt: number): number | null {
  return weeks.length > 0 && weeks.every(({ next }) => next !== null && next > lastAt) ? due : null;
}

type Proof = 'most' | 'three weeks' | 'all weeks';

/** By the mean gap: from its registration, or its first run if that is less than three weeks before the newest one. */
function proofOf(workflow: RawWorkflow, starts: readonly number[], interval: number): Proof {
  const { registeredAt, executedAt, executionCountByStatus: counts } = workflow;
  const hasThreeWeeks = (starts.at(-1) ?? 0) - (starts[0] ?? 0) >= 21 * dayMs;
  const begin = hasThreeWeeks ? Date.parse(registeredAt) : (starts[0] ?? 0);
  const gap = (Date.parse(executedAt ?? registeredAt) - begin) / (counts.success + counts.failure);
  if (gap > 4 * interval) return 'all weeks';
  return gap > 2 * interval && hasThreeWeeks ? 'three weeks' : 'most';
}

function regularDue(
  weeks: readonly Finding[],
  days: readonly Finding[],
  pattern: Pattern,
  proof: Proof,
): number | null {
  const findings = weeks.length >= 3 ? weeks : [...weeks, ...days];
  const times = findings.flatMap(({ next }) => next ?? []);
  const agreed = times.filter((time) => Math.abs(time - middle(times)) <= pattern.interval + 2 * pattern.grace);
  if (agreed.length <= findings.length / 2 || (weeks.length === 0 && agreed.length < 2)) return null;
  if (proof !== 'most' && (weeks.length < 3 || agreed.length < 3)) return null;
  if (proof === 'all weeks' && agreed.length < weeks.length) return null;
  return Math.max(pattern.overdueAt, middle(agreed) + pattern.grace);
}

/** How much quieter the quietest days of eight weeks were than the newest runs, at least 1. */
function quietness(runs: readonly RawExecution[], interval: number, begin: number, lastAt: number): number {
  const end = Math.floor(lastAt / dayMs);
  const first = Math.max(end - 56, Math.ceil(begin / dayMs));
  const ended = runs.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE');
  const perDay = Map.groupBy(ended, (run) => Math.floor(startOf(run) / dayMs));
  const counts = Array.from({ length: Math.max(0, end - first) }, (_, day) => perDay.get(first + day)?.length ?? 0);
  const block = Math.ceil((20 * counts.length) / total(counts));
  const sums: number[] = [];
  for (let day = 0; day + block <= counts.length; day += block) sums.push(total(counts.slice(day, day + block)));
  return sums.length === 0 ? 1 : Math.max(1, (block * dayMs) / (Math.min(...sums) * interval));
}

export type NeverRanFact = readonly [name: string, since: number, isActiveSince: boolean];

/** @returns the active workflows without any execution, a day or more after their activation */
export function recountNeverRan({ workflows, executions, deployments }: RawLists, at: number): readonly NeverRanFact[] {
  const hasRun = new Set(executions.map(({ workflowUUID }) => workflowUUID));
  return workflows
    .filter(({ uuid, status }) => status === 'ACTIVE' && !hasRun.has(uuid))
    .map((workflow): NeverRanFact => {
      const since = activeSince(workflow, deployments);
      return [workflow.name, since ?? Date.parse(workflow.registeredAt), since !== null];
    })
    .filter(([, since]) => at - since >= dayMs)
    .sort();
}

function activeSince({ uuid }: RawWorkflow, deployments: readonly RawDeployment[]): number | null {
  const own = deployments
    .filter(({ workflowUUID }) => workflowUUID === uuid)
    .map(({ status, deployedAt }) => ({ status, at: Date.parse(deployedAt) }));
  const ended = own.filter(({ status }) => ['PAUSED', 'DELETED'].includes(status)).map(({ at }) => at);
  const active = own.filter(({ status, at }) => status === 'ACTIVE' && ended.every((end) => at > end));
  return active.length === 0 ? null : Math.min(...active.map(({ at }) => at));
}
