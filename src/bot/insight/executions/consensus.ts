/** The consensus of an execution's nodes: one line for what they agree on, and the nodes that differ. */
import { type CooperativeTask, mapTask, sortTask } from '../../../shared/time/cooperative-task.ts';
import { type MergedLine, mergeNodeLogs, type NodeLine } from './merge-node-logs.ts';
import { withoutOwnValues } from './message-template.ts';
import { parseTimestamp, type Timestamp } from './timeline.ts';

export type NodeLogLine = { readonly nodeID: string; readonly message: string; readonly timestamp: Timestamp };

/** The same line with other numbers or ids in it. */
export type LineVariant = { readonly message: string; readonly nodes: readonly string[] };

export type ConsensusLine = {
  /** The wording of most nodes. */
  readonly message: string;
  /** Epoch milliseconds on the median clock of the nodes. */
  readonly at: number;
  /** Nodes with this line, whatever its values. */
  readonly nodes: readonly string[];
  /** Nodes with other lines but not this one. Silent nodes are listed separately. */
  readonly missing: readonly string[];
  /** Other wordings, which differ from `message` only in numbers and ids; most nodes first. */
  readonly variants: readonly LineVariant[];
};

/** A node compared with the majority. */
export type DifferingNode = {
  readonly node: string;
  /** Lines of this node that the majority lacks. */
  readonly ownLines: number;
  /** Lines of the majority that this node lacks. */
  readonly lackedLines: number;
  /** Lines whose value differs from the majority's. */
  readonly otherValues: number;
  /** Its first line with another value, else its first line that most nodes lack; null if there is neither. */
  readonly sample: string | null;
};

/** Nodes that say the same. Values that a node measures itself, such as durations, do not separate nodes. */
type NodeGroup = {
  readonly nodes: readonly string[];
  /** Its wording of the first line on which the groups differ; null if it lacks that line, or there is only one group. */
  readonly sample: string | null;
};

/** A node that logged something, then nothing for most of the log while at least two others went on. */
type StoppedNode = { readonly node: string; readonly lastAt: number; readonly quietMs: number };

export type Consensus = {
  /** In time order. */
  readonly lines: readonly ConsensusLine[];
  /** All nodes that logged, in natural order (node-2 before node-10). */
  readonly nodes: readonly string[];
  /** All nodes that have not stopped, each in one group; the largest first. */
  readonly groups: readonly NodeGroup[];
  /** Size of the group that has more than half of these nodes; 0 without one: then the nodes disagree. */
  readonly agreeing: number;
  /** Nodes that differ from that group; empty without one. */
  readonly differing: readonly DifferingNode[];
  /** Known nodes without a single line. */
  readonly silent: readonly string[];
  readonly stopped: readonly StoppedNode[];
  /** Number of lines before merging, over all nodes. */
  readonly linesTotal: number;
};

export type ConsensusQuestion = {
  readonly logs: readonly NodeLogLine[];
  /** Nodes in the logs of a good execution, so that a silent node is noticed. */
  readonly knownNodes?: readonly string[];
};

/** The cost of each line grows with the number of nodes. Networks have some dozens. */
const nodesMax = 100;

/**
 * @param question log lines in any order; clocks may be seconds apart
 * @returns the consensus; beyond 100 nodes the last in natural order count as one, named by their number
 */
export function* consensusOf({ logs, knownNodes = [] }: ConsensusQuestion): CooperativeTask<Consensus> {
  const speaking = new Set(yield* mapTask(logs, ({ nodeID }) => nodeID));
  const numbers = new Map((yield* sortTask([...speaking], naturalOrder.compare)).map((node, index) => [node, index]));
  const nodes = namesOf([...numbers.keys()]);
  const { merged, lastAt } = yield* mergeNodeLogs(yield* nodeLines(logs, numbers), nodes.length);
  const stopped = stoppedNodes(merged[0]?.at ?? 0, lastAt, nodes);
  const lines = yield* mapTask(merged, (line) => lineOf(line, nodes));
  const groups = yield* groupNodes(merged, nodes, stopped);
  const [largest] = groups;
  const active = groups.reduce((sum, group) => sum + group.nodes.length, 0);
  const majority = largest !== undefined && largest.nodes.length * 2 > active ? largest : null;
  const differing =
    majority === null
      ? []
      : withSamples(yield* compareNodes(merged, nodes, stopped, majority), yield* samplesOf(lines, nodes));
  const silent = [...new Set(knownNodes)].filter((node) => !speaking.has(node));
  return {
    lines,
    nodes,
    groups,
    agreeing: majority?.nodes.length ?? 0,
    differing,
    silent: yield* sortTask(silent, naturalOrder.compare),
    stopped,
    linesTotal: logs.length,
  };
}

const naturalOrder = new Intl.Collator('en', { numeric: true });

function namesOf(nodes: readonly string[]): readonly string[] {
  if (nodes.length <= nodesMax) return nodes;
  return [...nodes.slice(0, nodesMax - 1), `${nodes.length - nodesMax + 1} other nodes`];
}

/** Lines in time order on each node. An unreadable time is replaced by the time of the line before. */
function* nodeLines(
  logs: readonly NodeLogLine[],
  numbers: ReadonlyMap<string, number>,
): CooperativeTask<readonly NodeLine[]> {
  let lastMs = 0;
  const lines = yield* mapTask(logs, ({ nodeID, message, timestamp }) => {
    lastMs = parseTimestamp(timestamp) ?? lastMs;
    return { node: Math.min(numbers.get(nodeID) ?? 0, nodesMax - 1), message, at: lastMs };
  });
  return yield* sortTask(lines, (one, other) => one.at - other.at);
}

function lineOf({ at, wordings: [main, ...others] }: MergedLine, names: readonly string[]): ConsensusLine {
  const named = (nodes: readonly number[]) =>
    nodes.toSorted((one, other) => one - other).map((node) => names[node] ?? '');
  const saying = new Set([main, ...others].flatMap(({ nodes }) => nodes));
  return {
    message: main.message,
    at,
    nodes: named([...saying]),
    missing: saying.size === names.length ? [] : names.filter((_, node) => !saying.has(node)),
    variants: others.map(({ message, nodes }) => ({ message, nodes: named(nodes) })),
  };
}

function isUnanimous({ wordings: [main, ...others] }: MergedLine, nodeCount: number): boolean {
  return others.length === 0 && main.nodes.length === nodeCount;
}

/** For each node the number of its wording, equal for wordings that differ in values of their own only; -1 if it lacks the line. */
function comparedPositions({ wordings }: MergedLine, names: readonly string[]): readonly number[] {
  const positions = names.map(() => -1);
  const known = new Map<string, number>();
  for (const { message, nodes } of wordings) {
    const text =
      wordings.length === 1
        ? message
        : comparedText(
            message,
            nodes.map((node) => names[node] ?? ''),
          );
    const position = known.get(text) ?? known.size;
    known.set(text, position);
    for (const node of nodes) positions[node] = position;
  }
  return positions;
}

/** A shorter name may be part of a value. */
const nameUnitsMin = 4;

/** @param nodes that say it @returns the text without values of its own, and without the name of a node that speaks of itself */
function comparedText(message: string, [name = '', ...others]: readonly string[]): string {
  const isOfItself = others.length === 0 && name.length >= nameUnitsMin && /[a-z]/i.test(name);
  return withoutOwnValues(isOfItself ? message.replaceAll(name, '#') : message);
}

/** Divides the nodes line by line: those in one group have the same wording of every line. */
function* groupNodes(
  merged: readonly MergedLine[],
  names: readonly string[],
  stopped: readonly StoppedNode[],
): CooperativeTask<readonly NodeGroup[]> {
  const hasStopped = new Set(stopped.map(({ node }) => node));
  const active = names.flatMap((name, node) => (hasStopped.has(name) ? [] : [node]));
  let groupOf: ReadonlyMap<number, number> = new Map(active.map((node) => [node, 0]));
  let groupCount = Math.min(1, active.length);
  let firstSplit: MergedLine | null = null;
  let undecided: MergedLine | null = null;
  for (const line of merged) {
    yield;
    if (groupCount === active.length) break;
    if (isUnanimous(line, names.length)) continue;
    const positions = comparedPositions(line, names);
    const known = new Map<string, number>();
    groupOf = new Map(
      active.map((node) => {
        const key = `${groupOf.get(node)} ${positions[node]}`;
        const next = known.get(key) ?? known.size;
        known.set(key, next);
        return [node, next];
      }),
    );
    if (known.size > groupCount) firstSplit ??= line;
    if (undecided === null && !hasMajority(active.map((node) => positions[node] ?? -1))) undecided = line;
    groupCount = known.size;
  }
  const split = undecided ?? firstSplit;
  return [...Map.groupBy(active, (node) => groupOf.get(node) ?? 0).values()]
    .sort((one, other) => other.length - one.length || (one[0] ?? 0) - (other[0] ?? 0))
    .map((nodes) => ({
      nodes: nodes.map((node) => names[node] ?? ''),
      sample: split === null ? null : wordingOf(split, nodes[0]),
    }));
}

function hasMajority(positions: readonly number[]): boolean {
  return [...Map.groupBy(positions, (position) => position).values()].some(
    ({ length }) => length * 2 > positions.length,
  );
}

function wordingOf({ wordings }: MergedLine, node: number | undefined): string | null {
  return wordings.find(({ nodes }) => node !== undefined && nodes.includes(node))?.message ?? null;
}

/** A stopped node is not compared with later lines: it is reported as stopped. */
function* compareNodes(
  merged: readonly MergedLine[],
  names: readonly string[],
  stopped: readonly StoppedNode[],
  majority: NodeGroup,
): CooperativeTask<readonly Omit<DifferingNode, 'sample'>[]> {
  const found = names.map((node) => ({ node, ownLines: 0, lackedLines: 0, otherValues: 0 }));
  const stoppedAt = new Map(stopped.map(({ node, lastAt }) => [node, lastAt]));
  const reference = names.indexOf(majority.nodes[0] ?? '');
  for (const line of merged) {
    yield;
    if (isUnanimous(line, names.length)) continue;
    const positions = comparedPositions(line, names);
    const expected = positions[reference] ?? -1;
    found.forEach((counts, node) => {
      const position = positions[node] ?? -1;
      const hasEnded = (stoppedAt.get(counts.node) ?? line.at) < line.at;
      if (position === expected || (position < 0 && hasEnded)) return;
      if (position < 0) counts.lackedLines += 1;
      else if (expected < 0) counts.ownLines += 1;
      else counts.otherValues += 1;
    });
  }
  return found.filter(({ ownLines, lackedLines, otherValues }) => ownLines + lackedLines + otherValues > 0);
}

type Samples = { readonly variants: ReadonlyMap<string, string>; readonly own: ReadonlyMap<string, string> };

function* samplesOf(lines: readonly ConsensusLine[], names: readonly string[]): CooperativeTask<Samples> {
  const [variants, own] = [new Map<string, string>(), new Map<string, string>()];
  for (const { message, nodes, missing, variants: others } of lines) {
    yield;
    if (variants.size === names.length) break;
    const varying = new Set(others.flatMap((variant) => variant.nodes));
    const text = comparedText(message, others.length === 0 ? [] : nodes.filter((node) => !varying.has(node)));
    for (const variant of others)
      if (comparedText(variant.message, variant.nodes) !== text) addFirst(variants, variant.nodes, variant.message);
    if (missing.length > nodes.length) addFirst(own, nodes, message);
  }
  return { variants, own };
}

function addFirst(samples: Map<string, string>, nodes: readonly string[], message: string): void {
  for (const node of nodes) if (!samples.has(node)) samples.set(node, message);
}

function withSamples(found: readonly Omit<DifferingNode, 'sample'>[], { variants, own }: Samples) {
  return found.map((each) => ({ ...each, sample: variants.get(each.node) ?? own.get(each.node) ?? null }));
}

/** A node may have nothing to log for a while. */
const quietMsMin = 5_000;

function stoppedNodes(firstAt: number, lastAt: readonly number[], nodes: readonly string[]): readonly StoppedNode[] {
  const secondLatest = lastAt.toSorted((one, other) => other - one)[1];
  if (secondLatest === undefined) return [];
  return nodes.flatMap((node, index) => {
    const nodeLastAt = lastAt[index] ?? secondLatest;
    const quietMs = secondLatest - nodeLastAt;
    const hasStopped = quietMs >= quietMsMin && quietMs * 2 > secondLatest - firstAt;
    return hasStopped ? [{ node, lastAt: nodeLastAt, quietMs }] : [];
  });
}
