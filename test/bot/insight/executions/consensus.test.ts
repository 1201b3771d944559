/** Node consensus: one line for equal lines, and every node that differs, also with skewed clocks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConsensusQuestion,
  consensusOf as consensusSteps,
  type NodeLogLine,
} from '../../../../src/bot/insight/executions/consensus.ts';
import type { ExecutionRecord } from '../../../../src/query-service/records/record.ts';
import { runCooperatively } from '../../../../src/shared/time/cooperative.ts';
import { finished } from '../../../support/runner/finished.ts';
import { turnsDuring } from '../../../support/runner/turns.ts';
import { failuresOf, sampleAt } from '../../../support/service/sample.ts';

const consensusOf = (question: ConsensusQuestion) => finished(consensusSteps(question));

const origin = Date.parse('2026-11-20T10:00:00Z');
const nodeNames = (count: number) => Array.from({ length: count }, (_, index) => `node-${index + 1}`);

type LogEntry = readonly [ms: number, message: string];

/** The same script said by each node, as `change` has it. */
function logsOf(
  count: number,
  script: readonly LogEntry[],
  change: (node: number, entry: LogEntry) => LogEntry | null = (_, entry) => entry,
) {
  return nodeNames(count).flatMap((nodeID, index): NodeLogLine[] =>
    script.flatMap((line) => {
      const entry = change(index + 1, line);
      return entry === null ? [] : [{ nodeID, message: entry[1], timestamp: origin + entry[0] }];
    }),
  );
}

const script: readonly LogEntry[] = [
  [0, 'started'],
  [100, 'retrying'],
  [900, 'retrying'],
  [1_000, 'price 2315.10'],
  [2_000, 'done'],
];
const texts = script.map(([, message]) => message);
const only = (node: number, change: (entry: LogEntry) => LogEntry | null) => (current: number, entry: LogEntry) =>
  current === node ? change(entry) : entry;

describe('the lines of several nodes', () => {
  it('become one line each, with all its nodes, and what a node repeats stays repeated', () => {
    const { lines, agreeing, differing, linesTotal } = consensusOf({ logs: logsOf(10, script) });
    expect(lines.map(({ message, nodes }) => [message, nodes.length])).toEqual(texts.map((text) => [text, 10]));
    expect({ agreeing, differing, linesTotal }).toEqual({ agreeing: 10, differing: [], linesTotal: 50 });
  });

  it('name nodes in natural order', () => {
    expect(consensusOf({ logs: logsOf(11, script) }).nodes.slice(-3)).toEqual(['node-9', 'node-10', 'node-11']);
  });

  it('name the node that lacks a line', () => {
    const logs = logsOf(
      10,
      script,
      only(7, (entry) => (entry[1] === 'done' ? null : entry)),
    );
    const { lines, agreeing, differing } = consensusOf({ logs });
    expect(agreeing).toBe(9);
    expect(differing).toEqual([{ node: 'node-7', ownLines: 0, lackedLines: 1, otherValues: 0, sample: null }]);
    expect(lines.at(-1)).toMatchObject({ message: 'done', missing: ['node-7'] });
  });

  it('name the node that has a line that no other has, in order of time', () => {
    const logs = [...logsOf(10, script), { nodeID: 'node-3', message: 'certificate expired', timestamp: origin + 950 }];
    const { lines, differing } = consensusOf({ logs });
    expect(differing).toEqual([
      { node: 'node-3', ownLines: 1, lackedLines: 0, otherValues: 0, sample: 'certificate expired' },
    ]);
    expect(lines.findIndex(({ message }) => message === 'certificate expired')).toBe(3);
  });

  it('name the node that repeats a line less often', () => {
    const logs = logsOf(
      9,
      script,
      only(2, (entry) => (entry[0] === 900 ? null : entry)),
    );
    expect(consensusOf({ logs }).differing).toEqual([
      { node: 'node-2', ownLines: 0, lackedLines: 1, otherValues: 0, sample: null },
    ]);
  });

  it('count as one line where only a value differs, and name the node with the other value', () => {
    const logs = logsOf(
      9,
      script,
      only(7, (entry) => (entry[0] === 1_000 ? [990, 'price 2411.07'] : entry)),
    );
    const { lines, differing } = consensusOf({ logs });
    expect(lines).toHaveLength(script.length);
    expect(lines[3]).toMatchObject({
      message: 'price 2315.10',
      missing: [],
      variants: [{ message: 'price 2411.07', nodes: ['node-7'] }],
    });
    expect(differing).toEqual([
      { node: 'node-7', ownLines: 0, lackedLines: 0, otherValues: 1, sample: 'price 2411.07' },
    ]);
  });

  it('blame no node if every node has its own value', () => {
    const { lines, agreeing } = consensusOf({
      logs: logsOf(9, script, (node, [at, text]) => [at, `${text} in ${node * 7} ms`]),
    });
    expect(lines.map(({ variants }) => variants.length)).toEqual(script.map(() => 8));
    expect(agreeing).toBe(9);
  });

  /** Nodes 1 to 9 say the values in turn, as often as the sizes say. */
  const sayValues = (sizes: readonly number[], values: readonly string[]) => {
    const said = sizes.flatMap((size, index) => Array.from({ length: size }, () => values[index] ?? ''));
    return logsOf(said.length, script, (node, [at, text]) => [at, at === 1_000 ? (said[node - 1] ?? '') : text]);
  };
  const prices = ['price 1.10', 'price 2.20', 'price 3.30', 'price 4.40', 'price 5.50'];
  const texts5 = ['accepted', 'refused', 'no route to host', 'retry later', 'unknown block'];

  it.each([
    [3, 3, 3],
    [4, 3, 2],
    [4, 4, 1],
    [4, 4],
    [1, 1],
    [1, 1, 1],
    [3, 2, 2, 1, 1],
  ])('are groups without a majority if they split %i : %i : …', (...sizes: number[]) => {
    for (const values of [prices, texts5]) {
      const { agreeing, differing, groups } = consensusOf({ logs: sayValues(sizes, values) });
      expect({ agreeing, differing }).toEqual({ agreeing: 0, differing: [] });
      expect(groups.map(({ nodes }) => nodes.length)).toEqual(sizes);
      if (values === prices) expect(groups.map(({ sample }) => sample)).toEqual(prices.slice(0, sizes.length));
    }
  });

  it.each([
    [8, 1],
    [5, 4],
    [5, 2, 2],
  ])('agree by majority if they split %i : %i : …', (...sizes: number[]) => {
    for (const values of [prices, texts5]) {
      const { agreeing, differing } = consensusOf({ logs: sayValues(sizes, values) });
      expect([agreeing, differing.length]).toEqual([sizes[0], sizes.slice(1).reduce((sum, size) => sum + size, 0)]);
    }
  });

  it.each([
    (node: number) => `took ${node % 3}.${node}s for block 77`,
    (node: number) => `node-${node} is at block 77`,
  ])('are not divided by values that each node measures or makes itself (%#)', (say) => {
    const logs = logsOf(9, script, (node, [at, text]) => [at, at === 1_000 ? say(node) : text]);
    expect(consensusOf({ logs })).toMatchObject({ agreeing: 9, differing: [] });
  });

  it('are divided by another value beside one that they measure themselves', () => {
    const logs = logsOf(9, script, (node, [at, text]) => [at, `${text} in ${node} ms at block ${node % 3}`]);
    expect(consensusOf({ logs }).groups.map(({ nodes }) => nodes.length)).toEqual([3, 3, 3]);
  });

  it('with clocks days apart are not said to have stopped, though no line is equal on all', () => {
    const logs = logsOf(9, [[1_000, 'price']], (node, [at]) => [at + node * 86_400_000, `price ${node}`]);
    expect(consensusOf({ logs })).toMatchObject({ agreeing: 0, stopped: [] });
  });

  it('do not call two halves an agreement', () => {
    const logs = [...logsOf(2, script), { nodeID: 'node-1', message: 'refused', timestamp: origin + 3_000 }];
    expect(consensusOf({ logs })).toMatchObject({
      agreeing: 0,
      differing: [],
      groups: [
        { nodes: ['node-1'], sample: 'refused' },
        { nodes: ['node-2'], sample: null },
      ],
    });
  });

  it('name known nodes that are silent, once', () => {
    const { silent, lines } = consensusOf({ logs: logsOf(3, script), knownNodes: [...nodeNames(5), 'node-5'] });
    expect(silent).toEqual(['node-4', 'node-5']);
    expect(new Set(lines.map(({ missing }) => missing.length))).toEqual(new Set([0]));
  });

  it('name the nodes that stopped long before the end, and do not compare them with later lines', () => {
    const longer: readonly LogEntry[] = [...script, [20_000, 'waiting'], [40_000, 'giving up']];
    const { stopped, agreeing, differing, lines } = consensusOf({
      logs: logsOf(9, longer, (node, entry) => (node > 3 && entry[0] > 2_000 ? null : entry)),
    });
    expect(stopped.map(({ node }) => node)).toEqual(nodeNames(9).slice(3));
    expect(stopped[0]?.quietMs).toBe(38_000);
    expect({ agreeing, differing }).toEqual({ agreeing: 3, differing: [] });
    expect(lines.at(-1)?.nodes).toEqual(nodeNames(3));
  });

  it('are empty without logs', () => {
    expect(consensusOf({ logs: [], knownNodes: ['node-1'] })).toEqual({
      lines: [],
      nodes: [],
      groups: [],
      agreeing: 0,
      differing: [],
      silent: ['node-1'],
      stopped: [],
      linesTotal: 0,
    });
  });

  it('replace an unreadable time with the time of the line before', () => {
    const logs = logsOf(1, script).map((line, index) => (index === 2 ? { ...line, timestamp: 'later' } : line));
    expect(consensusOf({ logs }).lines.map(({ message }) => message)).toEqual(texts);
  });
});

describe('in the sample organization', () => {
  const { sample } = sampleAt('2026-11-20T10:00:00Z');
  const consensusFor = (run: ExecutionRecord | undefined, knownNodes: readonly string[] = []) =>
    consensusOf({ logs: (run?.logs ?? []).map(({ nodeId, ...rest }) => ({ ...rest, nodeID: nodeId })), knownNodes });

  it('node 7 holds another price of gold in every failure of xau-usd-price-feed, and the other eight agree', () => {
    for (const failure of failuresOf(sample.runsOf('xau-usd-price-feed'))) {
      const { agreeing, differing, lines } = consensusFor(failure);
      expect(agreeing).toBe(8);
      expect(differing).toEqual([
        { node: 'node-7', ownLines: 0, lackedLines: 1, otherValues: 1, sample: 'XAU/USD 2411.07 (1 of 3 sources)' },
      ]);
      expect(lines[1]).toMatchObject({
        variants: [{ message: 'XAU/USD 2411.07 (1 of 3 sources)', nodes: ['node-7'] }],
      });
    }
  });

  it.each(['eth-usd-price-feed', 'payments-eu', 'proof-of-reserves', 'risk-model', 'settlement'])(
    'in the outage only the first three nodes of %s speak, and they agree; the others of a good run are silent',
    (name) => {
      const runs = sample.runsOf(name);
      const isOutage = ({ errors }: ExecutionRecord) => errors?.[0]?.error.includes('quorum') === true;
      const good = runs.slice(runs.findLastIndex(isOutage)).find(({ status }) => status === 'SUCCESS');
      const known = consensusFor(good).nodes;
      const { nodes, silent, agreeing, stopped } = consensusFor(runs.find(isOutage), known);
      expect({ nodes, agreeing, stopped }).toEqual({ nodes: known.slice(0, 3), agreeing: 3, stopped: [] });
      expect(silent).toEqual(known.slice(3));
      expect(silent.length).toBeGreaterThanOrEqual(4);
    },
  );

  it('the 90 lines of daily-nav-report appear once each, in order, although one clock is 1.6 s ahead', () => {
    const { lines, agreeing, linesTotal } = consensusFor(sample.runsOf('daily-nav-report')[0]);
    expect([lines.length, agreeing, linesTotal]).toEqual([90, 9, 810]);
    const funds = lines.flatMap(({ message }) => /^fund (\d+) of/.exec(message)?.[1] ?? []).map(Number);
    expect(funds).toEqual(Array.from({ length: 88 }, (_, index) => index + 1));
  });
});

describe('for any logs', () => {
  const messages = fc.constantFrom('a', 'b', 'b 1', 'b 2', 'b 33', 'retry 0xaf01', 'retry 0xbe77', 'c');
  const anyScript = fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), messages), { maxLength: 30 }).map((calls) => {
    let at = 0;
    return calls.map(([gap, message]): LogEntry => {
      at += gap;
      return [at, message];
    });
  });
  const skews = fc.array(fc.integer({ min: -9_000, max: 9_000 }), { minLength: 3, maxLength: 10 });

  it('skewed clocks and shuffled lines change nothing', () => {
    const anyLogs = fc.tuple(anyScript, skews).chain(([script, skewsMs]) => {
      const logs = logsOf(skewsMs.length, script, (node, [at, message]) => [at + (skewsMs[node - 1] ?? 0), message]);
      return fc.tuple(
        fc.constant(script),
        fc.shuffledSubarray(logs, { minLength: logs.length }),
        fc.constant(skewsMs.length),
      );
    });
    const property = fc.property(anyLogs, ([script, logs, count]) => {
      const { lines, differing } = consensusOf({ logs });
      expect(lines.map(({ message, nodes }) => [message, nodes.length])).toEqual(
        script.map(([, text]) => [text, count]),
      );
      expect(differing).toEqual([]);
    });
    fc.assert(property);
  });

  it('every line is in exactly one merged line, in exactly one wording', () => {
    const anyLogs = fc.array(
      fc.record({
        nodeID: fc.constantFrom(...nodeNames(6)),
        message: messages,
        timestamp: fc.integer({ min: 0, max: 5_000 }),
      }),
      { maxLength: 80 },
    );
    const property = fc.property(anyLogs, (logs) => {
      const { lines, linesTotal, nodes } = consensusOf({ logs });
      const spoken = lines.flatMap(({ message, nodes: saying, variants }) => {
        const others = new Set(variants.flatMap((variant) => variant.nodes));
        const main = saying.filter((node) => !others.has(node)).map((node) => `${node} ${message}`);
        return [...main, ...variants.flatMap((variant) => variant.nodes.map((node) => `${node} ${variant.message}`))];
      });
      expect(spoken.sort()).toEqual(logs.map(({ nodeID, message }) => `${nodeID} ${message}`).sort());
      expect(lines.filter((line) => line.nodes.length + line.missing.length !== nodes.length)).toEqual([]);
      expect(linesTotal).toBe(logs.length);
    });
    fc.assert(property);
  });

  it('the node that drops lines is named, and the order of the other lines does not change', () => {
    const anyCase = fc.tuple(anyScript, skews, fc.nat(), fc.integer({ min: 2, max: 5 }));
    const property = fc.property(anyCase, ([script, skewsMs, pick, every]) => {
      const dropping = (pick % skewsMs.length) + 1;
      const change = (node: number, [at, message]: LogEntry): LogEntry | null =>
        node === dropping && (at + pick) % every === 0 ? null : [at + (skewsMs[node - 1] ?? 0), message];
      const logs = logsOf(skewsMs.length, script, change);
      const { lines, differing, silent } = consensusOf({
        logs,
        knownNodes: script.length > 0 ? nodeNames(skewsMs.length) : [],
      });
      const dropped = script.filter(([at]) => (at + pick) % every === 0).length;
      expect([...differing.map(({ node }) => node), ...silent]).toEqual(dropped === 0 ? [] : [`node-${dropping}`]);
      expect(lines).toHaveLength(script.length);
    });
    fc.assert(property);
  });
});

describe('for any nodes', () => {
  const moments = fc.integer({ min: 0, max: 60_000 });
  const anyLogs = fc.array(
    fc.record({
      nodeID: fc.constantFrom(...nodeNames(7)),
      message: fc.constantFrom('a', 'b 1', 'b 2', 'c', 'retry 0xaf01'),
      timestamp: moments,
    }),
    { minLength: 1, maxLength: 60 },
  );

  it('each is exactly one of silent, stopped and in one group, and differs if a majority is another group', () => {
    const property = fc.property(anyLogs, fc.subarray(nodeNames(9)), (logs, knownNodes) => {
      const { nodes, silent, agreeing, groups, differing, stopped } = consensusOf({ logs, knownNodes });
      const atOdds = new Set([...differing, ...stopped].map(({ node }) => node));
      const grouped = groups.flatMap((group) => group.nodes);
      expect([...grouped, ...stopped.map(({ node }) => node)].sort()).toEqual([...nodes].sort());
      const most = groups[0]?.nodes.length ?? 0;
      expect(agreeing).toBe(most * 2 > grouped.length ? most : 0);
      if (agreeing > 0) expect(agreeing).toBe(nodes.length - atOdds.size);
      else expect(differing).toEqual([]);
      expect(nodes).toEqual(expect.arrayContaining([...atOdds]));
      expect(new Set([...nodes, ...silent])).toEqual(new Set([...logs.map(({ nodeID }) => nodeID), ...knownNodes]));
      expect(silent.some((node) => nodes.includes(node))).toBe(false);
    });
    fc.assert(property);
  });

  it('a common shift of all clocks changes only the times of the lines', () => {
    const property = fc.property(anyLogs, fc.integer({ min: -1e9, max: 1e9 }), (logs, laterMs) => {
      const moved = consensusOf({
        logs: logs.map((line) => ({ ...line, timestamp: Number(line.timestamp) + laterMs })),
      });
      const unmoved = consensusOf({ logs });
      expect({ ...moved, lines: moved.lines.map((line) => ({ ...line, at: line.at - laterMs })), stopped: [] }).toEqual(
        {
          ...unmoved,
          stopped: [],
        },
      );
      expect(moved.stopped.map(({ node, quietMs }) => [node, quietMs])).toEqual(
        unmoved.stopped.map(({ node, quietMs }) => [node, quietMs]),
      );
    });
    fc.assert(property);
  });

  it('exactly the nodes that stop are named', () => {
    const anyCase = fc.tuple(fc.integer({ min: 3, max: 10 }), fc.nat(), fc.integer({ min: 11_000, max: 90_000 }));
    const property = fc.property(anyCase, ([count, pick, quietMs]) => {
      const [last, goOn] = [10_000, 2 + (pick % (count - 2))];
      const longer: readonly LogEntry[] = [...script, [last, 'waiting'], [last + quietMs, 'giving up']];
      const { stopped, differing } = consensusOf({
        logs: logsOf(count, longer, (node, entry) => (node > goOn && entry[0] > last ? null : entry)),
      });
      expect(stopped.map(({ node }) => node)).toEqual(nodeNames(count).slice(goOn));
      expect(differing).toEqual([]);
    });
    fc.assert(property);
  });
});

describe('10 nodes of many lines', () => {
  /** Every node has a value of its own in each line, or none has: the two ends of how much work a line can make. */
  function logged(lineCount: number, isOwn: boolean, padding = '') {
    const long = Array.from({ length: lineCount }, (_, index): LogEntry => [index * 10, `step ${index}`]);
    return logsOf(10, long, (node, [at, text]) => [
      at + node * 137,
      isOwn ? `${text} took ${node * (at + 1)} ms ${padding}` : `${text} ${padding}`,
    ]);
  }

  it.each([false, true])('of a kilobyte become as many lines (own values in every line: %s)', (isOwn) => {
    expect(consensusOf({ logs: logged(200, isOwn, 'x'.repeat(1_000)) }).lines).toHaveLength(200);
  });

  /** The processor's time, of which others on the machine take nothing. */
  function effort(lineCount: number, isOwn: boolean): number {
    const logs = logged(lineCount, isOwn);
    const before = process.cpuUsage();
    consensusOf({ logs });
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  it.each([false, true])('cost in proportion to their number, not to its square (own values: %s)', (isOwn) => {
    // The least of several, for the first is the slowest.
    const few = Math.min(effort(200, isOwn), effort(200, isOwn), effort(200, isOwn));
    const many = Math.min(effort(1_600, isOwn), effort(1_600, isOwn));
    // Eight times as many; the square is 64.
    expect(many / few).toBeLessThan(40);
  });
});

describe('a log as long as the bot reads, from more nodes than a network has', () => {
  const nodeCount = 3_000;
  const words = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const logs = Array.from({ length: 30_000 }, (_, index): NodeLogLine => {
    return {
      nodeID: `node-${index % nodeCount}`,
      message: `${words(index)} ${'x '.repeat(90)}`,
      timestamp: origin + index,
    };
  });

  it('is merged without blocking the event loop, with the same result', async () => {
    const some = logs.slice(0, 10_000);
    const laidTogether = runCooperatively(consensusSteps({ logs: some }));
    expect(await turnsDuring(laidTogether)).toBeGreaterThan(5);
    expect(await laidTogether).toEqual(consensusOf({ logs: some }));
  });

  it('keeps every line, and names the first 99 nodes', () => {
    const { nodes, lines, linesTotal } = consensusOf({ logs });
    expect([nodes.length, nodes.at(-2), nodes.at(-1)]).toEqual([100, 'node-98', '2901 other nodes']);
    expect([lines.length, linesTotal]).toEqual([30_000, 30_000]);
  });
});
