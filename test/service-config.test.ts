/** The service's flags: read as they are written. */
import { expect, test } from 'vitest';
import { readServiceConfig } from '../src/service-config.ts';

test.each([' ', '0x10', '1e3', '80.5', '-1', '+80', '65536', 'http'])('the port %j is none', (port) => {
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
