/** What the nodes of an execution said: one line for what they said alike, and who differs. */
import { type Moment, millisecondsOf } from './moment.ts';
import { overlay, type Place, type SaidLine } from './node-lines.ts';

export type NodeLogLine = { readonly nodeID: string; readonly message: string; readonly timestamp: Moment };

/** The same line with other numbers or ids in it. */
export type LineVariant = { readonly message: string; readonly nodes: readonly string[] };

export type ConsensusLine = {
  /** As most of its nodes say it. */
  readonly message: string;
  /** Epoch milliseconds on the middle one of the nodes' clocks. */
  readonly at: number;
  /** Who says it, with these values or with others. */
  readonly nodes: readonly string[];
  /** Who says other things, and not this. Silent nodes are not repeated here. */
  readonly missing: readonly string[];
  /** The other ways of saying it, which differ from `message` in numbers and ids only; most nodes first. */
  readonly variants: readonly LineVariant[];
};

/** Judged against what more than half of the speaking nodes do. */
export type DifferingNode = {
  readonly node: string;
  /** Lines that this node has and no majority has. */
  readonly ownLines: number;
  /** Lines that at least half of the nodes have, and this one lacks. */
  readonly lackedLines: number;
  /** Lines in which it has another value than a majority of those who say them. Where there is none, nobody differs. */
  readonly otherValues: number;
};

/** A node that said something, and then nothing for most of the log's length while two or more others went on. */
export type StoppedNode = { readonly node: string; readonly lastAt: number; readonly quietMs: number };

export type Consensus = {
  /** In time order. */
  readonly lines: readonly ConsensusLine[];
  /** All that said anything, in natural order (node-2 before node-10). */
  readonly nodes: readonly string[];
  /** How many of `nodes` differ in nothing and have not stopped. */
  readonly agreeing: number;
  readonly differing: readonly DifferingNode[];
  /** Known nodes without a single line. */
  readonly silent: readonly string[];
  readonly stopped: readonly StoppedNode[];
  /** Lines as they came, every node's counted. */
  readonly linesTotal: number;
};

export type ConsensusQuestion = {
  readonly logs: readonly NodeLogLine[];
  /** Nodes that usually speak, as a good execution's logs name them, so that silence is noticed. */
  readonly knownNodes?: readonly string[];
};

/** @param question log lines in any order; clocks may be seconds apart */
export function consensusOf({ logs, knownNodes = [] }: ConsensusQuestion): Consensus {
  const nodes = [...new Set(logs.map(({ nodeID }) => nodeID))].sort(naturalOrder.compare);
  const { places, lastAt } = overlay(saidLines(logs, nodes), nodes.length);
  const stopped = stoppedNodes(places[0]?.at ?? 0, lastAt, nodes);
  const differing = judge(places, nodes, stopped);
  const atOdds = new Set([...differing, ...stopped].map(({ node }) => node));
  const speaking = new Set(nodes);
  return {
    lines: places.map((place) => lineOf(place, nodes)),
    nodes,
    agreeing: nodes.length - atOdds.size,
    differing,
    silent: [...new Set(knownNodes)].filter((node) => !speaking.has(node)).sort(naturalOrder.compare),
    stopped,
    linesTotal: logs.length,
  };
}

const naturalOrder = new Intl.Collator('en', { numeric: true });

/** In time order on each node. A time that is none is taken for that of the line before it. */
function saidLines(logs: readonly NodeLogLine[], nodes: readonly string[]): readonly SaidLine[] {
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  let lastMs = 0;
  const said = logs.map(({ nodeID, message, timestamp }) => {
    lastMs = millisecondsOf(timestamp) ?? lastMs;
    return { node: numbers.get(nodeID) ?? 0, message, at: lastMs };
  });
  return said.sort((one, other) => one.at - other.at);
}

function lineOf({ at, wordings: [main, ...others] }: Place, names: readonly string[]): ConsensusLine {
  const namesOf = (nodes: readonly number[]) =>
    nodes.toSorted((one, other) => one - other).map((node) => names[node] ?? '');
  const saying = new Set([main, ...others].flatMap(({ nodes }) => nodes));
  return {
    message: main.message,
    at,
    nodes: namesOf([...saying]),
    missing: saying.size === names.length ? [] : names.filter((_, node) => !saying.has(node)),
    variants: others.map(({ message, nodes }) => ({ message, nodes: namesOf(nodes) })),
  };
}

/** A node that has stopped is not asked about what was said later: it is named for stopping. */
function judge(places: readonly Place[], names: readonly string[], stopped: readonly StoppedNode[]) {
  const found = names.map((node) => ({ node, ownLines: 0, lackedLines: 0, otherValues: 0 }));
  const stoppedAt = new Map(stopped.map(({ node, lastAt }) => [node, lastAt]));
  for (const { at, wordings } of places) {
    const saying = new Set(wordings.flatMap(({ nodes }) => nodes));
    if (saying.size === names.length && wordings.length === 1) continue;
    const isAsked = (name: string, node: number) => saying.has(node) || (stoppedAt.get(name) ?? at) >= at;
    const askedCount = names.filter(isAsked).length;
    found.forEach((counts, node) => {
      if (saying.has(node)) counts.ownLines += saying.size * 2 <= askedCount ? 1 : 0;
      else if (isAsked(counts.node, node)) counts.lackedLines += saying.size * 2 >= askedCount ? 1 : 0;
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

/** A node may have nothing to say for a while. */
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
