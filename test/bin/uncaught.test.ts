/** An uncaught error ends the process, with a log line. */
import { expect, test } from 'vitest';
import { startProgram } from '../support/programs/program.ts';

test('an uncaught error is logged without its secrets, and ends the process with exit code 1', async () => {
  const program = startProgram({ entry: 'test/support/programs/throw-uncaught.ts' });
  expect(await program.ended).toBe(1);
  expect(JSON.parse(program.output())).toMatchObject({
    level: 'fatal',
    msg: 'uncaught error',
    origin: 'unhandledRejection',
    err: { message: expect.stringContaining('Authorization') },
  });
  expect(program.output()).not.toContain('0123456789abcdef');
});
