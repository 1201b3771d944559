/** Merges the logs of many nodes: equal lines first, then lines that differ in values only, on one clock. */
import {
  type CooperativeTask,
  groupTask,
  mapTask,
  mergeTask,
  sortTask,
} from '../../../shared/time/cooperative-task.ts';
import { median } from '../statistics.ts';
import { messageTemplate } from './message-template.ts';

/** One line of one node; `at` is epoch milliseconds on the node's own clock. Nodes are numbered from 0. */
export type NodeLine = { readonly node: number; readonly message: string; readonly at: number };

/** Equal lines of some nodes. */
type Wording = {
  readonly message: string;
  readonly nodes: readonly number[];
  /** Epoch milliseconds on the median clock of the nodes. */
  readonly at: number;
  /** Order of first appearance; decides between lines of the same moment. */
  readonly order: number;
};

/** One line of the merged log, in one wording or several; most nodes first. */
export type MergedLine = {
  readonly at: number;
  readonly order: number;
  readonly wordings: readonly [Wording, ...Wording[]];
};

/**
 * The n-th occurrence of a text on one node matches the n-th on another. Lines that are left on some nodes only are merged
 * if they differ only in numbers and ids. Linear in the number of lines for any usual number of nodes.
 * @param lines in time order on each node
 * @returns merged lines in time order, and each node's last moment on the median clock
 */
export function* mergeNodeLogs(lines: readonly NodeLine[], nodeCount: number): CooperativeTask<MergedLog> {
  const equal = yield* groupEqual(lines);
  const offsets = clockOffsets(
    equal.filter(({ moments }) => moments.length > 1),
    nodeCount,
  );
  const onMiddleClock = ([node, ms]: Moment) => ms - (offsets[node] ?? 0);
  const shared = yield* mapTask(equal, ({ message, moments }, order): Wording => {
    return { message, nodes: moments.map(([node]) => node), at: median(moments.map(onMiddleClock)), order };
  });
  const isWhole = ({ nodes }: Wording) => nodes.length === nodeCount;
  const merged = [...(yield* mapTask(shared.filter(isWhole), (line) => mergeWordings([line])))];
  const others = shared.filter((line) => !isWhole(line));
  for (const variants of (yield* groupTask(others, ({ message }) => messageTemplate(message))).values()) {
    for (const { wordings } of yield* mergeVariants(variants)) {
      merged.push(mergeWordings(wordings));
      yield;
    }
  }
  const sorted = yield* sortTask(merged, byTime);
  return { merged: sorted, lastAt: yield* lastMoments(sorted, lines, offsets) };
}

/** The clock of a node that shares no equal line is not known: it spoke last in its last line that others have in other words. */
function* lastMoments(
  merged: readonly MergedLine[],
  lines: readonly NodeLine[],
  offsets: readonly (number | null)[],
): CooperativeTask<readonly number[]> {
  const lastAt = offsets.map(() => Number.NEGATIVE_INFINITY);
  const note = (node: number, at: number) => {
    lastAt[node] = Math.max(lastAt[node] ?? at, at);
  };
  for (const { node, at } of lines) if (typeof offsets[node] === 'number') note(node, at - offsets[node]);
  for (const { at, wordings } of merged) {
    yield;
    if (wordings.length === 1) continue;
    for (const { nodes } of wordings) for (const node of nodes) if (offsets[node] === null) note(node, at);
  }
  const isUnheard = lastAt.map((at) => at === Number.NEGATIVE_INFINITY);
  for (const { node, at } of lines) if (isUnheard[node]) note(node, at);
  return lastAt;
}

export type MergedLog = { readonly merged: readonly MergedLine[]; readonly lastAt: readonly number[] };

type Moment = readonly [node: number, ms: number];
type EqualLines = { readonly message: string; readonly moments: Moment[] };

function* groupEqual(lines: readonly NodeLine[]): CooperativeTask<readonly EqualLines[]> {
  const byMessage = new Map<string, { readonly times: EqualLines[]; readonly countOf: Map<number, number> }>();
  const all: EqualLines[] = [];
  for (const { node, message, at } of lines) {
    const known = byMessage.get(message) ?? { times: [], countOf: new Map<number, number>() };
    byMessage.set(message, known);
    const earlier = known.countOf.get(node) ?? 0;
    known.countOf.set(node, earlier + 1);
    let line = known.times[earlier];
    if (!line) {
      line = { message, moments: [] };
      known.times.push(line);
      all.push(line);
    }
    line.moments.push([node, at]);
    yield;
  }
  return all;
}

function mergeWordings(wordings: readonly [Wording, ...Wording[]]): MergedLine {
  const [first, ...others] = wordings;
  const sorted =
    others.length === 0
      ? wordings
      : [first, ...others].sort((one, other) => other.nodes.length - one.nodes.length || byTime(one, other));
  const moments = wordings.flatMap(({ nodes, at }) => nodes.map(() => at));
  const order = Math.min(...wordings.map((line) => line.order));
  return { at: median(moments), order, wordings: [sorted[0] ?? first, ...sorted.slice(1)] };
}

/** A merged line under construction. */
type Draft = Timed & { readonly nodes: Set<number>; readonly wordings: [Wording, ...Wording[]] };

/** @param lines all of one template: those of most nodes open drafts, the others join a draft without their nodes */
function* mergeVariants(lines: readonly Wording[]): CooperativeTask<readonly Draft[]> {
  const rows = yield* groupTask(lines, ({ nodes }) => `${nodes.length} ${nodes[0]}`);
  let drafts: readonly Draft[] = [];
  for (const row of [...rows.values()].sort(byFirstLine)) {
    const rest = yield* fillDrafts(yield* sortTask(row, byTime), drafts);
    drafts = yield* mergeTask(drafts, yield* mapTask(rest, draftOf), byTime);
  }
  return drafts;
}

function byFirstLine([one]: readonly Wording[], [other]: readonly Wording[]): number {
  if (!one || !other) return 0;
  return other.nodes.length - one.nodes.length || (one.nodes[0] ?? 0) - (other.nodes[0] ?? 0);
}

/** @param row in time order @returns the lines that joined no draft, in the same order */
function* fillDrafts(row: readonly Wording[], drafts: readonly Draft[]): CooperativeTask<readonly Wording[]> {
  const free = drafts.filter(({ nodes }) => !nodes.has(row[0]?.nodes[0] ?? -1));
  if (free.length === 0) return row;
  // As many free drafts as lines: the order alone decides, whatever the clocks say.
  const isOneToOne = free.length === row.length;
  const rest: Wording[] = [];
  let next = 0;
  for (const [index, line] of row.entries()) {
    const found = isOneToOne ? index : nearest(free, line, next);
    const draft = found === null ? undefined : free[found];
    if (found === null || !draft || line.nodes.some((node) => draft.nodes.has(node))) rest.push(line);
    else {
      draft.wordings.push(line);
      for (const node of line.nodes) draft.nodes.add(node);
      next = found + 1;
    }
    yield;
  }
  return rest;
}

/** Drafts further away in the order are not considered, so that the cost stays bounded. */
const reach = 8;

function nearest(drafts: readonly Draft[], line: Wording, from: number): number | null {
  const middle = firstNotBefore(drafts, line.at, from);
  let best: number | null = null;
  for (let index = Math.max(from, middle - reach); index < Math.min(drafts.length, middle + reach); index += 1) {
    const draft = drafts[index];
    if (!draft || line.nodes.some((node) => draft.nodes.has(node))) continue;
    const bestAt = best === null ? Number.POSITIVE_INFINITY : (drafts[best]?.at ?? Number.POSITIVE_INFINITY);
    if (Math.abs(draft.at - line.at) < Math.abs(bestAt - line.at)) best = index;
  }
  return best;
}

function firstNotBefore(drafts: readonly Draft[], at: number, from: number): number {
  let [low, high] = [from, drafts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((drafts[middle]?.at ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function draftOf(line: Wording): Draft {
  return { at: line.at, order: line.order, nodes: new Set(line.nodes), wordings: [line] };
}

type Timed = { readonly at: number; readonly order: number };

function byTime(one: Timed, other: Timed): number {
  return one.at - other.at || one.order - other.order;
}

/** The moments of one line: pairs of a node's number and epoch milliseconds on that node's clock. */
export type Sighting = { readonly moments: readonly (readonly [node: number, ms: number])[] };

/** This many lines are enough to estimate a clock's offset. */
const sampledMax = 201;

/**
 * @param sightings of lines that at least two nodes have; all lines weigh the same
 * @param nodeCount nodes are numbered from 0
 * @returns for each node the milliseconds its clock is ahead of the median; null if unknown
 */
export function clockOffsets(sightings: readonly Sighting[], nodeCount: number): readonly (number | null)[] {
  const step = Math.max(1, Math.ceil(sightings.length / sampledMax));
  const sampled = sightings.filter((_, index) => index % step === 0);
  const reference = mostFrequentNode(sampled, nodeCount);
  const differences: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const { moments } of sampled) {
    const base = moments.find(([node]) => node === reference)?.[1];
    if (base !== undefined) for (const [node, ms] of moments) differences[node]?.push(ms - base);
  }
  const offsets = differences.map((ahead) => (ahead.length === 0 ? null : median(ahead)));
  const middle = median(offsets.filter((offset) => offset !== null));
  return offsets.map((offset) => (offset === null ? null : offset - middle));
}

function mostFrequentNode(sightings: readonly Sighting[], nodeCount: number): number {
  const counts = Array.from({ length: nodeCount }, () => 0);
  for (const { moments } of sightings) for (const [node] of moments) counts[node] = (counts[node] ?? 0) + 1;
  return counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0));
}
