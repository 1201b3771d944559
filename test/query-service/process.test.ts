/** The service as a program: output, refused settings and shutdown. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { describePostgres } from '../support/databases/engines.ts';
import { useProgramsInTurn } from '../support/programs/in-turn.ts';
import { programFlags } from '../support/programs/node-flags.ts';
import { copySampleDatabase } from '../support/service/sample-database.ts';

const entry = 'src/bin/service.ts';
const program = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
const fails = useProgramsInTurn('leaves servers');

/** @param environment nothing else is handed on */
function start(flags: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...programFlags, program, ...flags], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
  /** @returns what the pattern finds, once it does @throws Error where the program ends first */
  const find = async (stream: 'stdout' | 'stderr', pattern: RegExp) => {
    for (;;) {
      const found = pattern.exec(output[stream]);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode} and printed: ${output.stderr}`);
      await Promise.race([once(child[stream], 'data'), ended]);
    }
  };
  const printed = async (pattern: RegExp) => (await find('stdout', pattern)).input;
  const complained = (pattern: RegExp) => find('stderr', pattern);
  return { child, ended, printed, complained };
}

/** That of most tests, whose sample is made already. */
const builtAt = '2026-11-21T10:30:00.000Z';

test('with --json the first line that begins with { has the address and the keys, the sample organization first', async () => {
  const { url: database, remove } = await copySampleDatabase(Date.parse(builtAt));
  onTestFinished(remove);
  const flags = ['--port', '0', '--database', database, '--sample', '--json', '--now', builtAt];
  const service = start(flags, { LOG_LEVEL: 'warn' });
  const { url, keys, refusedKeys } = JSON.parse((await service.printed(/^\{.*\n/)).split('\n')[0] ?? '');
  const answers = await Promise.all(
    Object.entries<string>(keys).map(async ([organization, key]) => {
      const headers = { 'content-type': 'application/json', authorization: `Apikey ${key}` };
      const body = '{"query":"{ getOrganization { displayName } workflowExecutions(input: {}) { count } }"}';
      const { data } = await (await fetch(url, { method: 'POST', headers, body })).json();
      return [organization === data.getOrganization.displayName, data.workflowExecutions.count > 60_000];
    }),
  );
  expect(answers).toEqual([
    [true, true],
    [true, false],
  ]);
  expect(Object.keys(refusedKeys)).toEqual(['expired', 'restricted']);
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
});

describePostgres('the address of the database', (newDatabase) => {
  test('is printed without its password', async () => {
    const url = Object.assign(new URL(await newDatabase()), { password: 'of-the-database' });
    const service = start(['--port', '0'], { SERVICE_DATABASE_URL: url.href });
    expect(await service.printed(/Ctrl-C/)).toContain(`from postgres://${url.host}${url.pathname}.`);
    service.child.kill('SIGINT');
    const { stdout, stderr } = await service.ended;
    expect(stdout + stderr).not.toContain('of-the-database');
  });
});

test('all wrong flags and settings are named at once, with the usage, and the exit code is 2', async () => {
  const flags = ['--port', '70000', '--verbose', '--now', '2024-02-30T00:00:00Z', '--json=yes', 'all', '--host'];
  const environment = { LOG_LEVEL: 'loud', SERVICE_RATE_LIMIT: 'many', SERVICE_METRICS_HOST: 'a b' };
  const { code, stderr } = await fails({
    entry,
    args: flags,
    environment: { ...environment, SERVICE_METRICS_PORT: '-1' },
  });
  expect(code).toBe(2);
  expect(stderr.trimEnd().split('\n')).toEqual([
    '--verbose is not a flag of the service.',
    '--json takes no value.',
    '“all” is not a flag.',
    '--host needs a value.',
    '--port must be a port number from 0 to 65535.',
    'SERVICE_RATE_LIMIT must be a whole number below a million.',
    'SERVICE_METRICS_HOST must be a host name or an address.',
    'SERVICE_METRICS_PORT must be a port number from 0 to 65535.',
    expect.stringMatching(/^LOG_LEVEL must be one of trace, /),
    '--now must be an instant such as 2026-11-20T10:00:00Z.',
    expect.stringMatching(/^Usage: npm run service -- \[--port 4000\]/),
  ]);
});

test('a taken port is reported in one line, before the database is touched', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const flags = ['--port', String(port), '--database', `sqlite:${folder}/records.db`, '--sample'];
  const { code, stderr } = await fails({ entry, args: flags });
  other.close();
  expect(readdirSync(folder)).toEqual([]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The service cannot listen on 127.0.0.1 port ${port}: another program is listening there already. Choose another port with --port or SERVICE_PORT, or stop what listens there.\n`,
  });
});

test('without flags the settings come from the environment, the address is in words, metrics have their own, and Ctrl-C stops it', async () => {
  const environment = { SERVICE_PORT: '0', SERVICE_DATABASE_URL: 'sqlite::memory:', SERVICE_METRICS_PORT: '0' };
  const service = start([], environment);
  const words =
    /^The query service answers at (http:\/\/127\.0\.0\.1:\d+\/graphql), from :memory:\.\nCtrl-C stops it\.\n$/;
  const [, url = ''] = words.exec(await service.printed(/Ctrl-C/)) ?? [];
  const [, origin] = await service.complained(/"origin":"(http:[^"]+)"/);
  const ask = async (path: string, from = origin) => {
    const response = await fetch(new URL(path, from));
    return [response.status, await response.text()];
  };
  expect([await ask('/healthz'), await ask('/readyz')]).toEqual([
    [200, 'ok\n'],
    [200, 'ready\n'],
  ]);
  await fetch(url, { method: 'POST' });
  expect((await ask('/metrics'))[1]).toContain('operation="none",outcome="unauthenticated"');
  expect(await ask('/metrics', url)).toEqual([404, expect.stringMatching(/NOT_FOUND/)]);
  service.child.kill('SIGINT');
  expect(await service.ended).toMatchObject({ code: 0 });
});
