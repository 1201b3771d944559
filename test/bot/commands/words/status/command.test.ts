/** `status` against the sample organization. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sampleNow, sampleService, startTestCommands, useTestCommands } from '../../../../support/bot/commands.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { relayTo, reset, startHostileHttp } from '../../../../support/service/hostile-http.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

describe('status', () => {
  it('says that payments has failed since its deployment, and why', async () => {
    const { text } = await type('status payments');
    expect(text).toMatch(
      /^:red_circle: payments is failing: .*: “422 .*settlementCurrency.*”\.\nWhat to try: roll back to the version deployed <!date[^>]*>\.\n/,
    );
    expect(text).toContain('settlementCurrency');
    expect(text).toContain('workflow’s fault');
    expect(text).toContain('Last deployment');
  });

  it.each([
    ['status fx-rates', ':large_yellow_circle: fx-rates is unstable'],
    ['status payments-staging', ':large_green_circle: payments-staging is healthy'],
    ['status loyalty-points', 'loyalty-points is paused'],
    ['status invoice-sync', ':grey_question: invoice-sync has never run: activated 2 d'],
    ['status legacy-payouts', 'legacy-payouts is deleted'],
    ['status carbon-credits', 'carbon-credits has gone silent: no run for 6 h'],
  ])('answers “%s” with the state of the workflow', async (line, words) => {
    expect((await type(line)).text).toContain(words);
  });

  it('counts the successes of payments-eu that completed with errors, and says of how many', async () => {
    expect((await type('status payments-eu')).text).toContain('*Completed with errors*\n17 of 94 successful runs');
    expect((await type('status payments-eu 7d')).text).toMatch(
      /errors\*\nat least \d+: only the newest 100 successful runs were looked at/,
    );
  });

  it('has the days of the reader’s zone: in Kiritimati it is tomorrow', async () => {
    // 10:30 UTC on Saturday is 00:30 on Sunday there; 80 runs failed since 9:50 UTC.
    const commands = await startTestCommands({ zone: 'Pacific/Kiritimati', clock: () => sampleNow });
    onTestFinished(commands.close);
    const { text } = await commands.type('status payments');
    expect(text).toMatch(
      /Runs per day \(Pacific\/Kiritimati; .*\nSat 21 █+▒ +2,880 · 20 failed\nSun 22 ▒ +60 · 60 failed/s,
    );
  });

  it('accepts a mistyped name and names the workflow it assumed', async () => {
    const { text } = await type('status paymnts');
    expect(text).toContain('payments is failing');
    expect(text).toContain('Showing payments, the closest match for “paymnts”.');
  });

  it('of an ambiguous name lets the person choose, and runs again with the choice', async () => {
    const { answer, text } = await type('status pay 7d');
    expect(text).toContain('may be one of');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"value":"status [0-9a-f-]{36} 7d"/);
  });

  it('of an ambiguous name lets the person choose also with a window too long for a menu', async () => {
    const { answer, text } = await type('status pay 2026-11-20T10:00:00Z..2026-11-20T12:00:00Z');
    expect(text).toContain('may be one of 4 workflows');
    expect(JSON.stringify(answer)).toContain('"text":"payments-eu"');
    expectGoodMessage(answer.message);
  });

  it('explains windows if more words than a name were typed', async () => {
    const { text } = await type('status pay ments lastish week');
    expect(text).toMatch(/A window is a time span such as 24h, .*yesterday, .*since 23:00/);
    expect(text).toContain('• payments (active)');
  });

  it('refuses an invalid window with the accepted forms and an example', async () => {
    const { text } = await type('status payments 2026-02-30');
    expect(text).toContain('The window “2026-02-30” is not a date that exists. A window is a time span such as 24h,');
    expect(text).toContain('/workflow status payments-eu 7d');
  });

  it('of an unknown name offers the nearest ones', async () => {
    const { answer, text } = await type('status qqqqqqqqqqqqqq');
    expect(text).toContain('No workflow is called “qqqqqqqqqqqqqq”');
    expect(JSON.stringify(answer.message.blocks)).toContain('List all workflows');
  });

  it('finds a workflow by its uuid, its id and a link with either', async () => {
    const [, uuid = ''] =
      /"value":"status ([0-9a-f-]{36}) 24h"/.exec(JSON.stringify((await type('status payments')).answer)) ?? [];
    for (const typed of [uuid, uuid.toUpperCase(), `https://app.example.com/workflows/${uuid}`]) {
      expect((await type(`status ${typed}`)).text).toContain('payments is failing');
    }
  });

  it('answers an id of another organization exactly as one that does not exist', async () => {
    const foreign = await type(`status ${'b1acc0de'.repeat(8)}`);
    expect(foreign.text).toBe((await type(`status ${'0'.repeat(64)}`)).text);
    expect(foreign.text).toContain('No workflow, run or deployment');
  });

  it('counts a day in the reader’s zone against the day before', async () => {
    const { text } = await type('status payments-eu yesterday');
    expect(text).toMatch(/\*Runs\*\n96 \(the 24 h before: 96\)/);
  });

  it('shows the whole last day of a window that ends within it', async () => {
    const { text } = await type('status payments-eu 2026-11-20T00:00Z..06:00Z');
    expect(text).toContain('*Runs*\n24 ');
    expect(text).toMatch(/Fri 20 .* 96 · 2 failed/);
  });

  it('shows markup in a name as its characters', async () => {
    const { answer } = await type('status bold');
    expect(JSON.stringify(answer.message.blocks)).toContain('<!channel> *bold* <https://evil.example|click>');
    expect(answer.message.text).not.toMatch(/<!channel|<https/);
  });
});

describe('a stale answer while the service is down', () => {
  it('does not count as silence of the workflow', async () => {
    let now = sampleNow;
    const { url, apiKey } = await sampleService();
    await using relay = await startHostileHttp(relayTo(url));
    const commands = await startTestCommands({ service: { url: relay.url, apiKey }, clock: () => now });
    await commands.type('status payments-staging');
    relay.behaveAs(reset);
    now += 6 * 3_600_000;
    const { text } = await commands.type('status payments-staging');
    expect(text).toContain('payments-staging is healthy');
    expect(text).toMatch(
      /^:warning: This answer is 6 h old, as of <!date[^>]+>: the query service has been unreachable since <!date[^>]+>\.\n/,
    );
    await commands.close();
  });
});

describe('many readers of the same card', () => {
  it('get the same object within a second, and each workspace and wording its own', async () => {
    let now = sampleNow;
    const commands = await startTestCommands({ clock: () => now });
    const cardOf = async (line: string, teamId = 'T1') => {
      const person = { teamId, userId: `U${randomUUID()}`, channelId: 'C1' };
      return (await commands.type(line, { person })).answer.message;
    };
    await Promise.all(['T1', 'T2'].map((teamId) => cardOf('status payments', teamId)));
    const card = await cardOf('status payments');
    now += 800;
    expect(await cardOf('status payments')).toBe(card);
    expect((await cardOf('status paymnts')).text).toContain('Showing payments, the closest match for “paymnts”.');
    expect((await cardOf('status payments', 'T2')).text).toBe(card.text);
    expect(await cardOf('status payments', 'T2')).not.toBe(card);
    now += 8_000;
    expect((await cardOf('status payments')).text).toContain('(cached)');
    await commands.close();
  });
});
