/** Key management for operators, on both engines and while a service runs. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { cacheKeys, keyCacheTtlMs } from '../../../src/query-service/keys/key-cache.ts';
import { createKeys } from '../../../src/query-service/keys/keys.ts';
import { createLastUse } from '../../../src/query-service/keys/last-use.ts';
import { createKeyManagement } from '../../../src/query-service/keys/management.ts';
import type { KeyUse } from '../../../src/query-service/records/keys.ts';
import { describeEngines, newSqlite } from '../../support/databases/engines.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { silentLog, startTestService } from '../../support/service/service.ts';
import { harbor, putOrganizations, serviceNow } from '../../support/service/service-records.ts';
import { openTestRecords } from '../../support/service/transfer.ts';

const { organizationId } = harbor.organization;
const hourMs = 3_600_000;
const name = 'dashboards';

/** A database with harbor and ledger, and a clock that is moved. */
async function setUp(url: string) {
  const store = await openTestRecords(url);
  await putOrganizations(store.writer);
  const time = { now: serviceNow };
  const clock = () => time.now;
  const memory = createMemoryLog();
  const keys = await createKeys({ keys: store.keys, clock });
  const management = createKeyManagement({
    keys,
    keyRecords: store.keys,
    records: store.records,
    clock,
    log: memory.log,
  });
  const isValid = async (text: string) => (await keys.authenticate(`Apikey ${text}`)) !== null;
  const idOf = (text: string) => text.slice(4, 17);
  return { store, time, memory, keys, management, isValid, idOf };
}

describeEngines('managing keys', (newDatabase) => {
  test('a rotated key works on for its overlap, and the new one as long as the old one was to', async () => {
    const { management, time, isValid, idOf } = await setUp(await newDatabase());
    const old = await management.create({ organizationId, name, expiresAt: serviceNow + 1000 * hourMs });
    time.now += 10 * hourMs;
    const made = await management.rotate(idOf(old), 24 * hourMs, null);
    expect([await isValid(old), await isValid(made)]).toEqual([true, true]);
    time.now += 24 * hourMs - 1;
    expect([await isValid(old), await isValid(made)]).toEqual([true, true]);
    time.now += 1;
    expect([await isValid(old), await isValid(made)]).toEqual([false, true]);
    const expiresAt = serviceNow + 1010 * hourMs;
    expect(await management.list(organizationId)).toMatchObject([
      { id: idOf(old), replacedBy: idOf(made), expiresAt: serviceNow + 34 * hourMs },
      { id: idOf(made), replacedBy: null, expiresAt, name },
    ]);
  });

  test('an overlap does not lengthen the life of a key', async () => {
    const { management, time, isValid, idOf } = await setUp(await newDatabase());
    const old = await management.create({ organizationId, name, expiresAt: serviceNow + hourMs });
    await management.rotate(idOf(old), 24 * hourMs, null);
    time.now += hourMs;
    expect(await isValid(old)).toBe(false);
  });

  test('a key that is revoked, rotated or expired is not rotated', async () => {
    const { management, time, idOf } = await setUp(await newDatabase());
    const make = async (expiresAt: number | null = null) =>
      idOf(await management.create({ organizationId, name, expiresAt }));
    const [revoked, rotated, expired] = [await make(), await make(), await make(serviceNow + 1)];
    await management.revoke(revoked);
    await management.rotate(rotated, 0, null);
    time.now += 1;
    for (const [id, why] of [
      [revoked, 'is revoked'],
      [rotated, 'was rotated already'],
      [expired, 'has expired'],
      ['nobody', 'There is no API key nobody'],
    ] as const) {
      await expect(management.rotate(id, 0, null)).rejects.toThrow(why);
    }
    expect(await management.list(null)).toHaveLength(4);
  });

  test('of two concurrent rotations of a key, one is refused and leaves no key behind', async () => {
    const { management, idOf } = await setUp(await newDatabase());
    const id = idOf(await management.create({ organizationId, name }));
    const both = await Promise.allSettled([management.rotate(id, 0, null), management.rotate(id, 0, null)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await management.list(organizationId)).toHaveLength(2);
  });

  test('only active organizations with full access, and members who have joined, get a key', async () => {
    const { management, store } = await setUp(await newDatabase());
    const refused = async (change: object, why: string) => {
      await store.writer.putOrganization({ ...harbor.organization, ...change });
      await expect(management.create({ organizationId, name })).rejects.toThrow(why);
    };
    await refused(
      { restrictionStatus: 'GATED' },
      'org_harbor is GATED: only active organizations with FULL_ACCESS can have keys',
    );
    await refused({ activeStatus: 'DELETED' }, 'org_harbor is DELETED');
    await store.writer.putOrganization(harbor.organization);
    await store.writer.putAccount({ ...harbor.account, memberId: 'm2', memberStatus: 'REMOVED' });
    const create = (memberId: string) => management.create({ organizationId, name, memberId });
    await expect(create('nobody')).rejects.toThrow('org_harbor has no member nobody');
    await expect(create('m2')).rejects.toThrow('The member m2 is REMOVED');
    await expect(management.create({ organizationId: 'x', name })).rejects.toThrow('There is no organization x.');
    expect(await management.list(null)).toEqual([]);
    expect(await create(harbor.account.memberId)).toMatch(/^wfq_/);
  });

  test('every change is a line in the log, without the key', async () => {
    const { management, memory, idOf } = await setUp(await newDatabase());
    const text = await management.create({ organizationId, name });
    const made = await management.rotate(idOf(text), hourMs, null);
    await management.revoke(idOf(made));
    const lines = memory
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ msg, keyId, replaces }) => [msg, keyId, replaces])).toEqual([
      ['key created', idOf(text), undefined],
      ['key rotated', idOf(made), idOf(text)],
      ['key revoked', idOf(made), undefined],
    ]);
    for (const key of [text, made]) expect(memory.text()).not.toContain(key.slice(18, 60));
  });

  test('last uses are stored in one statement, and an earlier one never replaces a later one', async () => {
    const { management, store, idOf } = await setUp(await newDatabase());
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) ids.push(idOf(await management.create({ organizationId, name })));
    const used = (at: number) => ids.slice(0, 2).map((id) => ({ id, at }));
    for (const at of [serviceNow + 5, serviceNow + 3]) await store.keys.recordUses(used(at));
    const kept = new Map((await management.list(null)).map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    expect(ids.map((id) => kept.get(id))).toEqual([serviceNow + 5, serviceNow + 5, null]);
  });

  test('a key that another process revokes is refused with the next request', async () => {
    const url = await newDatabase();
    const service = await startTestService({ databaseUrl: url });
    const { management, idOf } = await setUp(url);
    const text = await management.create({ organizationId, name });
    const ask = async () => (await service.ask('{ getOrganization { displayName } }', null, text)).status;
    expect(await ask()).toBe(200);
    await management.revoke(idOf(text));
    expect(await ask()).toBe(401);
    await service.close();
    const used = (await management.list(null)).filter(({ lastUsedAt }) => lastUsedAt !== null);
    expect(used.map(({ id }) => id)).toContain(idOf(text));
  });
});

describeEngines('keys that are remembered', (newDatabase) => {
  test('are looked up again after five seconds, at once after a revocation in this process, and always if unknown', async () => {
    const { store, management, idOf } = await setUp(await newDatabase());
    const time = { now: 0 };
    const remembered = cacheKeys(store.keys, () => time.now);
    const [first, second] = [
      await management.create({ organizationId, name }),
      await management.create({ organizationId, name }),
    ];
    const isRevoked = async (text: string) => (await remembered.key(idOf(text)))?.revokedAt !== null;
    expect([await isRevoked(first), await isRevoked(second), await remembered.key('later')]).toEqual([
      false,
      false,
      null,
    ]);
    await management.revoke(idOf(first));
    await remembered.revokeKey(organizationId, idOf(second), serviceNow);
    time.now = keyCacheTtlMs - 1;
    expect([await isRevoked(first), await isRevoked(second)]).toEqual([false, true]);
    time.now = keyCacheTtlMs;
    expect(await isRevoked(first)).toBe(true);
    const record = {
      id: 'later',
      organizationId,
      memberId: null,
      name,
      hash: '',
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
    };
    await store.keys.putKey(record);
    expect(await remembered.key('later')).toMatchObject({ id: 'later' });
  });

  test('share one lookup between concurrent requests, and do not cache a failed one', async () => {
    const { store, management, idOf } = await setUp(await newDatabase());
    const id = idOf(await management.create({ organizationId, name }));
    const state = { lookUps: 0, isAway: true };
    const key = async (one: string) => {
      state.lookUps += 1;
      if (state.isAway) throw new Error('away');
      return store.keys.key(one);
    };
    const remembered = cacheKeys({ ...store.keys, key }, () => 0);
    await expect(remembered.key(id)).rejects.toThrow('away');
    state.isAway = false;
    await Promise.all(Array.from({ length: 100 }, () => remembered.key(id)));
    expect(state.lookUps).toBe(2);
  });
});

/** Collects uses, or fails. */
function recorder() {
  const state = { isAway: false, written: [] as (readonly KeyUse[])[] };
  const recordUses = async (uses: readonly KeyUse[]) => {
    if (state.isAway) throw new Error('away');
    state.written.push(uses);
  };
  return { state, keys: { recordUses } };
}

test('a thousand uses of two keys are one write, with the latest of each', async () => {
  const { state, keys } = recorder();
  let now = 0;
  const lastUse = createLastUse({ keys, clock: () => (now += 1), log: silentLog });
  for (let use = 0; use < 500; use += 1) for (const id of ['a', 'b']) lastUse.used(id);
  expect(state.written).toEqual([]);
  await lastUse.close();
  expect(state.written).toEqual([
    [
      { id: 'a', at: 999 },
      { id: 'b', at: 1000 },
    ],
  ]);
});

test('uses are written by a timer, and failed writes are retried with the next', async () => {
  const { state, keys } = recorder();
  const refused = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const recordUses = (uses: readonly KeyUse[]) => keys.recordUses(uses).then(written.resolve);
  state.isAway = true;
  const log = { warn: () => refused.resolve() };
  const lastUse = createLastUse({ keys: { recordUses }, clock: () => 7, log, everyMs: 1 });
  lastUse.used('a');
  await refused.promise;
  state.isAway = false;
  await written.promise;
  expect(state.written).toEqual([[{ id: 'a', at: 7 }]]);
  await lastUse.close();
});

test('on SQLite writing last uses does not wait for a long writer: it fails at once', async () => {
  const url = await newSqlite();
  const { store } = await setUp(url);
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  other.exec('begin immediate');
  await expect(store.keys.recordUses([{ id: 'a', at: 1 }])).rejects.toThrow('database is locked');
  other.exec('commit');
  other.close();
  await store.keys.recordUses([{ id: 'a', at: 1 }]);
});
