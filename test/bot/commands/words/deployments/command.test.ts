/** `deployments` against the sample organization. */
import { describe, expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const test = useTestCommands();

describe('deployments', () => {
  it.each([
    ['deployments payments', /deployed <!date[^>]*09:50 UTC>, now active · 80 finished runs, all failed/],
    ['deployments payments-staging', /:x: attempted .*failed.*\n.*the limit is 20 MB/],
    ['deployments loyalty-points', /:double_vertical_bar: paused <!date[^>]*> · no finished runs/],
    ['deployments invoice-sync', /Deployments of invoice-sync/],
    ['deployments payments --page 9', /There is no page 9/],
  ])('%s shows its history', async (line, words) => {
    expect((await test().type(line)).text).toMatch(words);
  });

  it('of a mistyped name say which workflow was assumed', async () => {
    expect((await test().type('deployments paymnts')).text).toContain(
      'Showing payments, the closest match for “paymnts”.',
    );
  });

  it('of an unknown uuid are refused', async () => {
    const { answer, text } = await test().type('deployments 00000000-0000-4000-8000-000000000000');
    expect([answer.isProblem, text]).toEqual([
      true,
      expect.stringContaining('No workflow, run or deployment with this id'),
    ]);
  });
});
