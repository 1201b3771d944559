/** Organizations on several PostgreSQL servers: each is answered from its own server, or not at all. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Directory, openDirectory } from '../../../src/query-service/records/servers/directory.ts';
import { startService } from '../../../src/query-service/service.ts';
import { databaseLine } from '../../support/database-line.ts';
import { describePostgres } from '../../support/engines.ts';
import { startProgram } from '../../support/program.ts';
import { ask, makeServers, openServers, type TwoServers } from '../../support/servers.ts';
import { silentLog, startTestService } from '../../support/service.ts';
import { executionRecord, harbor, ledger, serviceNow, workflowRecord } from '../../support/service-records.ts';
import { exportOf, harborLines, importInto } from '../../support/transfer.ts';

const list = '{ workflows(input: {}) { data { name } } }';
const names = (answer: { readonly body: { readonly data?: unknown } }) => JSON.stringify(answer.body.data);

/** Harbor on the directory's server, ledger on b, each with a workflow of its own. */
async function twoOrganizations(): Promise<TwoServers> {
  const servers = await makeServers();
  const onMain = await openServers(servers);
  await onMain.writer.putOrganization(harbor.organization);
  await onMain.writer.putWorkflows([workflowRecord(1, { name: 'harbor-only' })]);
  const onB = await openServers(servers, 'b');
  await onB.writer.putOrganization(ledger.organization);
  const { organizationId } = ledger.organization;
  await onB.writer.putWorkflows([workflowRecord(2, { organizationId, name: 'ledger-only' })]);
  return servers;
}

function serviceOn({ main, servers }: Pick<TwoServers, 'main' | 'servers'>, log = silentLog) {
  return startTestService({ databaseUrl: main, servers, log, hasRecords: false });
}

function warningLog() {
  const warnings: string[] = [];
  return { warnings, log: { ...silentLog, warn: (_: object, sentence: string) => void warnings.push(sentence) } };
}

function askServer({ serverOf }: Directory): string {
  try {
    return serverOf('org_harbor');
  } catch (error) {
    return String(error instanceof Error && error.message);
  }
}

describePostgres('organizations on two servers', () => {
  it('are each answered from their own server, by their own keys', async () => {
    const servers = await twoOrganizations();
    const rows = (url: string) => ask<{ name: string }>(url, 'select name from workflow');
    expect([await rows(servers.main), await rows(servers.b)]).toEqual([
      [{ name: 'harbor-only' }],
      [{ name: 'ledger-only' }],
    ]);
    const service = await serviceOn(servers);
    expect(names(await service.ask(list, null, service.apiKeys.harbor))).toContain('harbor-only');
    expect(names(await service.ask(list, null, service.apiKeys.ledger))).toContain('ledger-only');
    expect(names(await service.ask(list, null, service.apiKeys.ledger))).not.toContain('harbor');
    await service.close();
  });

  it('fail alone: one server away refuses its organization and no other', async () => {
    const made = await twoOrganizations();
    const line = await databaseLine(made.b);
    const { log, warnings } = warningLog();
    const service = await serviceOn({ ...made, servers: new Map([['b', line.url]]) }, log);
    const isReady = async () => (await fetch(new URL('/readyz', service.url))).status;
    const down = line.goDownFor(2_500);
    await expect
      .poll(async () => [await isReady(), warnings[0]])
      .toEqual([200, expect.stringContaining('The server b cannot')]);
    await expect.poll(async () => (await service.ask(list, null, service.apiKeys.ledger)).status).toBe(503);
    expect(names(await service.ask(list, null, service.apiKeys.harbor))).toContain('harbor-only');
    await down;
    await expect
      .poll(async () => names(await service.ask(list, null, service.apiKeys.ledger)))
      .toContain('ledger-only');
    await expect.poll(async () => [await isReady(), warnings.at(-1)]).toEqual([200, 'The server b can be used again']);
    await service.close();
  });

  it('are refused by a process that can read no directory for longer than its lease', async () => {
    const made = await twoOrganizations();
    const lines = await Promise.all([made.main, made.b].map(databaseLine));
    const urls = lines.map(({ url }, index) => [['main', 'b'][index] ?? '', url] as const);
    const directory = await openDirectory(new Map(urls));
    onTestFinished(directory.close);
    expect([directory.serverOf('org_harbor'), directory.serverOf('org_ledger')]).toEqual(['main', 'b']);
    expect(() => directory.serverOf('org_x')).toThrow('names no server for the organization org_x');
    for (const line of lines) void line.goDownFor(60_000);
    await expect.poll(() => askServer(directory)).toBe('The directory of the servers does not answer.');
  });

  it('are answered from the copy of the directory while its server is away, also after a restart', async () => {
    const made = await twoOrganizations();
    const line = await databaseLine(made.main);
    const service = await serviceOn({ ...made, main: line.url });
    void line.goDownFor(60_000);
    expect(names(await service.ask(list, null, service.apiKeys.ledger))).toContain('ledger-only');
    const restarted = await startService({
      ...{ databaseUrl: line.url, servers: made.servers, host: '127.0.0.1', port: 0 },
      ...{ clock: () => serviceNow, sample: 'none', log: silentLog },
    });
    const askRestarted = async (key: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Apikey ${key}` };
      const answer = await fetch(restarted.url, { method: 'POST', headers, body: JSON.stringify({ query: list }) });
      return answer.text();
    };
    expect(await askRestarted(service.apiKeys.ledger)).toContain('ledger-only');
    expect(await askRestarted(service.apiKeys.harbor)).toContain('INTERNAL');
    await restarted.close();
    await service.close();
  });

  it('are refused without their server in the settings, and databases of a directory without the others', async () => {
    const servers = await twoOrganizations();
    const rejected = (url: string) => expect(startTestService({ databaseUrl: url })).rejects.toThrow('SERVICE_SERVERS');
    await rejected(servers.main);
    await rejected(servers.b);
    const store = await openServers({ ...servers, servers: new Map([['c', servers.main]]) });
    await expect(
      store.records.workflowCount('org_ledger', { statuses: null, search: null, ownerAddresses: null }),
    ).rejects.toThrow('SERVICE_SERVERS lacks the server b.');
  });

  it('get no server that may not subscribe to the directory, and the refusal has its reason', async () => {
    const servers = await makeServers();
    const role = `plain_${randomBytes(8).toString('hex')}`;
    await ask(servers.b, `create role ${role} login; grant all on schema public to ${role}`);
    onTestFinished(() => ask(servers.b, `drop owned by ${role}; drop role ${role}`).then(() => {}));
    const b = Object.assign(new URL(servers.b), { username: role }).href;
    const opened = openServers({ ...servers, servers: new Map([['b', b]]) }, 'b');
    await expect(opened).rejects.toThrow('A server cannot subscribe to another one: must be superuser');
    expect(await ask(servers.main, `select from server where name = 'b'`)).toHaveLength(0);
  });

  it('import, export and keys go to the server of the organization', async () => {
    const servers = await makeServers();
    const lines = harborLines(200);
    const script = async (name: string, ...args: readonly string[]) => {
      const program = startProgram({
        entry: `src/bin/service-${name}.ts`,
        args,
        environment: servers.environment,
        prepare: (folder) => writeFileSync(join(folder, 'lines'), lines),
      });
      return { code: await program.ended, output: program.output() };
    };
    expect(await script('import', 'lines', '--server', 'b')).toMatchObject({ code: 0 });
    const count = 'select count(*)::integer as n from execution';
    expect([await ask(servers.main, count), await ask(servers.b, count)]).toEqual([[{ n: 0 }], [{ n: 200 }]]);
    expect((await script('export', '--organization', 'org_harbor')).output).toContain('"type":"execution"');
    const made = await script('key', 'create', '--organization', 'org_harbor', '--name', 'x');
    expect(made.code).toBe(0);
    expect(await ask(servers.main, 'select from api_key')).toHaveLength(0);
    const store = await openServers(servers);
    expect(await exportOf(store)).toBe(await exportOf(store, 'org_harbor'));
    expect((await store.keys.keys(null)).map(({ organizationId }) => organizationId)).toEqual(['org_harbor']);
    await store.writer.putExecutions([executionRecord(1, { startedAt: serviceNow })]);
    expect(await ask(servers.b, count)).toEqual([{ n: 200 }]);
    expect((await importInto(store, lines)).refused).toBe(0);
  });
});
