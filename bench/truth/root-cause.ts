/** Probable causes of a failure: how often a fault of some nodes is named although the others waited for another reason. */
import { consensusOf, type NodeLogLine } from '../../src/bot/insight/executions/consensus.ts';
import { findRootCause, type RootCause } from '../../src/bot/insight/executions/root-cause.ts';
import { type Chance, createChance } from '../../test/support/insight/arrivals.ts';
import { finished } from '../../test/support/runner/finished.ts';
import type { TruthSection } from './section.ts';

const origin = Date.parse('2026-11-20T10:00:00Z');
const executionsEach = 1_500;
const skewMs = 40;

const faults: readonly ((chance: Chance) => string)[] = [
  () => 'x509: certificate has expired or is not yet valid',
  (chance) => `dial tcp: lookup rpc${chance.between(1, 9)}.example on 10.0.0.2:53: no such host`,
  (chance) => `dial tcp 10.0.0.${chance.between(1, 99)}:8545: connect: connection refused`,
  () => 'POST https://api.example/v1: 401 Unauthorized',
  () => 'HTTP 429 Too Many Requests',
  () => 'JavaScript heap out of memory',
  () => 'write /var/lib/node/wal: no space left on device',
  () => 'panic: runtime error: invalid memory address or nil pointer dereference',
  () => 'secret LEDGER_TOKEN not found',
];
const wrappings: readonly ((text: string, chance: Chance) => string)[] = [
  (text) => text,
  (text, chance) => `level=error took=${chance.between(5, 900)}ms err="fetching price: ${text}"`,
  (text, chance) => JSON.stringify({ level: 'error', ts: chance.between(1e9, 2e9), msg: `capability failed: ${text}` }),
  (text, chance) => `attempt ${chance.between(1, 3)} of 3 failed: ${text}`,
];
/** What a node says that has waited for the others in vain. */
const waits: readonly ((able: number, total: number, needed: number) => string)[] = [
  (able, total) => `no quorum: ${able} of ${total} responses`,
  (able, total) => `consensus failed: only ${able}/${total} nodes responded within 30s`,
  (able, _total, needed) => `not enough observations, have ${able} want ${needed}`,
  (_able, _total, needed) => `Fewer than ${needed} nodes agreed on the same value`,
  () => 'context deadline exceeded waiting for observations',
  () => 'quorum not reached within 20s',
];
const usualNoise = ['cache miss, fetching again', 'HTTP 429 Too Many Requests', 'slow peer, asking another node'];

function pick<Value>(values: readonly Value[], chance: Chance): Value {
  const value = values[chance.between(0, values.length - 1)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

type Line = { readonly node: number; readonly ms: number; readonly message: string };

type Course = {
  readonly lines: readonly Line[];
  /** Nodes whose fault stopped the others; empty if it was something else. */
  readonly guilty: readonly number[];
  /** The log has no error: each node's first one is in the errors of the execution, without its name. */
  readonly isOnlyReported?: boolean;
};

/** A network that can lose `spare` nodes. */
function createNetwork(chance: Chance) {
  const total = pick([4, 7, 9, 10, 13], chance);
  const spare = Math.floor((total - 1) / 3);
  const nodes = Array.from({ length: total }, (_, node) => node).sort(() => chance.unit() - 0.5);
  const someLost = () => chance.between(spare + 1, total - 2);
  const effect = pick(waits, chance);
  const waiting = (able: readonly number[]): readonly Line[] =>
    able.map((node) => ({
      node,
      ms: 5_000 + chance.between(0, 200),
      message: effect(able.length, total, total - spare),
    }));
  const failing = (some: readonly number[], fault: string, isWrapped: boolean, fromMs = 100): readonly Line[] =>
    some.map((node) => ({
      node,
      ms: fromMs + chance.between(0, 900),
      message: isWrapped ? pick(wrappings, chance)(fault, chance) : fault,
    }));
  return { total, nodes, someLost, waiting, failing };
}

/** Faults that a node has by chance and that change nothing. */
function strayFaults(nodes: readonly number[], rate: number, chance: Chance): readonly Line[] {
  return nodes
    .filter(() => chance.hits(rate))
    .map((node) => ({ node, ms: chance.between(100, 4_800), message: pick(faults, chance)(chance) }));
}

type Family = readonly [name: string, make: (chance: Chance) => Course];

const explained =
  (isWrapped: boolean, strayRate: number) =>
  (chance: Chance): Course => {
    const { nodes, someLost, waiting, failing } = createNetwork(chance);
    const lost = someLost();
    const [guilty, able] = [nodes.slice(0, lost), nodes.slice(lost)];
    const lines = [...failing(guilty, pick(faults, chance)(chance), isWrapped), ...waiting(able)];
    return { lines: [...lines, ...strayFaults(able, strayRate, chance)], guilty };
  };

/** Slow nodes are lost; they say nothing, or that they were late. */
const slowNodes =
  (strayRate: number, isLate = false) =>
  (chance: Chance): Course => {
    const { nodes, someLost, waiting } = createNetwork(chance);
    const lost = someLost();
    const slow = nodes.slice(0, lost).map((node) => ({ node, ms: 9_000, message: 'context deadline exceeded' }));
    const stray = strayFaults(nodes, strayRate, chance).map((line) => ({
      ...line,
      ms: line.ms + (isLate ? 5_400 : 0),
    }));
    return { lines: [...slow, ...waiting(nodes.slice(lost)), ...stray], guilty: [] };
  };

function harmless(chance: Chance): Course {
  const { nodes, someLost, waiting, failing } = createNetwork(chance);
  const some = nodes.toSorted(() => chance.unit() - 0.5).slice(0, chance.between(1, nodes.length - 1));
  const lines = [...waiting(nodes.slice(someLost())), ...failing(some, pick(faults, chance)(chance), true)];
  return { lines, guilty: [] };
}

const families: readonly Family[] = [
  ['a fault of some nodes', explained(false, 0)],
  ['the same, wrapped, with values of each node', explained(true, 0)],
  ['the same, and stray faults on 2 % of the others', explained(true, 0.02)],
  ['slow nodes, no fault', slowNodes(0)],
  ['slow nodes, stray faults on 2 % of the nodes', slowNodes(0.02)],
  ['slow nodes, stray faults on 10 % of the nodes', slowNodes(0.1)],
  ['slow nodes, stray faults on 30 % of the nodes', slowNodes(0.3)],
  ['slow nodes, faults on 30 % of the nodes only afterwards', slowNodes(0.3, true)],
  [
    'one node slow and named, a stray fault on 5 % of the nodes',
    (chance) => {
      const { nodes } = createNetwork(chance);
      const [slow = 0, ...able] = nodes;
      const message = `no answer from node-${slow + 1} within 20s`;
      const lines = able.map((node) => ({ node, ms: 5_000 + chance.between(0, 200), message }));
      return { lines: [...lines, ...strayFaults(nodes, 0.05, chance)], guilty: [] };
    },
  ],
  [
    'one node named, because of its fault',
    (chance) => {
      const { nodes, failing } = createNetwork(chance);
      const [bad = 0, ...able] = nodes;
      const message = `observations deviate by 4.1 % (limit 2.0 %): median 2315.22, node-${bad + 1} 2411.07`;
      const lines = able.map((node) => ({ node, ms: 5_000 + chance.between(0, 200), message }));
      return { lines: [...lines, ...failing([bad], pick(faults, chance)(chance), true)], guilty: [bad] };
    },
  ],
  [
    'slow nodes, and a fault that the last good run has as well',
    (chance) => {
      const course = slowNodes(0)(chance);
      const usual = course.lines.map(({ node }) => ({ node, ms: 90, message: 'HTTP 429 Too Many Requests' }));
      return { ...course, lines: [...course.lines, ...usual.filter(() => chance.hits(0.5))] };
    },
  ],
  ['slow nodes, and one harmless fault on several nodes', harmless],
];

const onlyReported =
  (make: Family[1]): Family[1] =>
  (chance) => ({ ...make(chance), isOnlyReported: true });

/** Without a log to tell them apart, wrapped texts are errors of their own. */
const reportedFamilies: readonly Family[] = [
  ['only reported: a fault of some nodes', onlyReported(explained(false, 0))],
  ['only reported: slow nodes, stray faults on 10 % of the nodes', onlyReported(slowNodes(0.1))],
  ['only reported: slow nodes, one harmless fault on several nodes', onlyReported(harmless)],
];

function errorsOf({ lines, isOnlyReported = false }: Course) {
  if (!isOnlyReported) return [];
  const firsts = new Map(lines.toSorted((one, other) => other.ms - one.ms).map(({ node, message }) => [node, message]));
  return [...Map.groupBy(firsts.values(), (message) => message)].map(([error, { length }]) => ({
    error,
    count: length,
  }));
}

/** Every node logs that it began, so that a node without a fault is not silent. */
function logsOf({ lines, isOnlyReported = false }: Course, chance: Chance): readonly NodeLogLine[] {
  const nodes = [...new Set(lines.map(({ node }) => node))];
  const began = Array.from({ length: 1 + Math.max(...nodes) }, (_, node) => ({ node, ms: 0, message: 'started' }));
  const offMs = began.map(() => chance.between(-skewMs, skewMs));
  return [...began, ...(isOnlyReported ? [] : lines)].map(({ node, ms, message }) => ({
    nodeID: `node-${node + 1}`,
    message,
    timestamp: origin + ms + (offMs[node] ?? 0),
  }));
}

function isTrue({ nodes, nodeCount }: RootCause, { guilty }: Course): boolean {
  return (
    guilty.length > 0 &&
    nodeCount === guilty.length &&
    nodes.every((node) => guilty.some((bad) => node === `node-${bad + 1}`))
  );
}

function rowOf([name, make]: Family, index: number): readonly (string | number)[] {
  let [said, wrong, explainable] = [0, 0, 0];
  for (let seed = 0; seed < executionsEach; seed += 1) {
    const chance = createChance(seed, 900 + index);
    const course = make(chance);
    const consensus = finished(consensusOf({ logs: logsOf(course, chance) }));
    const found = finished(
      findRootCause({ errors: errorsOf(course), consensus, usualMessages: ['started', ...usualNoise] }),
    );
    explainable += course.guilty.length > 0 ? 1 : 0;
    said += found === null ? 0 : 1;
    wrong += found === null || isTrue(found, course) ? 0 : 1;
  }
  const percent = (part: number, of: number) => (of === 0 ? '' : `${((100 * part) / of).toFixed(1)} %`);
  return [name, executionsEach, percent(said - wrong, explainable), percent(wrong, executionsEach)];
}

export async function measure(): Promise<TruthSection> {
  return {
    title: 'Probable cause of what the others say',
    head: ['Family', 'Executions', 'Found', 'False, of all'],
    rows: [...families, ...reportedFamilies].map(rowOf),
  };
}
