/** `logs` against the sample organization. */
import { expect, it, onTestFinished } from 'vitest';
import { sampleNow, startTestCommands, useTestCommands } from '../../../../support/bot/commands.ts';
import { startTestService } from '../../../../support/service/service.ts';
import { executionRecord, uuidOf, workflowRecord } from '../../../../support/service/service-records.ts';

const test = useTestCommands();

/** @returns the uuid of the newest failure */
async function failureOf(workflow: string): Promise<string> {
  const { answer } = await test().type(`failures ${workflow} 7d`);
  return /"execution ([0-9a-f-]{36})"/.exec(JSON.stringify(answer.message.blocks))?.[1] ?? '';
}

it('the logs of a run in the outage name the nodes that log in successful runs and are silent in it', async () => {
  const { text } = await test().type(`logs ${await failureOf('risk-model')}`);
  expect(text).toMatch(
    /^Logs of risk-model, run [0-9a-f]{8} \(.*: only 3 of 7 nodes logged anything, and they logged the same lines/,
  );
  expect(text).toContain('Logged nothing: node-4, node-5, node-6, node-7');
});

it('a filtered log calls no node silent', async () => {
  const { text } = await test().type(`logs ${await failureOf('risk-model')} --node node-1`);
  expect(text).toContain(', node node-1: from one node');
  expect(text).not.toMatch(/Logged nothing|×/);
});

it('the logs of a run in which all nodes logged call none silent', async () => {
  const { text } = await test().type('logs payments');
  expect(text).toContain(': all 9 nodes logged the same lines');
  expect(text).toContain('times in UTC');
});

it('a node that is not there is named with the nodes that are', async () => {
  const { text } = await test().type('logs payments --node zz');
  expect(text).toMatch(/^Logs of payments, .*: no node matches “zz”; nodes: node-1, node-2, .*node-9\.$/s);
});

it('a text that no line contains is named with the number of lines', async () => {
  expect((await test().type('logs payments --grep zz')).text).toMatch(/no line contains “zz”; \d+ lines searched\.$/);
});

it('logs for which only errors are wanted say that lines have no level, and how to search', async () => {
  const { text } = await test().type('logs payments errors only');
  expect(text).toMatch(
    /^Log lines have no level, so all are shown\. To search them, add --grep error\.\nLogs of payments/,
  );
  for (const line of ['logs payments', 'logs payments errors --grep 422'])
    expect((await test().type(line)).text).not.toContain('no level');
});

it('a node beside the id of a run is a node, and a name with such a word in it is a name', async () => {
  const service = await startTestService({ clock: () => sampleNow });
  onTestFinished(service.close);
  const about = { workflowUuid: uuidOf('workflow', 31), startedAt: sampleNow - 60_000 };
  const line = (nodeId: string) => ({ nodeId, message: `from ${nodeId}`, timestamp: about.startedAt });
  const run = executionRecord(20_001, { ...about, logs: ['node-3', 'node-7'].map(line) });
  await service.writer.putWorkflows([workflowRecord(31, { name: 'edge node-7' })]);
  await service.writer.putExecutions([run]);
  const commands = await startTestCommands({ service: { url: service.url, apiKey: service.apiKeys.harbor } });
  onTestFinished(commands.close);
  for (const name of ['edge node-7', 'Edge Node-7', run.uuid]) {
    const { text } = await commands.type(`logs ${name}`);
    expect(text).toContain('from node-3');
    expect(text).toContain('from node-7');
  }
  for (const name of ['edge node-7 node-3', 'node-3 edge node-7', `${run.uuid} node-3`, `node-3 ${run.uuid}`]) {
    const { text } = await commands.type(`logs ${name}`);
    expect(text).toContain('from node-3');
    expect(text).not.toContain('from node-7');
  }
});

it('logs without a line do not say that all are shown', async () => {
  const service = await startTestService({ clock: () => sampleNow });
  onTestFinished(service.close);
  const run = executionRecord(20_000, {
    workflowUuid: uuidOf('workflow', 30),
    startedAt: sampleNow - 60_000,
    logs: null,
  });
  await service.writer.putWorkflows([workflowRecord(30, { name: 'mute' })]);
  await service.writer.putExecutions([run]);
  const commands = await startTestCommands({ service: { url: service.url, apiKey: service.apiKeys.harbor } });
  onTestFinished(commands.close);
  const { text } = await commands.type('logs mute errors only');
  expect(text).toMatch(/^Logs of mute.*: the run logged nothing, or its log was not kept\.$/);
});

it('logs of a part of a name say which workflow they are of', async () => {
  expect((await test().type('logs settlemen')).text).toContain(
    'Showing settlement, the closest match for “settlemen”.',
  );
});

it.each([
  'logs payments --grep',
  'logs payments --node',
  'timeline payments --capability',
  'timeline payments --status',
])('%s refuses a search text that is too long in a sentence of the bot', async (line) => {
  const { text } = await test().type(`${line} ${'x'.repeat(201)}`);
  expect(text).toContain('Search for at most 200 characters.');
});
