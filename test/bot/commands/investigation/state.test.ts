/** The state of a workflow in the thread of its newest failure, from the real service to the message. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCommands, type TestCommands } from '../../../support/bot/commands.ts';
import { startTestService, type TestService } from '../../../support/service/service.ts';
import {
  deploymentRecord,
  executionRecord,
  failureRecord,
  minutesAgo,
  serviceNow,
  uuidOf,
  workflowRecord,
} from '../../../support/service/service-records.ts';

/** `runs`: one a minute, newest first, S succeeded, F failed. */
const stories = [
  { how: 'fails more often in a row than usual', runs: `FFF${'SSSF'.repeat(10)}`, state: 'failing' },
  { how: 'fails as often in a row as usual', runs: `FF${'SSSF'.repeat(10)}`, state: 'unstable' },
  { how: 'fails in most runs', runs: `F${'SFFFFFFFFF'.repeat(9)}${'S'.repeat(900)}`, state: 'unstable' },
  { how: 'failed until it was deleted', runs: `FFF${'S'.repeat(40)}`, state: 'deleted' },
] as const;

let service: TestService;
let commands: TestCommands;

beforeAll(async () => {
  service = await startTestService();
  const { harbor: apiKey } = service.apiKeys;
  for (const [index, { runs, state }] of stories.entries()) await put(500 + index, runs, state);
  commands = await startTestCommands({ service: { url: service.url, apiKey }, clock: () => serviceNow });
});
afterAll(async () => {
  await commands.close();
  await service.close();
});

async function put(number: number, runs: string, state: string): Promise<void> {
  const workflowUuid = uuidOf('workflow', number);
  const status = state === 'deleted' ? 'DELETED' : 'ACTIVE';
  await service.writer.putWorkflows([workflowRecord(number, { status })]);
  await service.writer.putDeployments([
    deploymentRecord(number, { workflowUuid, deployedAt: minutesAgo(runs.length + 1) }),
  ]);
  const records = [...runs].map((letter, index) => {
    const about = { workflowUuid, startedAt: minutesAgo(index + 1) };
    return letter === 'F'
      ? failureRecord(1_000 * number + index, about)
      : executionRecord(1_000 * number + index, about);
  });
  await service.writer.putExecutions(records);
}

it.each(stories)('a workflow that $how is $state in its thread, in status and in list', async (story) => {
  const number = 500 + stories.indexOf(story);
  const { state } = story;
  const { text: card } = await commands.type(`status ${uuidOf('workflow', number)}`);
  const { text: list } = await commands.type('list');
  const { root } = await commands.investigate(`execution ${uuidOf('execution', 1_000 * number)}`);
  expect(card.split('\n')[0]).toContain(` is ${state}`);
  expect(list).toMatch(new RegExp(`workflow-${number} \\(${state}`));
  const words = state === 'failing' ? 'still failing' : state;
  expect(root.text).toMatch(new RegExp(`; ${words}, [\\d,]+ [a-z\\d ]+ since (?:about )?<!date`));
  expect(root.text.includes('still failing')).toBe(state === 'failing');
});
