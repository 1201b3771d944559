/** Logs merged over the nodes, as a message and as a file. */
import { describe, expect, it } from 'vitest';
import { textFile } from '../../../../src/bot/commands/framework/command.ts';
import {
  type ConsensusQuestion,
  consensusOf as consensusSteps,
} from '../../../../src/bot/insight/executions/consensus.ts';
import { isLongLog, logsMessage, logsText } from '../../../../src/bot/views/execution/logs.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';
import { finished } from '../../../support/runner/finished.ts';
import { turnsDuring } from '../../../support/runner/turns.ts';
import { now } from '../../../support/service/service-data.ts';

const consensusOf = (question: ConsensusQuestion) => finished(consensusSteps(question));

/** The same lines from every node, in turn. */
function logs(nodes: number, messages: readonly string[]) {
  const nodeIds = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`);
  return messages.flatMap((message, line) =>
    nodeIds.map((nodeID) => ({ nodeID, message, timestamp: new Date(now + line * 1000).toISOString() })),
  );
}

const subject = { workflowName: 'payments', shortId: '3f2a9c1b', startedAt: now };
const shown = (lines: ReturnType<typeof logs>) =>
  logsMessage({ subject, consensus: consensusOf({ logs: lines }), filter: null });

describe('the logs', () => {
  it('show equal lines once, in time order, with the number of nodes', () => {
    const { text } = shown(logs(9, ['started', 'sent', 'failed']));
    expect(text).toContain('all 9 nodes logged the same lines');
    expect(text).toMatch(/10:00:00\.000 ×9 started\n10:00:01\.000 ×9 sent\n10:00:02\.000 ×9 failed/);
    expect(text).toContain('3 lines, merged from 27. ×9: 9 nodes logged the line.');
  });

  it('name the node that differs, with its own line', () => {
    const lines = logs(9, ['price is 2410.11']).map((line) =>
      line.nodeID === 'node-7' ? { ...line, message: 'price is 2411.07' } : line,
    );
    const { text } = shown(lines);
    expect(text).toContain('8 of 9 nodes logged the same lines');
    expect(text).toMatch(/node-7: another value in 1 line: “price is 2411\.07”/);
  });

  it('show every group if no value has a majority', () => {
    const lines = logs(9, ['price 1.00']).map((line, index) => ({ ...line, message: `price ${index % 3}.50` }));
    const { text } = shown(lines);
    expect(text).toContain('nodes disagree, in groups of 3 / 3 / 3');
    expect(text).not.toMatch(/nodes logged the same lines|Nodes that differ/);
    expect(text).toContain('• node-1, node-4, node-7 (3 nodes): “price 0.50”');
    const most = logs(9, ['price 1.00']).map((line, index) => ({ ...line, message: `price ${index % 9 < 5}` }));
    expect(shown(most).text).toContain('5 of 9 nodes logged the same lines');
  });

  it('say of silent nodes beside those that disagree both', () => {
    const said = logs(3, ['price 1.00']).map((line, index) => ({ ...line, message: `price ${index}.50` }));
    const consensus = consensusOf({ logs: said, knownNodes: ['node-8', 'node-9'] });
    const { text } = logsMessage({ subject, consensus, filter: null });
    expect(text).toContain('only 3 of 5 nodes logged anything, and they disagree, in groups of 1 / 1 / 1');
  });

  it('name nodes that differ in the same way in one line', () => {
    const lines = [...logs(9, ['started']), ...logs(2, ['took over'])];
    const { text } = shown(lines);
    expect(text).toContain('• node-1, node-2: 1 line that most nodes do not have: “took over”');
  });

  it('count only the nodes with exactly that line, and show the other values below', () => {
    const { text } = shown(
      logs(9, ['price 2302.78']).map((line) =>
        line.nodeID === 'node-9' ? { ...line, message: 'price 2411.07' } : line,
      ),
    );
    expect(text).toMatch(/ ×8 price 2302\.78\n.* ×1 price 2411\.07\n/);
  });

  it('say that values differ if nearly every node has its own', () => {
    const nodes = logs(6, ['took']).map((line, index) => ({ ...line, message: `took ${index + 11} ms` }));
    expect(shown(nodes).text).toMatch(/ ×6 took \d+ ms \(values differ\)\n/);
  });

  it('say that nodes fell silent before they say that others agree', () => {
    const lines = [...logs(10, ['started']), ...logs(3, ['', ...Array.from({ length: 30 }, () => 'waiting')])];
    const { text } = shown(lines.filter(({ message }) => message !== ''));
    expect(text).toContain('7 of 10 nodes have no lines near the end of the log');
    expect(text).toMatch(/No lines in the last \d+ s of the log: node-4, node-5, .*node-10/);
    expect(text).not.toContain('the same lines');
  });

  it('of a search claim nothing of nodes whose matching lines end early or differ', () => {
    const found = [...logs(9, ['retry 1']), ...logs(3, ['', ...Array.from({ length: 30 }, () => 'retry 2')])];
    const consensus = consensusOf({ logs: found.filter(({ message }) => message !== '') });
    const nodes = Array.from({ length: 10 }, (_, index) => `node-${index + 1}`);
    const filter = { node: undefined, text: 'retry', lineCount: 900, nodes };
    const { text } = logsMessage({ subject, consensus, filter });
    expect(text).not.toMatch(/stopped|No lines in|missing|same lines|Nodes that differ|whole log/);
    expect(text).toContain('with “retry”: on 9 of 10 nodes');
  });

  it('name nodes that usually log and are silent', () => {
    const consensus = consensusOf({ logs: logs(8, ['started']), knownNodes: ['node-1', 'node-9'] });
    const { text } = logsMessage({ subject, consensus, filter: null });
    expect(text).toContain('only 8 of 9 nodes logged anything, and they logged the same lines');
    expect(text).toContain('Logged nothing: node-9');
  });

  it('count the nodes they do not name', () => {
    const lines = [
      ...logs(40, ['started']),
      ...logs(
        3,
        Array.from({ length: 30 }, () => 'waiting'),
      ),
    ];
    expect(shown(lines).text).toMatch(/No lines in .*node-15 and 25 more/);
  });

  it('keep head and tail of a long log and count what is between', () => {
    const messages = Array.from({ length: 90 }, (_, index) => `step ${'abcdefghij'[index % 10]} of ${index}`);
    const { text } = shown(logs(2, messages));
    expect(text).toContain('… 75 lines left out …');
    expect(text).toContain('of 89');
    expect(text).toContain('All these lines are in the attached file.');
  });

  it('are in a file line by line, each with its nodes', () => {
    const consensus = consensusOf({ logs: logs(3, ['first', 'second']) });
    expect([...logsText(consensus)].join('')).toBe(
      '10:00:00.000 [all 3 nodes] first\n10:00:01.000 [all 3 nodes] second\n',
    );
  });

  it('mask secrets in the message and in the file', () => {
    const lines = logs(2, ['sent Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345']);
    const consensus = consensusOf({ logs: lines });
    expect(shown(lines).text + [...logsText(consensus)].join('')).not.toContain('0123456789abcdef');
    expect(shown(lines).text).toContain('1 value that looks like a secret is masked.');
  });

  it('are written to the file without blocking the event loop', async () => {
    const messages = Array.from({ length: 20_000 }, (_, index) => `line ${index} ${'word '.repeat(40)}`);
    const consensus = consensusOf({ logs: logs(1, messages) });
    const file = textFile('logs.txt', () => logsText(consensus)).content();
    expect(await turnsDuring(file)).toBeGreaterThan(5);
    expect(new TextDecoder().decode(await file)).toBe([...logsText(consensus)].join(''));
  });

  it('that are empty, or that the service did not return, say so', () => {
    expect(shown([]).text).toContain(': the run logged nothing, or its log was not kept.');
    expect(logsMessage({ subject, consensus: null, filter: null }).text).toContain('did not return them');
  });

  it.each([1, 20, 1000])('of %i long lines fit Slack', (length) => {
    const messages = Array.from({ length }, (_, index) => `${'word '.repeat(200)}${'abcdefghij'[index % 10]}${index}`);
    const lines = logs(10, messages);
    expectGoodMessage(shown(lines));
    expect(isLongLog(consensusOf({ logs: lines }))).toBe(true);
  });

  it.each(hostileStrings('text'))('%s as a line and a node is inert, in one line of the file', (_id, string) => {
    const lines = [...logs(3, ['fine']), { nodeID: string, message: string, timestamp: new Date(now).toISOString() }];
    const consensus = consensusOf({ logs: lines });
    const filter = { node: string, text: string, lineCount: 3, nodes: [string] };
    expectGoodMessage(logsMessage({ subject, consensus, filter }));
    expect([...logsText(consensus)].join('').trimEnd().split('\n')).toHaveLength(consensus.lines.length);
  });
});
