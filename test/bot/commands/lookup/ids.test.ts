/** Executions and workflows by the beginning of an id, and by names that are not whole. */
import { describe, expect, it } from 'vitest';
import { foreignIdPrefix } from '../../../../src/query-service/sample/organizations.ts';
import { sampleService, startTestCommands, useTestCommands } from '../../../support/bot/commands.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

/** The first execution of a list: the short id that the list shows, and the uuid that its menu carries. */
async function firstOf(line: string) {
  const { answer, text } = await type(line);
  const [, shortId = ''] = / · ([0-9a-f]{8})$/m.exec(text) ?? [];
  const [, uuid = ''] = /"execution ([0-9a-f-]{36})"/.exec(JSON.stringify(answer.message.blocks)) ?? [];
  return { shortId, uuid };
}

const failure = () => firstOf('executions settlement --status failed 7d');

it.each(['logs', 'timeline'])('%s takes the short id that a list shows', async (word) => {
  const { shortId, uuid } = await failure();
  const whole = (await type(`${word} ${uuid}`)).text;
  for (const id of [shortId, shortId.toUpperCase(), `0x${shortId}`]) {
    expect((await type(`${word} ${id}`)).text).toBe(whole);
  }
});

it('logs takes the beginning of a new execution’s uuid, which the service cannot search', async () => {
  const { uuid } = await firstOf('executions');
  const whole = (await type(`logs ${uuid}`)).text;
  expect((await type(`logs ${uuid.slice(0, 8)}`)).text).toBe(whole);
  expect((await type(`logs ${uuid.slice(0, 13)}`)).text).toBe(whole);
});

it('execution takes a short id, and shows it', async () => {
  const { shortId, uuid } = await failure();
  const { subject, replies } = await test().investigate(`execution ${shortId}`);
  expect(subject).toBe(uuid);
  expect(replies[0]?.message.text).toContain(`Run ${shortId} (uuid ${uuid}`);
});

it('the id of an execution alone explains it in private', async () => {
  const { shortId, uuid } = await failure();
  for (const id of [shortId, uuid]) {
    expect(await test().investigate(id)).toMatchObject({ subject: uuid, isPrivate: true });
  }
  expect((await test().investigate('execution settlement')).isPrivate).toBe(false);
});

it('the uuid of a workflow alone shows its status', async () => {
  const [, uuid = ''] = /status ([0-9a-f-]{36})/.exec(JSON.stringify((await type('status settlement')).answer)) ?? [];
  expect((await type(uuid)).text.split('\n')[0]).toBe((await type('status settlement')).text.split('\n')[0]);
});

it.each(['00000000', '11111111-0000-4000-8000-000000000000'])(
  'the id %s, which nothing has, is named so',
  async (id) => {
    const { answer, text } = await type(id);
    expect(answer.isProblem).toBe(true);
    expect(text).toMatch(/No run or workflow with this id was found|None of the newest 2,000 runs has/);
  },
);

it('status takes the beginning of a workflow’s uuid', async () => {
  const { text } = await type('status settlement');
  const [, uuid = ''] = /status ([0-9a-f]{8})/.exec(JSON.stringify((await type('status settlement')).answer)) ?? [];
  expect((await type(`status ${uuid}`)).text.split('\n')[0]).toBe(text.split('\n')[0]);
});

const deploymentOf = async (name: string) => {
  const blocks = JSON.stringify((await type(`deployments ${name}`)).answer.message.blocks);
  const [, uuid = ''] = /"deployment ([0-9a-f-]{36})"/.exec(blocks) ?? [];
  const [transaction = ''] = /0x[0-9a-f]{64}/.exec((await type(`deployment ${uuid}`)).text) ?? [];
  return { uuid, transaction };
};
const workflowUuid = async (name: string) =>
  /status ([0-9a-f-]{36})/.exec(JSON.stringify((await type(`status ${name}`)).answer))?.[1] ?? '';

describe.each(['status', 'failures', 'executions', 'deployments', 'activity', 'list'])('%s', (word) => {
  it('of an id of a run is that of its workflow, and says so', async () => {
    const meant = (await type(`${word} settlement`)).text;
    const { shortId, uuid } = await failure();
    for (const id of [shortId, uuid, `run ${shortId}`, `${shortId}.`, `https://app.example/runs/${uuid}?tab=1`]) {
      const [first = '', ...rest] = (await type(`${word} ${id}`)).text.split('\n');
      expect(first).toMatch(/^“.*” is a run of settlement\.$/);
      expect(rest.join('\n').replace(/as of .*/, '')).toBe(meant.replace(/as of .*/, ''));
    }
  });

  it('of an id or a transaction of a deployment is that of its workflow, and says so', async () => {
    const { uuid, transaction } = await deploymentOf('settlement');
    const short = `${transaction.slice(0, 8)}…${transaction.slice(-6)}`;
    for (const id of [uuid, uuid.slice(0, 8), `deployment ${uuid.slice(0, 8)}`, transaction, short]) {
      expect((await type(`${word} ${id}`)).text).toMatch(/^“.*” is a deployment of settlement\.\n/);
    }
  });
});

it.each(['logs', 'timeline', 'execution'])('%s of a deployment says so, and shows the deployment', async (word) => {
  const { uuid } = await deploymentOf('settlement');
  for (const id of [uuid, uuid.slice(0, 8)]) {
    const { text } = await type(`${word} ${id}`);
    expect(text).toMatch(/^“.*” is a deployment of settlement\.\n[\s\S]*Deployment of settlement/);
  }
});

it('deployment of a run is the newest of its workflow', async () => {
  const { shortId, uuid } = await failure();
  for (const id of [shortId, uuid]) {
    expect((await type(`deployment ${id}`)).text).toMatch(
      /^“.*” is a run of settlement\.\n[\s\S]*Deployment of settlement/,
    );
  }
});

it('the id of a deployment alone shows the deployment', async () => {
  const { uuid, transaction } = await deploymentOf('settlement');
  for (const id of [uuid, uuid.slice(0, 8), transaction]) {
    expect((await type(id)).text).toContain('Deployment of settlement');
  }
});

it('a link to a run means the run for what is about runs, and its workflow for the rest', async () => {
  const { shortId, uuid } = await failure();
  const link = `https://app.example/workflows/${await workflowUuid('settlement')}/executions/${uuid}`;
  expect((await type(`logs ${link}`)).text).toContain(`Logs of settlement, run ${shortId}`);
  expect((await type(`status ${link}`)).text).toBe((await type('status settlement')).text);
});

it('a window beside the id of a run is named', async () => {
  const { shortId } = await failure();
  const { text } = await type(`logs ${shortId} last 24h`);
  expect(text).toMatch(
    new RegExp(`^“last 24h” was left out: the id says which run\\.\nLogs of settlement, run ${shortId}`),
  );
});

it.each(['status', 'failures', 'deployment', 'list'])('%s of an id that nothing has says so', async (word) => {
  for (const id of ['12345678', '12345678-1234-4234-8234-123456789012']) {
    const { answer, text } = await type(`${word} ${id}`);
    expect(text).toContain('No workflow, run or deployment with this id was found');
    expect(answer.isProblem).toBe(true);
  }
});

it('an id that several executions share gives a list of them', async () => {
  const { url, foreignKey } = await sampleService();
  const other = await startTestCommands({ service: { url, apiKey: foreignKey } });
  const { answer, text } = await other.type(`logs ${foreignIdPrefix}`);
  expect(text).toContain(`runs begin with “${foreignIdPrefix}”. Which one?`);
  const blocks = JSON.stringify(answer.message.blocks);
  expect(blocks).toMatch(/"logs [0-9a-f-]{36}"/);
  // The reader's zone, so none is named.
  expect(blocks).toMatch(/"\w{3} \d+ \w{3} \d\d:\d\d:\d\d · /);
  expectGoodMessage(answer.message);
  await other.close();
});

it('an id that nothing has is named, and so is the part that was not searched', async () => {
  const { answer, text } = await type('logs 00000000');
  expect(answer.isProblem).toBe(true);
  expect(text).toMatch(/None of the newest 2,000 runs has an id that begins with “00000000”.*To find an older one/s);
});

it.each(['logs', 'timeline', 'execution'])(
  '%s of a misspelled name offers the workflow and takes none',
  async (word) => {
    const { answer, text } = await type(`${word} paymnts`);
    expect(text).toMatch(/No workflow is called “paymnts”.*payments/s);
    expect(JSON.stringify(answer.message.blocks)).toMatch(new RegExp(`"${word} [0-9a-f-]{36}"`));
  },
);

it.each(['logs', 'timeline', 'execution'])('%s of a workflow that never ran says so', async (word) => {
  expect((await type(`${word} invoice-sync`)).text).toContain('invoice-sync has never run.');
});
