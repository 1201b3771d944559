/** Audits of the runtime packages against a registry of the tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { env } from 'node:process';
import { expect, onTestFinished } from 'vitest';
import { newFolder } from '../support/databases/engines.ts';

const root = new URL('../../', import.meta.url).pathname;
const locked: Readonly<Record<string, { readonly version: string }>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

/** A registry with advisories, by package; development tools also need graphql. */
function registry(severities: Readonly<Record<string, string>>) {
  const rest = { url: 'https://example.com/1', title: 'bad', vulnerable_versions: '<99.0.0' };
  const advisories = Object.entries(severities).map(([name, severity], id) => [name, [{ id, severity, ...rest }]]);
  return (request: IncomingMessage, response: ServerResponse) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '');
    const version = locked[`node_modules/${name}`]?.version ?? '1.0.0';
    const answer = name.includes('advisories')
      ? Object.fromEntries(advisories)
      : { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  };
}

const status = (code: number) => (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(code).end();
};

type Audit = readonly [what: string, answer: RequestListener, code: number, output: RegExp];

/** npm takes seconds for each: these two differ in their exit code and in their sentence. */
export const audits: readonly Audit[] = [
  [
    'runtime packages have a high, a critical and a moderate one',
    registry({ graphql: 'high', kysely: 'critical', undici: 'moderate' }),
    1,
    /^high: graphql .*\ncritical: kysely .*\nmoderate: undici .*\nAudited: 3 .*, 2 high or critical\.\n$/,
  ],
  [
    'the registry closes the connection',
    (request: IncomingMessage) => request.socket.destroy(),
    0,
    /^Not audited, .*\n$/,
  ],
];

export const moreAudits: readonly Audit[] = [
  [
    'a runtime package has a moderate one',
    registry({ graphql: 'moderate' }),
    0,
    /^moderate: graphql .*\n.*, 0 high or critical\.\n$/,
  ],
  ['the registry has no advisories', status(405), 0, /^Not audited, .* 405 Method Not Allowed.*\n$/],
];

export async function expectAudit(answer: RequestListener, code: number, output: RegExp): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  const own = { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_cache: newFolder() };
  const audit = spawn(process.execPath, ['scripts/audit.ts'], { cwd: root, env: { ...env, ...own } });
  let said = '';
  audit.stdout.on('data', (text) => {
    said += text;
  });
  const [exitCode] = await once(audit, 'close');
  expect([exitCode, said]).toEqual([code, expect.stringMatching(output)]);
}
