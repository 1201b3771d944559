/** The hostile cases of the section `command`, typed at the real dispatcher over the real service. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { foreignIdPrefix } from '../../src/query-service/sample/organizations.ts';
import { foreignMarker } from '../../src/query-service/sample/recipes.ts';
import { startTestBot } from '../support/bot/bot.ts';
import {
  type SampleService,
  sampleNow,
  sampleService,
  startTestCommands,
  type TestCommands,
  type Typed,
} from '../support/bot/commands.ts';
import { somebody, stringsIn } from '../support/bot/every-answer.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { expectGoodMessage } from '../support/insight/message-rules.ts';
import { expectEvery } from '../support/runner/every.ts';
import { type HostileHttp, relayTo, startHostileHttp } from '../support/service/hostile-http.ts';
import { commandPayload } from '../support/slack/slack-payloads.ts';

let service: SampleService;
/** Counts the requests between the commands and the service. */
let relay: HostileHttp;
let commands: TestCommands;
let people = 0;

beforeAll(async () => {
  service = await sampleService();
  relay = await startHostileHttp(relayTo(service.url));
  commands = await startCommands(service.apiKey);
});

afterAll(async () => {
  await commands.close();
  await relay[Symbol.asyncDispose]();
});

/** The process answers a good command after every case. */
afterEach(async () => {
  people += 1;
  expect((await commands.run('status settlement', { person: somebody(people) })).isProblem).toBe(false);
});

function startCommands(apiKey: string, apiKeyOf?: (teamId: string) => string): Promise<TestCommands> {
  const options = { service: { url: relay.url, apiKey }, clock: () => sampleNow };
  return startTestCommands(apiKeyOf ? { ...options, apiKeyOf } : options);
}

/** Requests to the service during the case. */
type Asked = Typed & { readonly sent: readonly { readonly query: string; readonly variables: unknown }[] };

async function type(line: string, isFresh = false): Promise<Asked> {
  people += 1;
  const before = relay.requests.length;
  const typed = await commands.type(line, { person: somebody(people), isFresh });
  expectGoodMessage(typed.answer.message);
  return { ...typed, sent: relay.requests.slice(before).map(({ body }) => JSON.parse(body)) };
}

const isUsage = (typed: Asked) => {
  expect(typed.answer.visibility).toBe('ephemeral');
  expect(typed.text).toMatch(/\/workflow \w+|All commands/);
  expect(typed.sent).toEqual([]);
};

/** The words of the case, with the bot's word for `show`. */
const lineOf = (one: Parameters<CaseRun>[0]) => String(one.given['text']).replace(/^show/, 'status');
const isNotFound = ({ text, answer }: Asked) => {
  expect(text).toMatch(/No workflow is called|No workflow, run or deployment/);
  expect(answer.visibility).toBe('ephemeral');
};

/** All texts that Slack shows of an answer, with buttons and menus. */
const shown = ({ answer }: Typed) => stringsIn(answer.message).join('\n');

const runs: Readonly<Record<string, CaseRun>> = {
  blank: async (one) => isUsage(await type(lineOf(one))),
  help: async (one) => isUsage(await type(lineOf(one))),

  unknown: async (one) => {
    const typed = await type(lineOf(one));
    expect(typed.answer.isProblem).toBe(true);
    expect(typed.text).toMatch(/“explode”.*\/workflow help/s);
    expect((await type('staus')).text).toMatch(/Did you mean:.*\/workflow status/s);
  },

  'unknown-10k': async () => {
    const typed = await type('x'.repeat(10_000));
    expect(typed.sent).toEqual([]);
    expect(typed.answer.isProblem).toBe(true);
    expect(shown(typed)).not.toContain('x'.repeat(41));
    expect(shown(await type('x'.repeat(1999)))).not.toContain('x'.repeat(41));
  },

  'unknown-mention': async (one) => {
    const typed = await type(lineOf(one));
    expect(typed.answer.isProblem).toBe(true);
    expect(typed.text).not.toContain('<!');
    expect(typed.text).toContain('&lt;!channel&gt;');
  },

  nbsp: async () => {
    for (const space of ['\u00a0', '\u2003', '\u3000', '\u2028']) {
      const typed = await type(`list${space}settlement`);
      expect(typed.text).toContain('settlement');
      expect(typed.answer.isProblem).toBeUndefined();
    }
  },

  'em-dash-flag': async (one) => {
    expect((await type(lineOf(one))).answer.isProblem).toBe(true);
    const typed = await type('list \u2014status active');
    expect(typed.answer.isProblem).toBeUndefined();
    expect(typed.text).toContain('settlement');
  },

  'flag-injection': async (one) => {
    const typed = await type(lineOf(one));
    isUsage(typed);
    expect(typed.text).toContain('Unknown option --base-url');
  },

  'double-entity': async (one) => {
    await using bot = await startTestBot({ answer: commands.dispatch });
    const { payload } = await bot.slack.send('slash_commands', commandPayload(bot.slack, lineOf(one)));
    expect(bot.requests[0]?.line).toBe('status &lt;x');
    expect(payload).toMatchObject({ text: expect.stringContaining('&amp;lt;x') });
  },

  'user-ref': async (one) => {
    const typed = await type(lineOf(one));
    isNotFound(typed);
    expect(typed.text).not.toContain('<@');
  },

  'uuid-foreign': async () => {
    const [foreign, random] = [
      `${foreignIdPrefix}-0000-4000-8000-000000000000`,
      '00000000-0000-4000-8000-000000000000',
    ];
    const real = await foreignWorkflow();
    for (const word of ['status', 'execution', 'timeline', 'logs', 'failures']) {
      const answers = await Promise.all([foreign, real, random].map((uuid) => type(`${word} ${uuid}`)));
      const texts = answers.map((typed) => shown(typed).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uuid'));
      expect(texts[0]).toBe(texts[2]);
      expect(texts[1]).toBe(texts[2]);
      expect(texts.join()).not.toContain(foreignMarker);
    }
  },

  ambiguous: async () => {
    const typed = await type('status pay');
    const choices = shown(typed).match(/^status [0-9a-f-]{36}/gm) ?? [];
    expect(choices.length).toBeGreaterThan(1);
    expect(choices.length).toBeLessThanOrEqual(10);
  },

  wildcards: async (one) => {
    for (const line of [lineOf(one), 'status _', 'status .*']) isNotFound(await type(line));
  },

  graphql: async (one) => {
    const typed = await type(lineOf(one));
    isNotFound(typed);
    expect(JSON.stringify(typed.sent.map(({ variables }) => variables))).toContain('x\\") { data');
    for (const { query } of typed.sent) expect(query).not.toContain('x\\"');
    expectEvery(typed.sent, ({ query }) => !query.includes('{ data { uuid } } } #'));
  },

  'page-neg': async () => isUsage(await type('list --page -1')),
  'page-huge': async () => expect((await type('list --page 999999999')).text).toContain('There is no page'),
  'window-inverted': async () => isUsage(await type('status settlement 2026-02-01..2026-01-01')),

  'key-in-wrong-place': async (one) => {
    const typed = await type(lineOf(one));
    expect(typed.text).toContain('looks like a secret');
    expect(typed.sent).toEqual([]);
    expect(shown(typed) + commands.logged()).not.toContain('8f3b1c9d');
  },

  'emoji-arg': async (one) => isNotFound(await type(lineOf(one))),

  'rtl-arg': async (one) => {
    const typed = await type(lineOf(one));
    isNotFound(typed);
    expect(shown(typed)).toContain('gnp');
    expect(shown(typed)).not.toMatch(/\p{Bidi_Control}/u);
  },

  nfd: async () => {
    const decomposed = await type('status U\u0308ni');
    expect(JSON.stringify(decomposed.sent.map(({ variables }) => variables))).toContain('\u00dcni');
    expect(decomposed.text).toBe((await type('status \u00dcni')).text);
    isNotFound(decomposed);
  },

  '4000': async () => {
    const typed = await type('é'.repeat(4000));
    expect(typed.answer.isProblem).toBe(true);
    expect(typed.sent).toEqual([]);
    expect(shown(typed)).not.toContain('é'.repeat(41));
  },

  'spam-50': async () => {
    const person = somebody(1_000_000);
    const before = relay.requests.length;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => commands.type('list', { person, isFresh: true })),
    );
    const slowed = answers.filter(({ answer }) => answer.isProblem);
    expect(slowed).toHaveLength(40);
    expect(new Set(slowed.map(({ text }) => text)).size).toBe(1);
    expect(slowed[0]?.text).toContain('Try again in');
    expect(relay.requests.length - before).toBeLessThanOrEqual(10);
  },

  'cache-cross-team': async () => {
    const keys: Readonly<Record<string, string>> = { T1: commands.apiKey, T2: service.foreignKey };
    const two = await startCommands(commands.apiKey, (teamId) => keys[teamId] ?? '');
    const before = relay.requests.length;
    const [own, foreign] = await Promise.all(
      ['T1', 'T2'].map((teamId) => two.type('list', { person: { teamId, userId: 'U1', channelId: 'C1' } })),
    );
    await two.close();
    expect(relay.requests.length - before).toBeGreaterThanOrEqual(2);
    expect(foreign?.text).toContain(foreignMarker);
    expect(own?.text).not.toContain(foreignMarker);
    expect(foreign?.text).not.toContain('settlement');
  },

  dm: async () => {
    expect((await answeredIn('D0ANNA')).payload['text']).toContain('settlement');
  },

  'private-channel-no-bot': async () => {
    const { payload, calls } = await answeredIn('G0PRIVATE');
    expect(payload).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining('settlement') });
    expect(calls.filter((method) => method.startsWith('chat.'))).toEqual([]);
  },
};

/** Types `list` in a Slack channel. @returns the messages to its `response_url`, and the called methods */
async function answeredIn(channel_id: string) {
  await using bot = await startTestBot({
    answer: (request, hooks) => commands.dispatch({ ...request, isFresh: true }, hooks),
  });
  await bot.slack.send('slash_commands', commandPayload(bot.slack, 'list', { channel_id }));
  const { payload } = await bot.slack.until(() => bot.slack.responses[0]);
  return { payload, calls: bot.slack.calls.map(({ method }) => method) };
}

/** The uuid of a workflow of the other organization. */
async function foreignWorkflow(): Promise<string> {
  const query = '{ workflows(input: { page: { number: 0, size: 1 } }) { data { uuid } } }';
  const { body } = await service.ask<{ workflows: { data: { uuid: string }[] } }>(query, null, service.foreignKey);
  const uuid = body.data?.workflows.data[0]?.uuid ?? '';
  expect(uuid).toContain(foreignIdPrefix);
  return uuid;
}

walk({ section: 'command', runs });
