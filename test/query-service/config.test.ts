/** The service's flags and settings. */
import { expect, test } from 'vitest';
import { readServiceConfig } from '../../src/query-service/config.ts';

test.each([' ', '0x10', '1e3', '80.5', '-1', '+80', '65536', 'http'])('the port %j is refused', (port) => {
  expect(readServiceConfig([`--port=${port}`], {})).toEqual({
    isValid: false,
    problems: ['--port must be a port number from 0 to 65535.'],
  });
});

test.each([
  ['0', 0],
  ['65535', 65_535],
])('the port %s is one', (port, expected) => {
  expect(readServiceConfig(['--port', port], {})).toMatchObject({ config: { port: expected } });
});

test('by default a key may send fifty requests a second, and four seconds’ worth at once', () => {
  expect(readServiceConfig([], {})).toMatchObject({ config: { rateLimit: { perSecond: 50, burst: 200 } } });
  const given = readServiceConfig(['--rate-limit', '2'], { SERVICE_RATE_LIMIT: '7' });
  expect(given).toMatchObject({ config: { rateLimit: { perSecond: 2, burst: 8 } } });
  expect(readServiceConfig([], { SERVICE_RATE_LIMIT: '0' })).not.toHaveProperty('config.rateLimit');
});

test('standbys belong to a PostgreSQL server', () => {
  const urls = ['postgres://reader@one/records', 'postgres://reader@two/records'];
  const given = { SERVICE_DATABASE_URL: 'postgres://writer@main/records', SERVICE_READ_URLS: ` ${urls.join('\n')} ` };
  expect(readServiceConfig([], given)).toMatchObject({ config: { readUrls: urls, readLagMaxMs: 2_000 } });
  expect(readServiceConfig([], { SERVICE_READ_URLS: urls.join(' ') })).toMatchObject({
    problems: ['SERVICE_READ_URLS needs a PostgreSQL server in SERVICE_DATABASE_URL.'],
  });
  expect(readServiceConfig([], { ...given, SERVICE_READ_URLS: 'http://one' })).toMatchObject({
    problems: ['SERVICE_READ_URLS must be postgres://… addresses.'],
  });
});

test('metrics are off without a port, and listen on this machine only without a host', () => {
  expect(readServiceConfig([], {})).toHaveProperty('config.metrics', undefined);
  const given = readServiceConfig([], { SERVICE_METRICS_PORT: '4001' });
  expect(given).toMatchObject({ config: { metrics: { host: '127.0.0.1', port: 4001 } } });
});
