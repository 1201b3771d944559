/** Rows of a list that cannot be read are no proof that there are none. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleService, startTestCommands, type TestCommands } from '../../support/bot/commands.ts';
import { type HostileHttp, startHostileHttp } from '../../support/service/hostile-http.ts';

let relay: HostileHttp;
let commands: TestCommands;
/** The field that only the damaged rows have. */
let damaged = '';
let workspaces = 0;

beforeAll(async () => {
  const { url, apiKey } = await sampleService();
  relay = await startHostileHttp(async ({ body }, response) => {
    const headers = { authorization: `Apikey ${apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    const text = JSON.stringify(JSON.parse(await answer.text(), (_key, value) => damage(value)));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  commands = await startTestCommands({ service: { url: relay.url, apiKey } });
});

afterAll(async () => {
  await commands.close();
  await relay[Symbol.asyncDispose]();
});

function damage(value: unknown): unknown {
  const isRow = typeof value === 'object' && value !== null && 'uuid' in value && damaged in value;
  return isRow ? { ...value, uuid: 7 } : value;
}

/** Typed in a workspace of its own, so that nothing is cached. */
async function type(line: string): Promise<string> {
  workspaces += 1;
  const person = { teamId: `T${workspaces}`, userId: 'U1', channelId: 'C1' };
  return (await commands.run(line, { person })).messages.map(({ text }) => text).join('\n');
}

it.each([
  ['execution payments', 'startedAt', 'The newest run of this workflow could not be read.'],
  ['logs payments yesterday', 'startedAt', 'The newest run of this workflow could not be read.'],
  ['deployment payments', 'deployedAt', 'payments: the deployments could not be read.'],
  ['deployments payments', 'deployedAt', 'payments: the deployments could not be read.'],
  ['status payments', 'workflowId', 'The list of workflows could not be read.'],
  ['list', 'workflowId', 'none was found, but the list is incomplete.'],
])('“%s” with rows whose %s came in a wrong form says that it could not read them', async (line, field, words) => {
  damaged = field;
  const text = await type(line);
  expect(text).toContain(words);
  expect(text).not.toMatch(/no longer keeps|has never run|none is kept|no workflows yet|No workflow is called/);
});
