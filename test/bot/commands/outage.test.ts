/** While the query service does not answer: what was known stays known. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type SampleService,
  sampleNow,
  sampleService,
  startTestCommands,
  type TestCommands,
} from '../../support/bot/commands.ts';
import { type HostileHttp, relayTo, reset, startHostileHttp } from '../../support/service/hostile-http.ts';

const minuteMs = 60_000;
let service: SampleService;
let relay: HostileHttp;
let commands: TestCommands;
let now = sampleNow;

beforeAll(async () => {
  service = await sampleService();
});
afterAll(async () => {
  await commands.close();
  await relay[Symbol.asyncDispose]();
});

beforeEach(async () => {
  now = sampleNow;
  relay = await startHostileHttp(relayTo(service.url));
  commands = await startTestCommands({ service: { ...service, url: relay.url }, clock: () => (now += 7) });
});

const type = async (line: string) => (await commands.type(line)).text;

function breakService(forMinutes: number): void {
  relay.behaveAs(reset);
  now += forMinutes * minuteMs;
}

describe('another window than the one that was read', () => {
  it.each([
    ['status collateral-rebalance', 'is failing: all 5 runs since <!date'],
    ['status collateral-rebalance 7d', 'is failing: all 5 runs since <!date'],
    ['failures collateral-rebalance', 'Failing now: every run since <!date'],
    ['executions collateral-rebalance', 'Failing now: every run since <!date'],
    ['activity collateral-rebalance 24h', 'Failing now: every run since <!date'],
  ])(
    'after “%s” still has the age and the state first, then that its numbers could not be read',
    async (line, state) => {
      await type(line);
      breakService(10);
      const text = await type(`${line.replace(/ (?:7d|24h)$/, '')} 5h`);
      expect(text).toMatch(/^:warning: This answer is 10 min old, as of <!date/);
      expect(text).toContain(state);
      const known = line.endsWith('7d') ? 'the last 7 days' : 'the last 24 h';
      const note = `Nothing could be read for the window that was asked for (in the last 5 h). These numbers are for another one (in ${known}).`;
      expect(text).toContain(note);
      expect(text.indexOf(state)).toBeLessThan(text.indexOf(note));
    },
  );

  it.each(['status', 'executions', 'activity'])('is refused if nothing is known of the workflow: %s', async (word) => {
    await type(`${word} payments`);
    breakService(10);
    expect(await type(`${word} settlement 5h`)).toContain('cannot be reached');
  });

  it('serves no list of another result or page', async () => {
    await type('executions payments');
    breakService(10);
    expect(await type('executions payments failed 5h')).toContain('cannot be reached');
    expect(await type('executions payments 5h --page 2')).toContain('cannot be reached');
  });

  it('is not mentioned once the service answers again', async () => {
    await type('status collateral-rebalance');
    breakService(1);
    await type('status collateral-rebalance 5h');
    relay.behaveAs(relayTo(service.url));
    expect(await type('status collateral-rebalance 5h')).not.toContain('could be read');
  });
});

describe('the age of a cause', () => {
  it.each(['failures', 'failures collateral-rebalance', 'failures 7d'])(
    'in “%s” is kept with the older answer',
    async (line) => {
      const agesOf = (text: string) => text.match(/ · (?:new|recurring|ongoing|age not known)/g) ?? [];
      const before = agesOf(await type(line));
      expect(before).toContain(' · new');
      breakService(10);
      const ages = agesOf(await type(line));
      // With one line more, a long text is cut a line earlier.
      expect(ages).toEqual(before.slice(0, ages.length));
      expect(ages.length).toBeGreaterThanOrEqual(Math.max(1, before.length - 1));
    },
  );

  it('is known of one workflow by what was read of all', async () => {
    await type('failures');
    const healthy = relayTo(service.url);
    relay.behaveAs((request, response) =>
      request.body.includes('workflowExecutions0') ? reset(request, response) : healthy(request, response),
    );
    now += minuteMs;
    const text = await type('failures collateral-rebalance');
    expect(text).toMatch(/^:warning: This answer is 1 min old, as of <!date/);
    expect(text).toContain(' · new');
  });

  it('is not blamed on the number of older failures if they could not be read', async () => {
    const healthy = relayTo(service.url);
    relay.behaveAs((request, response) =>
      request.body.includes('workflowExecutions0') ? reset(request, response) : healthy(request, response),
    );
    expect(await type('failures collateral-rebalance')).toContain('age not known (older failures could not be read)');
  });
});

describe('a workflow that is silent', () => {
  const silent = /gone silent|Silent|1 silent/;

  it.each(['status carbon-credits', 'failures carbon-credits', 'executions carbon-credits', 'list'])(
    'stays silent in “%s”, with the age first',
    async (line) => {
      expect(await type(line)).toMatch(silent);
      breakService(10);
      const text = await type(line);
      expect(text).toMatch(/^:warning: This answer is 10 min old, as of <!date/);
      expect(text).toMatch(silent);
      expect(text).not.toContain('Not known');
    },
  );

  it('stays silent in a list that is older than what another command read since', async () => {
    await type('executions payments');
    await type('list');
    now += 20 * minuteMs;
    await type('executions payments');
    breakService(10);
    const text = await type('list');
    expect(text).toMatch(/^:warning: This answer is 30 min old, as of <!date/);
    expect(text).toMatch(silent);
    expect(text).not.toContain('Not known');
  });

  it('is silent on Home, too, by what the list read', async () => {
    const person = { teamId: 'T1', userId: 'U1' };
    await type('list');
    breakService(10);
    const { health } = await commands.homeOf(person);
    expect(health.kind === 'known' && health.judged.map((each) => each.health.verdict)).toContain('silent');
  });
});
