/** The hostile cases of the section `upstream`, through the real dispatcher and the real query client, over real sockets. */
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { deadlineDefaultMs } from '../../src/bot/query/client/deadline.ts';
import { createQueryService, type QueryServiceDeps } from '../../src/bot/query/query-client.ts';
import { startTestBot, withoutWaiting } from '../support/bot/bot.ts';
import { startTestCommands, type TestCommands } from '../support/bot/commands.ts';
import { somebody, stringsIn } from '../support/bot/every-answer.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import type { HostileCase } from '../support/hostile/hostile.ts';
import { expectGoodMessage } from '../support/insight/message-rules.ts';
import { startControl } from '../support/runner/control.ts';
import { expectEvery } from '../support/runner/every.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';
import {
  answer,
  type Behaviour,
  type HostileHttp,
  inTurn,
  relayTo,
  resetMidBody,
  startHostileHttp,
} from '../support/service/hostile-http.ts';
import { startWorld, type WorldRows, worldKey, worldNow, worldTime, worldUuids } from '../support/service/world.ts';
import { commandPayload } from '../support/slack/slack-payloads.ts';

/** Commands with this service address; pauses are recorded instead of waited for. */
async function startCommands(url: string, deps: Partial<QueryServiceDeps> = {}) {
  const waits: number[] = [];
  const commands = await startTestCommands({
    service: { url, apiKey: worldKey },
    clock: () => worldNow,
    answerWithinMs: deadlineDefaultMs,
    query: { wait: async (ms) => waits.push(ms), ...deps },
  });
  return { ...commands, waits, [Symbol.asyncDispose]: commands.close };
}

type Refusal = {
  readonly text: string;
  /** All output for Slack. */
  readonly shown: string;
  readonly requests: number;
  readonly waits: readonly number[];
  readonly logged: string;
};

/** A command that gets no answer from such a service: the person's message, and the cost. */
async function refusalOver(behaviour: Behaviour, line = 'list'): Promise<Refusal> {
  await using server = await startHostileHttp(behaviour);
  await using commands = await startCommands(server.url);
  const { answer: refusal, text } = await commands.type(line);
  expect(refusal.isProblem).toBe(true);
  expect(refusal.visibility).toBe('ephemeral');
  expectGoodMessage(refusal.message);
  // A list that is not read has no health, so the service gets no further query.
  const requests = server.requests.length;
  await expectAlive(server, commands);
  const shown = stringsIn(refusal.message).join('\n');
  return { text, shown, requests, waits: commands.waits, logged: commands.logged() };
}

/** A good command is answered once the service is healthy. */
async function expectAlive(server: HostileHttp, commands: TestCommands): Promise<void> {
  await using world = await startWorld();
  server.behaveAs(relayTo(world.url));
  const later = { person: { teamId: 'T9', userId: 'U9', channelId: 'C9' }, isFresh: true };
  expect((await commands.run('list', later)).isProblem).toBe(false);
}

/** The answer of the case. */
function behaviourOf({ given }: HostileCase): Behaviour {
  const { status = 200, body = '', ctype = 'application/json', headers = {} } = given;
  return answer(Number(status), body, { 'content-type': String(ctype), ...(headers as Record<string, string>) });
}

const refusedKey: CaseRun = async (one) => {
  const { text, shown, requests } = await refusalOver(behaviourOf(one));
  expect(text).toContain('refused this workspace’s API key');
  expect(shown).toContain('cmd:open:connect');
  expect(text).toContain('bot admin can ');
  expect(requests).toBe(1);
};

const down: CaseRun = async (one) => {
  const { text, shown, requests, waits, logged } = await refusalOver(behaviourOf(one));
  expect(text).toContain('it answered with an error of its own');
  expect(text).toContain('ref-1');
  expect(logged).toContain('"ref":"ref-1"');
  expect(shown + logged).not.toMatch(/<html|Bad gateway/);
  expect(requests - 1).toBe(one.expect['retries']);
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(8000);
};

const badAnswer: CaseRun = async (one) => {
  const { text, requests } = await refusalOver(behaviourOf(one));
  expect(text).toContain('its answer cannot be read');
  expect(requests).toBe(1);
};

/** @param seconds the wait that the message names */
const busy =
  (seconds: number): CaseRun =>
  async (one) => {
    const { text, waits } = await refusalOver(behaviourOf(one));
    expect(text).toContain(`Try again in ${seconds} s`);
    expect(waits.filter((ms) => ms > 8000)).toEqual([]);
  };

/** The key is sent to the allowed host only. */
const redirect: CaseRun = async (one) => {
  await using other = await startHostileHttp(answer(200, { data: {} }));
  const { headers } = one.given as { headers: { location: string } };
  for (const location of [headers.location, other.url]) {
    const { text, requests } = await refusalOver(answer(Number(one.given['status']), '', { location }));
    expect(text).toContain('its answer cannot be read');
    expect(requests).toBe(1);
  }
  expect(other.requests).toEqual([]);
};

/** Runs every command that shows the odd record. @returns all texts */
async function textsOver(rows: WorldRows): Promise<string> {
  await using world = await startWorld(undefined, rows);
  await using commands = await startCommands(world.url);
  const lines = [
    'list',
    `status ${worldUuids.workflow}`,
    `executions ${worldUuids.workflow}`,
    `failures ${worldUuids.workflow}`,
    ...['execution', 'timeline', 'logs'].map((word) => `${word} ${worldUuids.failure}`),
  ];
  const ran = await Promise.all(lines.map((line, index) => commands.run(line, { person: somebody(index) })));
  for (const { messages, isProblem } of ran) {
    expect(isProblem).toBe(false);
    for (const message of messages) expectGoodMessage(message);
  }
  return ran.flatMap(({ messages }) => messages.map(({ text }) => text)).join('\n---\n');
}

/** No age or duration is negative or not a number. */
const nonsense = /(?<![\d:T-])-\d+(?:\.\d+)? (?:ms|s|min|h|d)\b|NaN|Invalid|undefined|\[object|0001-01-01|1970-01-01/;

const odd =
  (rows: WorldRows, look: (texts: string) => void): CaseRun =>
  async () => {
    const texts = await textsOver(rows);
    expect(texts).not.toMatch(nonsense);
    look(texts);
  };

/** A server that accepts connections without TLS: the connection is never established. */
const connectHang: CaseRun = async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await using commands = await startCommands(`https://127.0.0.1:${port}/graphql`);
  const limit = startControl(30_000);
  const { text } = await commands.type('list');
  expect(limit.isOver()).toBe(false);
  expect(text).toContain('it cannot be reached');
  server.close();
};

const unreachable =
  (url: string): CaseRun =>
  async () => {
    await using commands = await startCommands(url);
    const limit = startControl(30_000);
    const { text, answer: refusal } = await commands.type('list');
    expect(refusal.isProblem).toBe(true);
    expect(text).toContain('it cannot be reached');
    expect(limit.isOver()).toBe(false);
  };

/** One gibibyte of one letter compressed to one mebibyte, with and without a Content-Encoding header. */
const gzipBomb: CaseRun = async ({ expect: wanted }) => {
  const member = gzipSync(Buffer.alloc(16 * 1024 * 1024, 'x'));
  const bomb = Buffer.concat(Array.from({ length: 64 }, () => member));
  const before = process.memoryUsage().rss;
  for (const encoding of ['gzip', 'identity']) {
    const { text } = await refusalOver((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(bomb);
    });
    expect(text).toContain('its answer cannot be read');
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(16 * Number(wanted['readMax']));
};

/** Slack is acknowledged while the service is still working; the answer goes to `response_url`. */
const slow: CaseRun = async () => {
  await using world = await startWorld();
  const gate = Promise.withResolvers<void>();
  const relay = relayTo(world.url);
  await using server = await startHostileHttp(async (request, response) => {
    await gate.promise;
    await relay(request, response);
  });
  await using commands = await startCommands(server.url);
  await using bot = await startTestBot({ timing: withoutWaiting, answer: commands.dispatch });
  // The service has not answered yet.
  const { payload } = await bot.slack.send('slash_commands', commandPayload(bot.slack, 'list'));
  expect(payload).toEqual({});
  gate.resolve();
  const response = await bot.slack.until(() => bot.slack.responses[0]);
  expect(response.payload).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining('payments') });
};

/** Two hundred workspaces on one busy service: each sends one request and waits; a workspace of another service is not delayed. */
const storm: CaseRun = async ({ given }) => {
  await using busyServer = await startHostileHttp(answer(429, '', { 'retry-after': '60' }));
  await using world = await startWorld();
  const query = createQueryService({
    clock: () => worldNow,
    log: createMemoryLog().log,
    origins: [busyServer.url, world.url],
    wait: async () => undefined,
  });
  const of = (team: number, endpoint: string) =>
    query.forWorkspace({ teamId: `T${team}`, keyId: 'k', endpoint, apiKey: worldKey }, { isFresh: true });
  const workspaces = Array.from({ length: Number(given['workspaces']) }, (_, team) => team);
  for (let turn = 0; turn < 3; turn += 1) {
    const asked = workspaces.map((team) => of(team, busyServer.url).organization());
    expectEvery(await Promise.allSettled(asked), ({ status }) => status === 'rejected');
    expect((await of(999, world.url).organization()).data.displayName).toBe('Acme');
  }
  await query.close();
  expect(busyServer.requests.length).toBe(workspaces.length);
};

const flap: CaseRun = async () => {
  await using world = await startWorld();
  await using server = await startHostileHttp(inTurn(answer(401), relayTo(world.url)));
  await using commands = await startCommands(server.url);
  expect((await commands.run('list')).isProblem).toBe(true);
  const { messages, isProblem } = await commands.run('list');
  expect(isProblem).toBe(false);
  expect(messages[0]?.text).not.toMatch(/refused/i);
};

const errorsSecret: CaseRun = async () => {
  const echo: Behaviour = (request, response) =>
    answer(200, { data: null, errors: [{ message: `boom ${request.headers.authorization}` }] })(request, response);
  const { shown, logged } = await refusalOver(echo);
  expect(shown + logged).not.toContain(worldKey);
};

const maintenance: CaseRun = async (one) => {
  expect((await refusalOver(behaviourOf(one))).waits).toEqual([]);
  const { requests, waits } = await refusalOver(answer(503, '', { 'retry-after': '3' }));
  expect([requests, waits]).toEqual([2, [3000]]);
};

const midBody: CaseRun = async ({ expect: wanted }) => {
  const { requests, text } = await refusalOver(resetMidBody);
  expect(requests - 1).toBe(wanted['retried']);
  expect(text).toContain('it cannot be reached');
};

const late = { startedAt: worldTime(-60), finishedAt: null };

const runs: Readonly<Record<string, CaseRun>> = {
  '200-unauth': refusedKey,
  '401-html': refusedKey,
  '401-flap': flap,
  '429-ra': busy(7),
  '429-ra-huge': busy(300),
  '429-ra-garbage': busy(5),
  '429-storm': storm,
  '500': down,
  '502': down,
  '503': down,
  '520': down,
  '503-ra': maintenance,
  '301': redirect,
  '307-other-host': redirect,
  '204': badAnswer,
  '200-empty': badAnswer,
  '200-truncated': badAnswer,
  '200-null': badAnswer,
  'data-null': badAnswer,
  'op-null': badAnswer,
  'errors-empty': badAnswer,
  'errors-object': badAnswer,
  'error-msg-secret': errorsSecret,
  'enum-unknown-status': odd({ failure: { status: 'TERMINATED' }, workflow: { status: 'HIBERNATING' } }, (texts) => {
    expect(texts).toMatch(/TERMINATED/);
    expect(texts).toMatch(/HIBERNATING/);
    expect(texts).toContain(':grey_question: TERMINATED');
    expect(texts).toMatch(/^:grey_question: payments, started .*: TERMINATED$/m);
  }),
  'field-extra': odd({ failure: { newField: {} }, workflow: { newField: [1] }, event: { newField: 1 } }, (texts) =>
    expect(texts).not.toContain('newField'),
  ),
  'count-negative': odd(
    { workflow: { executionCount: -1, executionCountByStatus: { success: -1, failure: -2 } } },
    (texts) => {
      expect(texts).not.toMatch(/(?<![\w:-])-[12]\b/);
      expect(texts).toMatch(/^:grey_question: payments \(cannot be judged\) · not known · /m);
      expect(texts).toContain('Not known: the number of runs');
    },
  ),
  'creditUsed-object': odd({ workflow: { creditUsed: { amount: '1', unit: 'x' } } }, (texts) =>
    expect(texts).not.toMatch(/amount|unit|Credits used/),
  ),
  'time-nanos': odd({ failure: { startedAt: worldTime(2).replace('Z', '456789Z') } }, (texts) =>
    expect(texts).toContain('10:28 UTC'),
  ),
  'time-zero': odd({ failure: { finishedAt: '0001-01-01T00:00:00Z' } }, (texts) => expect(texts).toContain('failed')),
  'time-future': odd({ failure: late, workflow: { executedAt: late.startedAt } }, (texts) =>
    expect(texts).toContain('11:30 UTC'),
  ),
  'time-negative-duration': odd(
    { failure: { finishedAt: worldTime(3) }, event: { finishedAt: worldTime(9) } },
    (texts) => expect(texts).toContain('failed'),
  ),
  'uuid-null': async () => {
    await using world = await startWorld(undefined, { workflow: { uuid: null }, failure: { uuid: null } });
    await using commands = await startCommands(world.url);
    for (const line of ['list', `status ${worldUuids.workflow}`, 'executions', 'failures']) {
      for (const message of (await commands.run(line)).messages) expectGoodMessage(message);
    }
  },
  'unicode-norm': async () => {
    await using world = await startWorld(undefined, { workflow: { name: 'U\u0308berweisung' } });
    await using commands = await startCommands(world.url);
    expect((await commands.type('status \u00dcberweisung')).text).toContain('\u00dcberweisung');
    expect((await commands.type('status u\u0308berweisung')).text).toContain('\u00dcberweisung');
  },
  'connect-refused': unreachable('http://127.0.0.1:1/graphql'),
  'dns-fail': unreachable('http://no-such-host.invalid/graphql'),
  'connect-hang': connectHang,
  'gzip-bomb': gzipBomb,
  'reset-mid-body': midBody,
  'slow-p99': slow,
};

const paging = 'test/bot/query/paging.test.ts';
const connecting = 'test/bot/commands/words/connect/hostile.test.ts';
const network = 'test/bot/query/network.test.ts';
const scheduled = 'test/hostile/scheduled.test.ts';

walk({
  section: 'upstream',
  runs,
  open: {
    'time-future': 'one alert; alerts are not built',
  },
  instead: {
    '429-storm':
      'no rate limit for each host: each workspace waits as long as it is asked to, and 16 digests are built at once',
    'key-other-org': 'digests continue with the stored key until a person confirms the other one',
  },
  elsewhere: {
    'count-is-page-size': paging,
    'count-is-total': paging,
    'page-clamped': paging,
    'page-shift': paging,
    'order-ignored': paging,
    'filter-ignored': paging,
    'key-other-org': connecting,
    'key-rotated': connecting,
    'down-24h': scheduled,
    'tls-expired': network,
    'tls-self-signed': network,
  },
  later: {
    'status-late-change': { because: 'alerts are not built yet', until: 'src/alerts' },
    'tls-revoked-ocsp': { because: 'Node asks no responder whether a certificate was revoked', until: null },
  },
});
