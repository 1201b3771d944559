/** The sample in a real database: complete, rebuilt when old, taken over when young, reached by its keys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../src/query-service/keys/keys.ts';
import { openRecords } from '../../../src/query-service/records/open.ts';
import type { RecordWriter } from '../../../src/query-service/records/port.ts';
import { type LoadedSample, loadSample, sampleSeed } from '../../../src/query-service/sample/load.ts';
import { sampleRecords } from '../../../src/query-service/sample/sample.ts';
import { recordsOf } from '../../support/service/reference/records.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const minuteMs = 60_000;
const allTime = { from: null, until: null };
const organizationId = 'org_harbor_markets';

/** @param writing replaces methods of the writer */
async function createDatabase(writing: Partial<RecordWriter> = {}) {
  const store = await openRecords('sqlite::memory:');
  const keys = await createKeys({ keys: store.keys, clock: () => now });
  const deps = { records: store.records, writer: { ...store.writer, ...writing }, keys };
  return {
    ...deps,
    [Symbol.asyncDispose]: () => store.close(),
    load: (isFixed = false) => loadSample(deps, { now, isFixed }),
    ask: (key: string) => keys.authenticate(`Apikey ${key}`),
    /** Leaves the record by which the loader recognizes a complete sample. */
    leaveSampleOf: (builtAt: number) =>
      store.writer.putOrganization(sampleRecords({ seed: sampleSeed, builtAt }).sample.organization),
    whole: recordsOf(store),
    executionCount: async () => (await recordsOf(store).counts(organizationId, null, allTime)).total,
  };
}

describe('a sample that is loaded after an interrupted build', () => {
  const { sample: interrupted } = sampleRecords({ seed: sampleSeed, builtAt: now - 40 * 24 * 60 * minuteMs });
  const [left] = interrupted.executions();
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let loaded: LoadedSample;
  let keyBefore: string;
  beforeAll(async () => {
    database = await createDatabase();
    await database.writer.putWorkflows(interrupted.workflows);
    await database.writer.putExecutions(left === undefined ? [] : [left]);
    keyBefore = (await database.keys.create({ organizationId, name: 'handed out before' })).text;
    loaded = await database.load();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it('has 60,000 executions or more, which the service can count and read', async () => {
    const { whole } = database;
    const filter = { workflowUuid: null, statuses: ['FAILURE' as const], span: allTime, search: null };
    const order = { field: 'STARTED_AT', direction: 'DESC' } as const;
    const [newest] = await whole.executions(organizationId, filter, order, { limit: 1, offset: 0 });
    expect(await database.executionCount()).toBeGreaterThanOrEqual(60_000);
    expect(newest).toMatchObject({ workflowName: 'payments', classifiedStatus: 'USER_ERROR' });
    const { events } = await whole.executionDetail(organizationId, newest?.uuid ?? '', new Set(['events'] as const));
    expect(events).toHaveLength(5);
    expect(loaded.sample.builtAt).toBe(now);
  });

  it('has nothing of the interrupted build', async () => {
    expect(left).toBeDefined();
    expect(await database.whole.execution(organizationId, left?.uuid ?? '')).toBeNull();
  });

  it('is recognized by the moment at which it was built, and old keys keep working', async () => {
    expect((await database.records.organization(organizationId))?.updatedAt).toBe(now);
    expect((await database.ask(keyBefore))?.organizationId).toBe(organizationId);
  });

  it('hands out a key to the sample organization first and to the second organization second', async () => {
    const [name] = Object.keys(loaded.keys);
    const keys = Object.values(loaded.keys);
    const callers = await Promise.all(keys.map(database.ask));
    const [first, second] = keys.map((key) => key.split('_')[1]);
    expect(name).toBe('Harbor Markets');
    expect(callers).toEqual([
      { keyId: first, organizationId, memberId: 'mem_7c31f0' },
      { keyId: second, organizationId: 'org_BLACKWOOD-PRIVATE', memberId: 'mem_BLACKWOOD-PRIVATE_1' },
    ]);
  });

  it('hands out an expired key and the key of an organization gated since, which are refused', async () => {
    expect(await database.ask(loaded.refusedKeys.expired)).toBeNull();
    expect(await database.ask(loaded.refusedKeys.restricted)).toBeNull();
    expect((await database.records.organization('org_meridian_labs'))?.restrictionStatus).toBe('GATED');
  });
});

describe('loading the sample', () => {
  it.each([
    ['10 minutes ago', 10, false],
    ['this very moment, the clock being fixed', 0, true],
  ])('reuses one of %s, with new keys to it', async (_when, minutes, isFixed) => {
    await using database = await createDatabase();
    const { load, leaveSampleOf, executionCount, ask } = database;
    await leaveSampleOf(now - minutes * minuteMs);
    const { sample, keys } = await load(isFixed);
    expect(sample.builtAt).toBe(now - minutes * minuteMs);
    expect(await executionCount()).toBe(0);
    expect((await ask(Object.values(keys)[0] ?? ''))?.organizationId).toBe(organizationId);
  });

  it.each([
    ['10 minutes and a second ago', now - 10 * minuteMs - 1_000, false],
    ['the future', now + minuteMs, false],
    ['another moment, the clock being fixed', now - minuteMs, true],
  ])('rebuilds one of %s', async (_when, builtAt, isFixed) => {
    const putExecutions = () => Promise.reject(new Error('it is rebuilt'));
    await using database = await createDatabase({ putExecutions });
    await database.leaveSampleOf(builtAt);
    await expect(database.load(isFixed)).rejects.toThrow('it is rebuilt');
  });
});
