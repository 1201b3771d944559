/** `npm start`, as a process; playground.test.ts has what it does without settings. */

import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import { credential } from '../bot/store/contracts/credentials.contract.ts';
import { keyLine, openTestStore, testKeys } from '../support/bot/store.ts';
import { newSqlite } from '../support/databases/engines.ts';
import { useProgramsInTurn } from '../support/programs/in-turn.ts';
import { ownPorts } from '../support/programs/playground.ts';
import { originOf, startProgram } from '../support/programs/program.ts';
import { startTestService } from '../support/service/service.ts';
import { localSlack } from '../support/slack/local-slack.ts';

const entry = 'src/bin/start.ts';
/** A program that cannot start, and leaves what it had started already. */
const fails = useProgramsInTurn('leaves servers');

const command = { user: personId('ada'), channel: channelId('general'), text: '/workflow status payments' };

describe('without Slack tokens', () => {
  it.each([
    ['.env', (path: string) => mkdirSync(path), /\.env/],
    // As in a container: the sentence names the settings of a real workspace.
    ['data', (path: string) => writeFileSync(path, ''), /data.*local Slack.*SLACK_BOT_TOKEN and SLACK_APP_TOKEN/],
  ])('a wrong kind of file at %s gives one clear sentence', async (name, make, sentence) => {
    const prepare = (folder: string) => make(join(folder, name));
    const { code, output } = await fails({ entry, environment: ownPorts, prepare });
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
    expect(output).not.toContain('    at ');
  });

  it.each(['PLAYGROUND_PORT', 'SERVICE_PORT'])('a taken %s gives one clear sentence', async (name) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { readonly port: number };
    const { code, output } = await fails({ entry, environment: { ...ownPorts, [name]: String(port) } });
    expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`${port}.*${name}|${name}.*${port}`))]);
    expect(output).not.toContain('    at ');
  });
});

it('with bad settings every problem is said at once, by name, with exit code 2', async () => {
  const { code, output } = await fails({ entry, environment: { SLACK_BOT_TOKEN: 'xoxp-1', LOG_LEVEL: 'loud' } });
  expect(code).toBe(2);
  const lines = output.trim().split('\n');
  const names = ['SLACK_BOT_TOKEN', 'LOG_LEVEL', 'SLACK_APP_TOKEN', 'QUERY_SERVICE_URL'];
  expect(lines.map((line) => line.split(' ')[0])).toEqual(names);
});

/** @returns the status of a request under this name */
async function statusUnder(host: string, url: string): Promise<number> {
  const [response] = await once(request(url, { headers: { host } }).end(), 'response');
  response.resume();
  return response.statusCode;
}

/** A web page can point its own name at any address. */
async function expectOwnNames(origin: string): Promise<void> {
  const paths = ['/slack/install', '/slack/oauth_redirect', '/metrics', '/readyz'];
  const under = (host: string) => Promise.all(paths.map((path) => statusUnder(host, origin + path)));
  expect(await statusUnder('x', `${origin}/healthz`)).toBe(200);
  expect(await under('bot.example')).toEqual([200, 400, 421, 421]);
  expect(await under('localhost')).toEqual([200, 400, 200, 200]);
  expect(await under('evil.example')).toEqual([421, 421, 421, 421]);
}

describe('with an app’s secrets and an address', () => {
  it('the bot serves the installation page, health and metrics, names a key that the keyring lacks, answers under its own names alone, and stops on a signal', async () => {
    const databaseUrl = await newSqlite();
    const before = await openTestStore(databaseUrl, testKeys(keyLine('lost')));
    await before.credentials.connect('T1', credential);
    await before.close();
    const environment = {
      SLACK_SIGNING_SECRET: 'a-signing-secret-of-the-tests',
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'a-client-secret-of-the-tests',
      PUBLIC_URL: 'https://bot.example',
      PORT: '0',
      QUERY_SERVICE_URL: 'https://service.example/graphql',
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: keyLine('kept'),
    };
    const program = startProgram({ entry, environment });
    const origin = await originOf(program);
    const get = (path: string) => fetch(origin + path, { redirect: 'manual' });
    const paths = [
      '/healthz',
      '/readyz',
      '/metrics',
      '/slack/install',
      '/slack/install/begin',
      '/slack/oauth_redirect',
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status));
    expect(statuses).toEqual([200, 200, 200, 200, 302, 400]);
    expect(await (await get('/readyz')).text()).toMatch(/^ready\nkeys: lost is missing /);
    await program.said(/“lost”, which is missing from the keyring/);
    await expectOwnNames(origin);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

describe('with tokens', () => {
  async function settings() {
    const slack = await localSlack();
    const service = await startTestService();
    onTestFinished(() => service.close());
    const environment = {
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      PORT: '0',
      SLACK_API_URL: slack.apiUrl,
      QUERY_SERVICE_URL: service.url,
      QUERY_SERVICE_API_KEY: service.apiKeys.harbor,
    };
    return { slack, environment };
  }

  it('the environment alone selects Slack and the query service, and it serves health, readiness and metrics', async () => {
    const { slack, environment } = await settings();
    const program = startProgram({ entry, environment });
    const origin = await originOf(program);
    await slack.whenConnected();
    const get = async (path: string) => fetch(origin + path).then((response) => response.text());
    const answer = slack.nextMessage({ viewer: command.user, matches: ({ text }) => text.includes('payments') });
    await slack.command(command);
    expect((await answer).text).toMatch(/payments (is|had|has)/);
    expect([await get('/healthz'), await get('/readyz')]).toEqual(['ok\n', 'ready\n']);
    expect(await get('/metrics')).toContain('command_duration_seconds_count{command="status",outcome="answered"} 1');
    expect(await get('/elsewhere')).toBe('not found');
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(program.output()).not.toMatch(/xoxb-|xapp-|wfq_/);
  });

  it('a taken port gives one clear sentence that names it', async () => {
    const { environment } = await settings();
    const taken = new URL(environment.QUERY_SERVICE_URL).port;
    const { code, output } = await fails({ entry, environment: { ...environment, PORT: taken } });
    expect([code, output]).toEqual([1, expect.stringContaining(`The bot cannot listen on 127.0.0.1 port ${taken}`)]);
  });

  it('a refused token gives one clear sentence that names it', async () => {
    const { environment } = await settings();
    const { code, output } = await fails({ entry, environment: { ...environment, SLACK_BOT_TOKEN: 'xoxb-0-unknown' } });
    expect([code, output]).toEqual([1, expect.stringContaining('Slack refused SLACK_BOT_TOKEN')]);
    expect(output).not.toContain('    at ');
  });
});
