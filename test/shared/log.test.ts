/** Contents of the log. */
import { expect, it } from 'vitest';
import { createLog } from '../../src/shared/log/pino-logger.ts';

function logged(fields: object): string {
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  log.error(fields, 'something failed');
  return lines.join('');
}

it('an error is logged with its name, code, message and stack, and its causes too', () => {
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const line = JSON.parse(logged({ err: new Error('no answer', { cause }) }));
  expect(line.err).toMatchObject({ type: 'Error', message: 'no answer', cause: { code: 'ECONNRESET' } });
  expect(line.err.stack).toContain('log.test.ts');
});

it('further properties of a library’s errors are not logged', () => {
  const error = Object.assign(new Error('refused'), { request: { headers: { authorization: 'Apikey canary' } } });
  expect(logged({ err: error })).not.toContain('canary');
});

it('a secret in an error’s message is masked', () => {
  expect(logged({ err: new Error('sent Authorization: Apikey 8f3b1c9d7e5a4f2b8c6d1a2b') })).not.toContain(
    '8f3b1c9d7e5a',
  );
});

it('a field with the name of a secret is never written, at any depth', () => {
  const deep = { list: [{ authorization: 'canary' }] };
  const fields = { token: 'canary', slack: { token: 'canary' }, apiKey: 'canary', deep };
  expect(logged(fields)).not.toContain('canary');
});

it('a secret inside a field is masked, and the text around it stays', () => {
  const line = JSON.parse(logged({ teamId: 'T1', tries: 2, missing: ['password=hunter2hunter2', 'deployments'] }));
  expect(line).toMatchObject({ teamId: 'T1', tries: 2, missing: ['password=[secret]', 'deployments'] });
});

it('a line of flat fields is the line that pino writes', () => {
  const flat = {
    requestId: '0b1e2f3a-4c5d-4e6f-8a9b-0c1d2e3f4a5b',
    quoted: 'a "b" \\ \n',
    status: 200,
    durationMs: 1.234,
    endless: Number.POSITIVE_INFINITY,
    isOn: true,
    none: null,
    missing: undefined,
  };
  const withoutTime = (line: string) => line.replace(/"time":"[^"]+"/, '');
  // pino writes fields that are not flat.
  const byPino = logged({ ...flat, deep: {} }).replace(',"deep":{}', '');
  expect(withoutTime(logged(flat))).toBe(withoutTime(byPino));
  expect(JSON.parse(logged(flat)).time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

it('an error in place of fields is logged as an error', () => {
  expect(JSON.parse(logged(new Error('no answer')))).toMatchObject({ err: { type: 'Error', message: 'no answer' } });
});
