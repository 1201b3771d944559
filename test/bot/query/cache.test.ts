/** Cached answers: for whom, for how long, and as stale answers while the service is down. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createQueryService } from '../../../src/bot/query/query-client.ts';
import { createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import {
  answer,
  data,
  type HostileHttp,
  hang,
  inTurn,
  reset,
  startHostileHttp,
} from '../../support/service/hostile-http.ts';

const key = 'key-of-a-workspace';
const hourMs = 3_600_000;

const organization = (displayName: string) => ({
  getOrganization: { organizationId: 'o-1', displayName, restrictionStatus: 'FULL_ACCESS', activeStatus: 'ACTIVE' },
});

const workflow = {
  uuid: 'w-1',
  name: 'payments',
  workflowId: 'f'.repeat(64),
  status: 'ACTIVE',
  registeredAt: '2026-11-01T00:00:00Z',
  executedAt: null,
  executionCount: 3,
  executionCountByStatus: { success: 2, failure: 1 },
  creditUsed: '1.5',
};

const status = {
  sinceStart: { data: workflow },
  sinceBefore: { data: workflow },
  activity: { data: [] },
  failures: { data: [] },
  successes: { data: [] },
  recent: { data: [] },
  deployments: { data: [] },
};

const question = { uuid: 'w-1', window: lastDay, failuresMax: 3 };

let server: HostileHttp;
let query: TestQuery;

beforeEach(async () => {
  server = await startHostileHttp(data(organization('Acme')));
  query = createTestQuery(server.url, key);
});

afterEach(async () => {
  await query[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Whether a promise settles before any timer or socket event. */
async function settlesAtOnce(promise: Promise<unknown>): Promise<boolean> {
  let hasSettled = false;
  const settle = () => {
    hasSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return hasSettled;
}

test('a cached answer needs no request, does not wait and has its age', async () => {
  await query.ask().organization();
  query.clock.now += 12_000;
  const warm = query.ask().organization();
  expect(await settlesAtOnce(warm)).toBe(true);
  expect((await warm).provenance).toEqual({ source: 'cached', asOf: now, missing: [] });
  expect(server.requests).toHaveLength(1);
});

test('a query that is not cached waits for the service', async () => {
  const cold = query.ask().organization();
  expect(await settlesAtOnce(cold)).toBe(false);
  await cold;
});

test('identical concurrent queries share one request', async () => {
  const asked = Array.from({ length: 50 }, () => query.ask().organization());
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ data: { displayName } }) => displayName))).toEqual(new Set(['Acme']));
  expect(server.requests).toHaveLength(1);
});

test('a refresh sends a request, and shares a running one', async () => {
  await query.ask().organization();
  const fresh = await Promise.all([1, 2].map(() => query.ask({ isFresh: true }).organization()));
  expect(fresh.map(({ provenance }) => provenance.source)).toEqual(['live', 'live']);
  expect(server.requests).toHaveLength(2);
});

test('two workspaces, two keys or two endpoints never share an answer', async () => {
  await query.ask().organization();
  server.behaveAs(data(organization('Other')));
  const others = [{ teamId: 'T0002' }, { keyId: 'k2' }, { endpoint: `${new URL('/v2', server.url)}` }];
  for (const other of others) expect((await query.ask(other).organization()).data.displayName).toBe('Other');
  expect((await query.ask().organization()).data.displayName).toBe('Acme');
});

test('no two identities have the same cache key, whatever their text', async () => {
  await query.ask({ teamId: 'T1","k', keyId: 'x' }).organization();
  server.behaveAs(data(organization('Other')));
  expect((await query.ask({ teamId: 'T1', keyId: 'k","x' }).organization()).data.displayName).toBe('Other');
});

test('a team called __proto__ is a team like any other', async () => {
  await query.ask({ teamId: '__proto__', keyId: 'constructor' }).organization();
  expect((await query.ask({ teamId: '__proto__', keyId: 'constructor' }).organization()).provenance.source).toBe(
    'cached',
  );
});

test('an answer for a moving window is cached although its ends have moved', async () => {
  server.behaveAs(data(status));
  await query.ask().workflowStatus(question);
  query.clock.now += 5000;
  const window = { ...lastDay, from: lastDay.from + 5000, to: lastDay.to + 5000 };
  expect((await query.ask().workflowStatus({ ...question, window })).provenance.source).toBe('cached');
});

test('today in one zone is not today in another', async () => {
  server.behaveAs(data(status));
  const today = { from: now - 12 * hourMs, to: now, label: 'today', isMoving: true };
  await query.ask().workflowStatus({ ...question, window: today });
  await query.ask().workflowStatus({ ...question, window: { ...today, to: now + 3000 } });
  expect(server.requests).toHaveLength(1);
  await query.ask().workflowStatus({ ...question, window: { ...today, from: now - 3 * hourMs } });
  expect(server.requests).toHaveLength(2);
});

test.each([
  ['half a minute for a status', status, 26],
  ['less while an execution is under way', { ...status, recent: { data: [running()] } }, 11],
])('an answer is fresh for %s', async (_what, body, seconds) => {
  server.behaveAs(data(body));
  await query.ask().workflowStatus(question);
  query.clock.now += 9000;
  expect((await query.ask().workflowStatus(question)).provenance.source).toBe('cached');
  query.clock.now += (seconds - 9) * 1000;
  expect((await query.ask().workflowStatus(question)).provenance.source).toBe('live');
});

function running() {
  return { uuid: 'e-1', status: 'IN_PROGRESS', startedAt: '2026-11-20T11:59:00Z' };
}

test('a name that was found is cached for minutes, one that was not only for seconds', async () => {
  const ask = () => query.ask().workflowNames('pay');
  server.behaveAs(inTurn(data({ workflows: { data: [] } }), data({ workflows: { data: [workflow] } })));
  await ask();
  query.clock.now += 16_000;
  expect((await ask()).data.workflows).toHaveLength(1);
  query.clock.now += 4 * 60_000;
  expect((await ask()).provenance.source).toBe('cached');
});

test('while the service is down the last good answer is returned with its age and the start of the outage', async () => {
  await query.ask().organization();
  server.behaveAs(reset);
  query.clock.now += hourMs;
  await query.ask().organization();
  query.clock.now += hourMs;
  const { data: stale, provenance } = await query.ask().organization();
  expect(stale.displayName).toBe('Acme');
  expect(provenance).toEqual({
    source: 'stale',
    asOf: now,
    staleReason: 'unreachable',
    failingSince: now + hourMs,
    missing: [],
  });
});

test.each([
  [429, 'busy'],
  [503, 'failing'],
  [200, 'failing'],
])('a stale answer after HTTP %i says that the service is %s', async (status, staleReason) => {
  await query.ask().organization();
  server.behaveAs(answer(status, '<html>', { 'retry-after': '30' }));
  const { provenance } = await query.ask({ isFresh: true }).organization();
  expect(provenance).toMatchObject({ source: 'stale', staleReason });
});

test('a service that recovers is used at once', async () => {
  await query.ask().organization();
  server.behaveAs(inTurn(reset, reset, data(organization('Back'))));
  await query.ask({ isFresh: true }).organization();
  expect(await query.ask({ isFresh: true }).organization()).toMatchObject({
    data: { displayName: 'Back' },
    provenance: { source: 'live' },
  });
});

test.each([0, 60_000])(
  'an older answer waits 300 ms for a service that has failed for %i ms, whose answer counts once it is back',
  async (failingMs) => {
    const waited = Promise.withResolvers<void>();
    await using patient = createTestQuery(server.url, key, {
      // Retries do not wait.
      wait: async (ms) => (ms === 300 ? waited.promise : undefined),
    });
    await patient.ask().organization();
    server.behaveAs(reset);
    patient.clock.now += hourMs;
    await patient.ask().organization();
    patient.clock.now += failingMs;
    const [taken, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    server.behaveAs(async (request, response) => {
      taken.resolve();
      await back.promise;
      return data(organization('Back'))(request, response);
    });
    const asking = patient.ask().organization();
    await taken.promise;
    waited.resolve();
    expect((await asking).provenance).toEqual({
      ...{ source: 'stale', asOf: now, staleReason: 'unreachable', failingSince: now + hourMs, missing: [] },
    });
    back.resolve();
    await expect.poll(async () => (await patient.ask().organization()).data.displayName).toBe('Back');
  },
);

describe('a service that has failed in every request of ten seconds', () => {
  const since = now + hourMs;
  beforeEach(async () => {
    await query.ask().organization();
    server.behaveAs(reset);
    query.clock.now += hourMs;
    await query.ask({ isFresh: true }).organization();
    query.clock.now += 10_000;
    await query.ask({ isFresh: true }).organization();
  });

  test('is not waited for, with or without an older answer', async () => {
    server.behaveAs(hang);
    expect((await query.ask().organization()).provenance).toMatchObject({ source: 'stale', failingSince: since });
    await expect(query.ask().workflowNames('pay')).rejects.toMatchObject({ code: 'unavailable', since });
    expect(query.waits.slice(-2)).toEqual([300, 300]);
  });
});

test('without an older answer a service is waited for after one fault', async () => {
  server.behaveAs(inTurn(reset, reset, data(organization('Back'))));
  await expect(query.ask().organization()).rejects.toMatchObject({ code: 'unavailable' });
  query.clock.now += 60_000;
  expect((await query.ask().organization()).provenance.source).toBe('live');
});

test('a fault of an hour ago does not shorten the time for an answer', async () => {
  await query.ask().organization();
  server.behaveAs(reset);
  await query.ask({ isFresh: true }).organization();
  query.clock.now += hourMs;
  server.behaveAs(data(organization('Back')));
  const before = query.waits.length;
  expect((await query.ask().organization()).provenance.source).toBe('live');
  expect(query.waits.slice(before)).toEqual([]);
});

test('the parts of one answer wait together for a service that fails', async () => {
  await query.ask().organization();
  server.behaveAs(reset);
  query.clock.now += hourMs;
  await query.ask().organization();
  const deadline = { totalMs: 8_000, leftMs: () => 7_800 };
  expect((await query.ask({ deadline }).organization()).provenance.source).toBe('stale');
  expect(query.waits).toContain(100);
});

test('the last good answer expires after a day', async () => {
  await query.ask().organization();
  server.behaveAs(reset);
  query.clock.now += 25 * hourMs;
  await expect(query.ask().organization()).rejects.toMatchObject({ code: 'unavailable' });
});

test('a refused key gets no stale answer', async () => {
  await query.ask().organization();
  server.behaveAs(answer(401));
  await expect(query.ask({ isFresh: true }).organization()).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a stale answer is returned at once if the service is busy', async () => {
  await query.ask().organization();
  server.behaveAs(answer(429, '', { 'retry-after': '7' }));
  const { provenance } = await query.ask({ isFresh: true }).organization();
  expect(provenance).toEqual({ source: 'stale', asOf: now, staleReason: 'busy', missing: [] });
  expect(query.waits).toEqual([]);
});

test('a partial answer is requested again soon, and does not replace a complete one', async () => {
  const partial = { data: { ...status, recent: null }, errors: [{ message: 'boom', path: ['recent'] }] };
  server.behaveAs(inTurn(data(status), answer(200, partial), reset));
  await query.ask().workflowStatus(question);
  query.clock.now += 60_000;
  const { provenance } = await query.ask().workflowStatus(question);
  expect(provenance).toMatchObject({ source: 'live', missing: ['the newest runs'] });
  query.clock.now += 11_000;
  expect((await query.ask().workflowStatus(question)).provenance).toMatchObject({
    source: 'stale',
    asOf: now,
    missing: [],
  });
});

test('a clock that is set back does not keep an answer fresh for longer', async () => {
  await query.ask().organization();
  query.clock.now -= 24 * hourMs;
  expect((await query.ask().organization()).provenance.source).toBe('live');
});

test('closing aborts requests that run or wait for a retry', async () => {
  server.behaveAs(answer(503, '', { 'retry-after': '5' }));
  const closing = createQueryService({ clock: () => now, log: query.log.log, origins: [server.url] });
  const credential = { teamId: 'T0001', keyId: 'k1', endpoint: server.url, apiKey: key };
  const waiting = closing.forWorkspace(credential, { isFresh: false }).organization();
  const ended = expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  await expect.poll(() => server.requests).toHaveLength(1);
  await closing.close();
  await ended;
  expect(server.requests).toHaveLength(1);
});

test('a reader cannot change a cached answer', async () => {
  server.behaveAs(data(status));
  const { data: first } = await query.ask().workflowStatus(question);
  expect(() => Object.assign(first?.workflow ?? {}, { name: 'changed' })).toThrow(TypeError);
});

test('a full cache evicts the oldest answer', async () => {
  await query[Symbol.asyncDispose]();
  query = createTestQuery(server.url, key, { answersMax: 10 });
  server.behaveAs(data({ workflows: { data: [workflow] } }));
  for (let name = 0; name < 25; name += 1) await query.ask().workflowNames(`name ${name}`);
  const asked = server.requests.length;
  await query.ask().workflowNames('name 24');
  expect(server.requests).toHaveLength(asked);
  await query.ask().workflowNames('name 0');
  expect(server.requests).toHaveLength(asked + 1);
});

test('after the fresh timeout the older answer is returned, and the newer one serves the next request', async () => {
  const names = (...all: readonly string[]) =>
    data({ workflows: { data: all.map((name) => ({ ...workflow, uuid: name, name })), count: all.length } });
  server.behaveAs(inTurn(names('payments'), names('payments', 'settlement')));
  const known = async (asking = query.ask({ freshTimeoutMs: 1500 })) =>
    (await asking.allWorkflows()).data.map(({ name }) => name);
  expect(await known()).toEqual(['payments']);
  query.clock.now += 61_000;
  const { data: older, provenance } = await query.ask({ freshTimeoutMs: 1500 }).allWorkflows();
  expect(older.map(({ name }) => name)).toEqual(['payments']);
  expect(provenance).toEqual({ source: 'stale', staleReason: 'slow', asOf: now, missing: [] });
  expect(await known(query.ask())).toEqual(['payments', 'settlement']);
  expect(server.requests).toHaveLength(2);
});
