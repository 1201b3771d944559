/** Agreement of nodes: how often nodes that agree are said to differ, and the other way round, over logs whose groups are known. */
import { consensusOf, type NodeLogLine } from '../../src/bot/insight/executions/consensus.ts';
import { type Chance, createChance } from '../../test/support/insight/arrivals.ts';
import { finished } from '../../test/support/runner/finished.ts';
import type { TruthSection } from './section.ts';

const origin = Date.parse('2026-11-20T10:00:00Z');
const executionsEach = 400;

/** Values that every node measures or makes itself. */
const ownValues: readonly ((chance: Chance, node: number) => string)[] = [
  (chance) => `fetched the price in ${chance.between(20, 900)} ms`,
  (chance) => `request completed, took=${chance.between(20, 900)}ms`,
  (chance) => `http call finished after ${(chance.between(100, 9000) / 1000).toFixed(3)} seconds`,
  (chance) => `elapsed: ${chance.between(1, 59)}.${chance.between(100, 999)}s`,
  (chance) => `responded with 200 (latency_ms=${chance.between(20, 900)})`,
  (chance) => `{"level":"info","msg":"observed","duration_ms":${chance.between(1, 900)}}`,
  (chance) => `received report at 10:00:0${chance.between(0, 9)}.${chance.between(100, 999)}`,
  (chance) => `received at 2026-11-20T10:00:0${chance.between(0, 9)}.${chance.between(100, 999)}Z`,
  (chance) => `{"ts":17951${chance.between(100000000, 999999999)},"msg":"start"}`,
  (chance) => `ts=1795144${chance.between(100, 999)} msg=ready`,
  (chance) => `requestId: ${hex(chance, 16)} sent`,
  (chance) => `trace ${hex(chance, 8)}: calling the api`,
  (chance) => `request_id=${uuid(chance)} accepted`,
  (chance) => `connection from 10.0.0.${chance.between(1, 99)}:${chance.between(32_768, 60_999)} accepted`,
  (chance) => `goroutine ${chance.between(10, 9000)} started`,
  (chance) => `heap in use: ${chance.between(10, 90)} MB`,
  (chance) => `memory=${chance.between(10, 90)}.${chance.between(0, 9)}MiB`,
  (chance) => `cpu ${chance.between(1, 99)}%`,
  (chance) => `retrying in ${chance.between(100, 900)}ms`,
  (chance) => `slept for ${chance.between(100, 900)} milliseconds`,
  (_, node) => `node-${node + 1} is ready`,
];

/** The same in words that the rule was not made with. */
const unseenValues: typeof ownValues = [
  (chance) => `gc pause ${chance.between(1, 90)}.${chance.between(0, 9)}ms`,
  (chance) => `cost ${chance.between(20, 900)} µs`,
  (chance) => `wall=${chance.between(1, 9)}m${chance.between(1, 59)}s`,
  (chance) => `span_id=${hex(chance, 16)} closed`,
  (chance) => `session ${uuid(chance)} opened`,
  (chance) => `queue depth ${chance.between(1, 900)}`,
  (chance) => `seq=${chance.between(1000, 9000)} sent`,
  (chance) => `open files: ${chance.between(10, 900)}`,
  (chance) => `using endpoint ${chance.between(1, 90)}`,
  (chance) => `message id ${hex(chance, 12)}`,
];

/** Values that nodes share; another one is a difference. */
const sharedValues: readonly ((chance: Chance) => string)[] = [
  (chance) => `price is ${chance.between(1000, 9000)}.${chance.between(10, 99)}`,
  (chance) => `latest block ${chance.between(19_000_000, 19_999_999)}`,
  (chance) => `block hash 0x${hex(chance, 64)}`,
  (chance) => `status code ${chance.between(200, 599)}`,
  (chance) => `{"result":{"balance":"${chance.between(1_000, 999_999)}"}}`,
  (chance) => `answer=${chance.between(1, 999_999)} decimals=8`,
  (chance) => `observed ${chance.between(2, 40)} events`,
  (chance) => `nonce ${chance.between(10, 9999)}`,
  (chance) => `gas estimate ${chance.between(21_000, 900_000)}`,
  (chance) => `resolved to ${pick(['cache', 'origin', 'a fallback', 'nothing'], chance)}`,
  (chance) => `signed by 0x${hex(chance, 40)}`,
  (chance) => `${chance.between(1, 9)} of 10 observations valid`,
];

function pick<Value>(values: readonly Value[], chance: Chance): Value {
  const value = values[chance.between(0, values.length - 1)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

function hex(chance: Chance, digits: number): string {
  return Array.from({ length: digits }, () => chance.between(0, 15).toString(16)).join('');
}

function uuid(chance: Chance): string {
  return [8, 4, 4, 4, 12].map((digits) => hex(chance, digits)).join('-');
}

type Family = {
  readonly name: string;
  /** Sizes of the groups. */
  readonly groups: readonly number[];
  readonly own: typeof ownValues;
  /** Clocks of nodes differ by up to so much. */
  readonly skewMs: number;
};

const splits = [[9], [8, 1], [5, 4], [6, 3], [7, 1, 1], [4, 3, 2], [3, 3, 3], [4, 4, 1]];
const families: readonly Family[] = [
  ...splits.map((groups) => ({ name: groups.join(':'), groups, own: [], skewMs: 0 })),
  ...splits.map((groups) => ({ name: `${groups.join(':')}, own values`, groups, own: ownValues, skewMs: 0 })),
  { name: '9, own values in words not foreseen', groups: [9], own: unseenValues, skewMs: 0 },
  { name: '9, own values, clocks seconds apart', groups: [9], own: ownValues, skewMs: 5_000 },
  { name: '5:4, own values, clocks minutes apart', groups: [5, 4], own: ownValues, skewMs: 600_000 },
  { name: '4:3:2, own values, clocks days apart', groups: [4, 3, 2], own: ownValues, skewMs: 5 * 86_400_000 },
];

type Line = { readonly ms: number; readonly textOf: (node: number, group: number) => string };

/** Some lines with shared values, in one or two of which the groups differ, and lines with each node's own values. */
function scriptOf({ groups, own }: Family, chance: Chance): readonly Line[] {
  const length = chance.between(4, 12);
  const differing = chance.between(1, length - 1);
  const lines = Array.from({ length }, (_, index): Line => {
    const ms = index * 400 + chance.between(0, 99);
    if (own.length > 0 && index !== differing && chance.hits(0.5)) {
      const make = pick(own, chance);
      const texts = groups
        .flatMap((size) => Array.from({ length: size }, () => 0))
        .map((_zero, node) => make(chance, node));
      return { ms, textOf: (node) => texts[node] ?? '' };
    }
    const texts = distinct(pick(sharedValues, chance), chance, index === differing ? groups.length : 1);
    return { ms, textOf: (_node, group) => texts[Math.min(group, texts.length - 1)] ?? '' };
  });
  return lines;
}

function distinct(make: (chance: Chance) => string, chance: Chance, count: number): readonly string[] {
  const texts = new Set<string>();
  while (texts.size < count) texts.add(make(chance));
  return [...texts];
}

function logsOf(family: Family, chance: Chance): readonly NodeLogLine[] {
  const script = scriptOf(family, chance);
  const groupOf = family.groups.flatMap((size, group) => Array.from({ length: size }, () => group));
  return groupOf.flatMap((group, node) => {
    const offMs = Math.round((2 * chance.unit() - 1) * family.skewMs);
    return script.map(({ ms, textOf }) => ({
      nodeID: `node-${node + 1}`,
      message: textOf(node, group),
      timestamp: origin + ms + offMs + chance.between(0, 30),
    }));
  });
}

function rowOf(family: Family, index: number): readonly (string | number)[] {
  const [largest = 0] = family.groups;
  const nodes = family.groups.reduce((sum, size) => sum + size, 0);
  const agreed = largest * 2 > nodes ? largest : 0;
  const results = Array.from({ length: executionsEach }, (_, seed) => {
    const { agreeing, groups } = finished(consensusOf({ logs: logsOf(family, createChance(seed, 700 + index)) }));
    return { agreeing, sizes: groups.map((group) => group.nodes.length).join(':') };
  });
  const said = results.filter(({ agreeing }) => agreeing > 0);
  const tooMany = said.filter(({ agreeing }) => agreeing > agreed).length;
  const tooFew = results.filter(({ agreeing }) => agreeing < agreed).length;
  const right = results.filter(({ sizes }) => sizes === family.groups.join(':')).length;
  const percent = (part: number) => `${((100 * part) / results.length).toFixed(1)} %`;
  return [family.name, results.length, agreed, percent(tooMany), percent(tooFew), percent(right)];
}

export async function measure(): Promise<TruthSection> {
  return {
    title: 'Agreement of nodes',
    head: ['Nodes', 'Executions', 'Agree', 'Said of more', 'Said of fewer', 'Groups right'],
    rows: families.map(rowOf),
  };
}
