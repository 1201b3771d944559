/** The fault of some nodes that explains what the others say; thin evidence explains nothing. */
import { describe, expect, it } from 'vitest';
import { consensusOf, type NodeLogLine } from '../../../../src/bot/insight/executions/consensus.ts';
import { findRootCause, type RootCauseQuestion } from '../../../../src/bot/insight/executions/root-cause.ts';
import { finished } from '../../../support/runner/finished.ts';

const start = Date.parse('2026-11-20T10:00:00Z');
const expired = 'x509: certificate has expired or is not yet valid';
const quorum = 'no quorum: 3 of 9 responses';
const waited = 'context deadline exceeded waiting for observations';

type Node = readonly [number, string][];

/** @param nodes the lines of each node: milliseconds after the start, and text */
function logsOf(nodes: readonly Node[]): readonly NodeLogLine[] {
  return nodes.flatMap((lines, index) =>
    [[0, 'started'] as const, ...lines].map(([ms, message]) => ({
      nodeID: `node-${index + 1}`,
      message,
      timestamp: start + ms,
    })),
  );
}

function found(nodes: readonly Node[], more: Partial<RootCauseQuestion> & { knownNodes?: readonly string[] } = {}) {
  const { knownNodes = [], ...question } = more;
  const consensus = finished(consensusOf({ logs: logsOf(nodes), knownNodes }));
  return finished(findRootCause({ errors: [], usualMessages: [], ...question, consensus }));
}

const of = (count: number, node: Node) => Array.from({ length: count }, () => node);
const faulty: Node = [[100, expired]];
const others: Node = [[5000, quorum]];

describe('the fault of some nodes', () => {
  it('explains a quorum that counts the nodes without it', () => {
    expect(found([...of(6, faulty), ...of(3, others)])).toMatchObject({
      text: expired,
      nodes: ['node-1', 'node-2', 'node-3', 'node-4', 'node-5', 'node-6'],
      nodeCount: 6,
      nodesTotal: 9,
      at: start + 100,
      effect: { text: quorum, at: start + 5000 },
      link: 'counted',
      isNew: false,
    });
  });

  it('explains one that needs more answers than nodes are left', () => {
    const few: Node = [[5000, 'not enough observations, have 4 want 7']];
    expect(found([...of(5, faulty), ...of(4, few)])).toMatchObject({ link: 'counted' });
    const fewer: Node = [[5000, 'Fewer than 7 nodes (2f+1, f=3) agreed on the same value']];
    expect(found([...of(5, faulty), ...of(5, fewer)])).toMatchObject({ link: 'divided' });
    expect(found([...of(3, faulty), ...of(7, fewer)])).toBeNull();
  });

  it('explains a wait for them if it is on a third of the nodes', () => {
    expect(found([...of(3, faulty), ...of(6, [[5000, waited]])])).toMatchObject({ link: 'divided', nodeCount: 3 });
  });

  it('explains an error that names the only node with it, in the errors of the execution as well', () => {
    const deviates = 'observations deviate by 4.1 % (limit 2.0 %): median 2315, node-7 2411.07';
    const errors = [
      { error: `XAU/USD not updated: ${deviates}`, count: 8 },
      { error: 'XAU/USD not updated: node-7: source metals-b: x509: certificate has expired', count: 1 },
    ];
    expect(found(of(9, []), { errors })).toMatchObject({
      text: 'source metals-b: x509: certificate has expired',
      ...{ link: 'named', nodes: ['node-7'], nodeCount: 1, at: null },
    });
    const logs = of(9, []).map((_, index): Node => [index === 6 ? [100, expired] : [5000, deviates]]);
    expect(found(logs)).toMatchObject({ link: 'named', nodes: ['node-7'], at: start + 100 });
  });

  it('explains what all other nodes report if only the errors of the execution are known', () => {
    const errors = [
      { error: waited, count: 5 },
      { error: expired, count: 4 },
    ];
    expect(found(of(9, []), { errors })).toMatchObject({ link: 'divided', nodes: [], nodeCount: 4, at: null });
    expect(found(of(10, []), { errors })).toBeNull();
  });

  it.each([
    ['a name that is not found', 'dial tcp: lookup rpc.example on 10.0.0.2:53: no such host'],
    ['a refused connection', 'connect ECONNREFUSED 10.0.3.4:8545'],
    ['refused credentials', 'POST https://api.example: 401 Unauthorized'],
    ['no memory', 'FATAL ERROR: Reached heap limit: JavaScript heap out of memory'],
    ['a full disk', 'write /var/lib/node/log: no space left on device'],
    ['a crash', 'panic: runtime error: invalid memory address or nil pointer dereference'],
    ['a missing secret', 'secret LEDGER_TOKEN not found'],
    ['a limit', 'HTTP 429 Too Many Requests'],
  ])('may be %s', (_, fault) => {
    const { text = '' } = found([...of(6, [[100, fault]]), ...of(3, others)]) ?? {};
    expect([text.length > 10, fault.endsWith(text)]).toEqual([true, true]);
  });

  it('is one fault in several wrappings and with values of each node', () => {
    const wrapped = (index: number): Node => [
      [
        100 + index,
        `level=error attempt=${index} took=${40 + index}ms err="fetch https://a${index}.example: ${expired}"`,
      ],
    ];
    const nodes = [...Array.from({ length: 6 }, (_, index) => wrapped(index)), ...of(3, others)];
    expect(found(nodes)).toMatchObject({ nodeCount: 6, link: 'counted' });
  });

  it('is new if the last good run did not log it', () => {
    const nodes = [...of(6, faulty), ...of(3, others)];
    expect(found(nodes, { usualMessages: ['started'] })).toMatchObject({ isNew: true });
  });
});

describe('nothing is explained', () => {
  it.each<[string, readonly Node[], Parameters<typeof found>[1]?]>([
    ['by a fault on fewer nodes than are missing', [...of(1, faulty), ...of(8, others)]],
    ['by a fault on more nodes than are missing', [...of(7, faulty), ...of(2, others)]],
    ['by a fault that came after the others waited', [...of(6, [[6000, expired]] as Node), ...of(3, others)]],
    ['by two faults on different nodes', [...of(5, faulty), [[90, 'no space left on device']], ...of(3, others)]],
    [
      'by a fault that the last good run has as well',
      [...of(6, faulty), ...of(3, others)],
      { usualMessages: [expired] },
    ],
    ['by a fault on a few nodes if the others only waited', [...of(2, faulty), ...of(7, [[5000, waited]] as Node)]],
    [
      'by a fault on nodes that waited too',
      [...of(3, [...faulty, [5000, waited]]), ...of(6, [[5000, waited]] as Node)],
    ],
    ['by one slow node', [[[4000, 'context deadline exceeded']], ...of(8, others)]],
    ['if every node has the fault', of(9, faulty)],
    ['if the others have an error of their own', [...of(6, faulty), ...of(3, [[5000, 'execution reverted']] as Node)]],
    ['if another node is silent', [...of(5, faulty), ...of(3, others)], { knownNodes: ['node-1', 'node-9'] }],
    ['if the error names another node', [...of(3, faulty), ...of(6, [[5000, 'no answer from node-9']] as Node)]],
    [
      'if the execution has another error as well',
      [...of(6, faulty), ...of(3, others)],
      {
        errors: [
          { error: quorum, count: 3 },
          { error: 'execution reverted', count: 2 },
        ],
      },
    ],
    ['by a line that is no error', [...of(6, [[100, 'certificate loaded, room for 3']] as Node), ...of(3, others)]],
    ['if the nodes logged no error', of(9, [])],
    ['if one node logged', of(1, faulty)],
  ])('%s', (_, nodes, more) => {
    expect(found(nodes, more)).toBeNull();
  });
});
