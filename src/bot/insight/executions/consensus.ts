/** The consensus of an execution's nodes: one line for what they agree on, and the nodes that differ. */
import { type CooperativeTask, mapTask, sortTask } from '../../../shared/time/cooperative-task.ts';
import { type MergedLine, mergeNodeLogs, type NodeLine } from './merge-node-logs.ts';
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

/** A node compared with the majority of the nodes that logged. */
export type DifferingNode = {
  readonly node: string;
  /** Lines of this node that no majority has. */
  readonly ownLines: number;
  /** Lines that at least half of the nodes have and this one lacks. */
  readonly lackedLines: number;
  /** Lines whose value differs from the majority's. Without a majority no node differs. */
  readonly otherValues: number;
  /** Its first line with another value, else its first line that most nodes lack; null if there is neither. */
  readonly sample: string | null;
};

/** A node that logged something, then nothing for most of the log while at least two others went on. */
export type StoppedNode = { readonly node: string; readonly lastAt: number; readonly quietMs: number };

export type Consensus = {
  /** In time order. */
  readonly lines: readonly ConsensusLine[];
  /** All nodes that logged, in natural order (node-2 before node-10). */
  readonly nodes: readonly string[];
  /** Number of nodes that do not differ and have not stopped. */
  readonly agreeing: number;
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
  const differing = withSamples(yield* judge(merged, nodes, stopped), yield* samplesOf(lines, nodes));
  const atOdds = new Set([...differing, ...stopped].map(({ node }) => node));
  const silent = [...new Set(knownNodes)].filter((node) => !speaking.has(node));
  return {
    lines,
    nodes,
    agreeing: nodes.length - atOdds.size,
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

/** A stopped node is not compared with later lines: it is reported as stopped. */
function* judge(
  merged: readonly MergedLine[],
  names: readonly string[],
  stopped: readonly StoppedNode[],
): CooperativeTask<readonly Omit<DifferingNode, 'sample'>[]> {
  const found = names.map((node) => ({ node, ownLines: 0, lackedLines: 0, otherValues: 0 }));
  const stoppedAt = new Map(stopped.map(({ node, lastAt }) => [node, lastAt]));
  for (const { at, wordings } of merged) {
    yield;
    const saying = new Set(wordings.flatMap(({ nodes }) => nodes));
    if (saying.size === names.length && wordings.length === 1) continue;
    const isActive = (name: string, node: number) => saying.has(node) || (stoppedAt.get(name) ?? at) >= at;
    const activeCount = names.filter(isActive).length;
    found.forEach((counts, node) => {
      if (saying.has(node)) counts.ownLines += saying.size * 2 <= activeCount ? 1 : 0;
      else if (isActive(counts.node, node)) counts.lackedLines += saying.size * 2 >= activeCount ? 1 : 0;
    });
    const [main, ...others] = wordings;
    if (main.nodes.length * 2 <= saying.size) continue;
    for (const node of others.flatMap(({ nodes }) => nodes)) {
      const counts = found[node];
      if (counts) counts.otherValues += 1;
    }
  }
  return found.filter(({ ownLines, lackedLines, otherValues }) => ownLines + lackedLines + otherValues > 0);
}

type Samples = { readonly variants: ReadonlyMap<string, string>; readonly own: ReadonlyMap<string, string> };

function* samplesOf(lines: readonly ConsensusLine[], names: readonly string[]): CooperativeTask<Samples> {
  const [variants, own] = [new Map<string, string>(), new Map<string, string>()];
  for (const { message, nodes, missing, variants: others } of lines) {
    yield;
    if (variants.size === names.length) break;
    for (const variant of others) addFirst(variants, variant.nodes, variant.message);
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
