/** `list` against the sample organization: filters by what it prints. */
import { describe, expect, it } from 'vitest';
import { listedStatuses, listedStatusLabel } from '../../../../../src/bot/commands/words/list/view.ts';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const test = useTestCommands();
const type = async (line: string) => (await test().type(line)).text;

/** @returns the first column, without emoji */
const namesIn = (text: string) =>
  [...text.matchAll(/^:[a-z_]+: (.+?)(?: \(.*?\))? · .* · /gm)].map(([, name = '']) => name);

describe('list', () => {
  it.each([
    ['list --status failing', ['payments', 'collateral-rebalance']],
    ['list --status failed', ['payments', 'collateral-rebalance']],
    ['list failing', ['payments', 'collateral-rebalance']],
    ['list silent', ['carbon-credits']],
    ['list --status never-ran', ['invoice-sync']],
    ['list Never ran', ['invoice-sync']],
    ['list --status silent,never_ran', ['carbon-credits', 'invoice-sync']],
    ['list --status paused', ['loyalty-points']],
    ['list --status failing,deleted', ['payments', 'collateral-rebalance', 'legacy-payouts']],
    ['list pay --status failing', ['payments']],
  ])('%s has %j', async (line, names) => {
    expect(namesIn(await type(line))).toEqual(names);
  });

  it('says which, and links to itself with the same words', async () => {
    const { answer, text } = await test().type('list --status silent,never-ran');
    expect(text).toMatch(/^Workflows with the status silent or never ran: 1 silent, 1 never ran\./);
    expect(JSON.stringify(answer.message.blocks)).toContain('"list --status silent,never-ran"');
  });

  it('takes every status that it prints, and says when none has it', async () => {
    for (const status of listedStatuses) {
      expect(await type(`list --status ${listedStatusLabel(status).replaceAll(' ', '-')}`)).toMatch(
        /Workflows with the status|no workflows with the status/,
      );
    }
    expect(await type('list --status pending')).toMatch(/^There are no workflows with the status pending\./);
    expect(await type('list nosuchname')).toMatch(/^There are no workflows with “nosuchname” in the name\./);
  });
});
