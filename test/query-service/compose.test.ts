/** The query service as a process: start, shutdown and metrics. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startOperatedService } from '../../src/query-service/compose.ts';
import { readServiceConfig } from '../../src/query-service/config.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';

function configWith(port: number) {
  const environment = {
    SERVICE_METRICS_PORT: String(port),
    SERVICE_DATABASE_URL: 'sqlite::memory:',
    SERVICE_PORT: '0',
  };
  const result = readServiceConfig([], environment);
  if (!result.isValid) throw new Error(result.problems.join(' '));
  return result.config;
}

test('during shutdown it is alive and not ready, also on the metrics address, and then frees both ports', async () => {
  const { log, text } = createMemoryLog();
  const service = await startOperatedService(configWith(0), log);
  const origin = /"origin":"([^"]+)"/.exec(text())?.[1] ?? '';
  const ask = async (path: string) => {
    const response = await fetch(origin + path);
    return [response.status, await response.text()];
  };
  expect([await ask('/readyz'), (await ask('/metrics'))[0]]).toEqual([[200, 'ready\n'], 200]);
  const held = connect(Number(new URL(service.url).port), '127.0.0.1');
  held.write('POST /graphql HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n');
  await once(held, 'readable');
  const closed = service.close();
  expect([await ask('/readyz'), (await ask('/healthz'))[0]]).toEqual([[503, 'going down\n'], 200]);
  held.destroy();
  await closed;
  for (const url of [origin, service.url]) await expect(fetch(url)).rejects.toThrow();
});

test('if the metrics address is taken it does not start, names the setting, and leaves nothing open', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(startOperatedService(configWith(port), createMemoryLog().log)).rejects.toMatchObject({
    code: 'unavailable',
    hint: 'Set SERVICE_METRICS_HOST and SERVICE_METRICS_PORT to an address that is free.',
  });
});
