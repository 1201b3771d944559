/** `timeline` against the sample organization. */
import { expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

it.each(['failed', 'FAILED', 'failure', 'running', 'in progress', 'completed with errors', 'succeeded,failed'])(
  'takes the status “%s”',
  async (status) => {
    const { answer, text } = await type(`timeline payments --status ${status}`);
    expect(answer.isProblem).toBeUndefined();
    expect(text).toMatch(/^Capability timeline of payments, run [0-9a-f]{8} \(/);
  },
);

it('an unknown status lists the known ones', async () => {
  const { answer, text } = await type('timeline payments --status zz');
  expect(answer.isProblem).toBe(true);
  expect(text).toContain('Unknown status “zz”. Available: succeeded, completed-with-errors, failed, in-progress');
});

it('a capability that no step has is named with the steps', async () => {
  const { text } = await type('timeline payments --capability zz');
  expect(text).toMatch(/no step matches capability “zz”; steps: .*\((succeeded|failed)\)/);
});
