/** `deployment` against the sample organization. */
import { describe, expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

async function uuidInMenu(): Promise<string> {
  const { answer } = await type('deployments payments-staging');
  return /"value":"deployment ([0-9a-f-]{36})"/.exec(JSON.stringify(answer.message.blocks))?.[1] ?? '';
}

describe('deployment', () => {
  it('of a workflow is its newest, with its error', async () => {
    const { text } = await type('deployment payments-staging');
    expect(text).toContain(':x: Deployment of payments-staging: failed');
    expect(text).toContain('the limit is 20 MB');
  });

  it('is found by its uuid in upper and lower case and by a link with it', async () => {
    const uuid = await uuidInMenu();
    for (const typed of [uuid, uuid.toUpperCase(), `https://app.example.com/deployments/${uuid}`]) {
      expect((await type(`deployment ${typed}`)).text).toContain(`Deployment ${uuid}`);
    }
  });

  it('is found by what lists and answers print of it', async () => {
    const { text: list } = await type('deployments payments');
    const [, short = ''] = /now active.* · ([0-9a-f]{8})$/m.exec(list) ?? [];
    const { text } = await type(`deployment ${short}`);
    const [, transaction = ''] = /Transaction: (0x[0-9a-f]{64})/.exec(text) ?? [];
    expect(text).toContain(`Deployment ${short}`);
    expect(text).toMatch(/^:red_circle: Failing now: .*\nWhat to try: .*\n:red_circle: Deployment of payments: active/);
    const [, replaced = ''] = /since replaced.* · ([0-9a-f]{8})$/m.exec(list) ?? [];
    expect((await type(`deployment ${replaced}`)).text).toContain('Deployment of payments: replaced');
    for (const typed of [transaction, transaction.slice(0, 8), `${transaction.slice(0, 8)}…${transaction.slice(-6)}`]) {
      expect((await type(`deployment ${typed}`)).text).toContain(`Deployment ${short}`);
    }
  });

  it('that broke every run is red, in the list and alone', async () => {
    expect((await type('deployments payments')).text).toMatch(
      /newest first\n• :red_circle: deployed .*now active.*all failed/,
    );
    const { text } = await type('deployment payments');
    expect(text).toMatch(
      /\n:red_circle: Deployment of payments: active, .*\. 80 of 80 runs since then failed; .*, 0 of [\d,]+ failed\./,
    );
    expect(text).toContain('What to try: roll back to the version deployed');
  });

  it('is found by the uuid and the id of its workflow', async () => {
    const { answer } = await type('deployment payments-staging');
    const [, workflow = ''] = /"value":"deployments ([0-9a-f-]{36})"/.exec(JSON.stringify(answer)) ?? [];
    expect((await type(`deployment ${workflow}`)).text).toContain('Deployment of payments-staging: failed');
  });

  it.each(['00000000-0000-4000-8000-000000000000', `0x${'0'.repeat(64)}`])('of the id %s is refused', async (id) => {
    const { answer, text } = await type(`deployment ${id}`);
    expect(answer.isProblem).toBe(true);
    expect(text).toMatch(/No workflow, run or deployment with this id was found/);
  });

  it('of an ambiguous name lets the person choose', async () => {
    const { answer } = await type('deployment pay');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"value":"deployment [0-9a-f-]{36}"/);
  });
});
