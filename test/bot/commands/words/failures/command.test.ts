/** `failures` against the sample organization. */
import { describe, expect, it } from 'vitest';
import { sampleService, startTestCommands, useTestCommands } from '../../../../support/bot/commands.ts';
import { answer, relayTo, startHostileHttp } from '../../../../support/service/hostile-http.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

describe('failures', () => {
  it.each([
    ['failures payments', ':x: payments: 80 failures in 2,880 finished runs in the last 24 h, one cause.'],
    ['failures payments', ':red_circle: Failing now: every run since <!date'],
    ['failures payments', 'failed, starting 4 s after the deployment of <!date'],
    ['failures payments 2026-11-15', ':red_circle: Failing now: every run since <!date'],
    ['failures carbon-credits', ':warning: Silent: no run for 6 h'],
    ['failures eth-usd', ':large_green_circle: Recovered: the last failure was'],
    ['failures payments', '80 times in this window, from'],
    ['failures collateral', 'insufficient allowance'],
    ['failures xau', 'certificate has expired'],
    ['failures settlement 7d', 'recurring, classified as the workflow’s fault'],
    ['failures settlement 7d', 'new, classified as the platform’s fault'],
    ['failures collateral 1h', ' · new since <!date'],
    ['failures payments-staging', 'no failures in the last 24 h, all 24 finished runs succeeded'],
    ['failures invoice-sync', 'nothing failed and no run finished'],
  ])('%s says “%s”', async (line, words) => {
    expect((await type(line)).text).toContain(words);
  });

  it('of all workflows have one line for the outage, with the affected workflows', async () => {
    const { text } = await type('failures');
    expect(text).toContain('8 causes');
    expect(text).toMatch(/quorum not reached.*\n69 times.*platform’s fault\nIn .* and 2 more/);
  });

  it('calls a cause new by the runs before its first failure, not before the window', async () => {
    expect((await type('failures fx-rates 30d')).text).toContain(' · recurring,');
    expect((await type('failures payments 30d')).text).toContain(' · new, ');
  });

  it('of an ambiguous name keep the window in the choice', async () => {
    const { answer, text } = await type('failures pay 7d');
    expect(text).toContain('may be one of');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"value":"failures [0-9a-f-]{36} 7d"/);
  });

  it('of an unknown workflow id are refused', async () => {
    const { answer, text } = await type('failures 00000000-0000-4000-8000-000000000000');
    expect([answer.isProblem, text]).toEqual([
      true,
      expect.stringContaining('No workflow, run or deployment with this id'),
    ]);
  });

  it('are answered from the cache within a minute', async () => {
    await type('failures fx-rates');
    expect((await type('failures fx-rates')).hasWaited).toBe(false);
  });
});

describe('failures of a service that cannot count', () => {
  it('are shown, with a note that the number of runs is missing', async () => {
    const { url, apiKey } = await sampleService();
    const [relay, broken] = [relayTo(url), answer(500)];
    await using door = await startHostileHttp((request, response) =>
      (request.body.includes('workflowActivity(') ? broken : relay)(request, response),
    );
    const commands = await startTestCommands({ service: { url: door.url, apiKey } });
    const { text } = await commands.type('failures payments');
    expect(text).toContain(':x: payments: 80 failures in the last 24 h, one cause.');
    expect(text).toContain('Not known: the number of runs.');
    await commands.close();
  });
});
