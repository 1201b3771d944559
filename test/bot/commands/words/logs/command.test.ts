/** `logs` against the sample organization. */
import { expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/commands.ts';

const test = useTestCommands();

/** @returns the uuid of the newest failure */
async function failureOf(workflow: string): Promise<string> {
  const { answer } = await test().type(`failures ${workflow} 7d`);
  return /"execution ([0-9a-f-]{36})"/.exec(JSON.stringify(answer.message.blocks))?.[1] ?? '';
}

it('the logs of a run in the outage name the nodes that log in successful runs and are silent in it', async () => {
  const { text } = await test().type(`logs ${await failureOf('risk-model')}`);
  expect(text).toContain('Logs (UTC): only 3 of 7 nodes said anything, and they agree');
  expect(text).toContain('Without a single line: node-4, node-5, node-6, node-7');
});

it('a filtered log calls no node silent', async () => {
  const { text } = await test().type(`logs ${await failureOf('risk-model')} --node node-1`);
  expect(text).toContain('Logs (UTC, node node-1): from one node');
  expect(text).not.toContain('Without a single line');
});

it('the logs of a run in which all nodes logged call none silent', async () => {
  expect((await test().type('logs payments')).text).toContain('Logs (UTC): all 9 nodes agree');
});

it.each([
  'logs payments --grep',
  'logs payments --node',
  'timeline payments --capability',
  'timeline payments --status',
])('%s refuses a search text that is too long in a sentence of the bot', async (line) => {
  const { text } = await test().type(`${line} ${'x'.repeat(201)}`);
  expect(text).toContain('I search for at most 200 characters.');
});
