/** The contenders: the service on both engines, PostGraphile, hand-written statements, and a constant. */
import { existsSync } from 'node:fs';
import { type Contender, startContender } from './contender.ts';
import type { Database } from './databases.ts';

/** The highest value of the settings: the limiters run and refuse nothing. */
const unlimited = '999999';

/** @param readUrls of standbys */
export function startService(
  { engine, url, apiKey, serverPid }: Database,
  readUrls: readonly string[] = [],
): Promise<Contender> {
  return startContender({
    name: `ours, ${engine}`,
    dialect: 'service',
    entry: new URL('../../src/bin/service.ts', import.meta.url),
    args: ['--host', '127.0.0.1', '--port', '0', '--json'],
    environment: {
      SERVICE_DATABASE_URL: url,
      SERVICE_READ_URLS: readUrls.join(' '),
      SERVICE_RATE_LIMIT: unlimited,
      SERVICE_DATABASE_BUDGET: unlimited,
    },
    apiKey,
    serverPid,
  });
}

export function startHandWritten({ url, serverPid }: Database): Promise<Contender> {
  const entry = new URL('./hand-written.ts', import.meta.url);
  return startContender({
    name: 'hand-written',
    dialect: 'hand-written',
    entry,
    environment: { DATABASE_URL: url },
    serverPid,
  });
}

/** @param bytes of its answer */
export function startConstant(bytes: number): Promise<Contender> {
  const environment = { ANSWER_BYTES: String(bytes) };
  return startContender({
    name: 'a constant',
    dialect: 'hand-written',
    entry: new URL('./constant.ts', import.meta.url),
    environment,
  });
}

/** @returns null if it is not installed */
export async function startPostgraphile({ url, serverPid }: Database): Promise<Contender | null> {
  if (!existsSync(new URL('../node_modules/postgraphile', import.meta.url))) return null;
  const environment = { DATABASE_URL: url, GRAPHILE_ENV: 'production' };
  return await startContender({
    name: 'PostGraphile',
    dialect: 'postgraphile',
    entry: new URL('./postgraphile.mjs', import.meta.url),
    environment,
    serverPid,
  });
}
