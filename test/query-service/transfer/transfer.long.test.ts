/** The whole sample, moved from one engine to the other. */
import { expect, test } from 'vitest';
import { createKeys } from '../../../src/query-service/keys/keys.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { loadSample } from '../../../src/query-service/sample/load.ts';
import { describePostgres, newSqlite } from '../../support/databases/engines.ts';
import { serviceNow } from '../../support/service/service-records.ts';
import { exportOf, importInto, openTestRecords } from '../../support/service/transfer.ts';

async function fillWithSample(store: RecordStore): Promise<void> {
  const keys = await createKeys({ keys: store.keys, clock: () => serviceNow });
  await loadSample({ ...store, keys }, { now: serviceNow, isFixed: true });
}

describePostgres('the sample', (newPostgres) => {
  test('moves from SQLite to PostgreSQL with the same bytes', { timeout: 180_000 }, async () => {
    const [first, second] = [await openTestRecords(await newSqlite()), await openTestRecords(await newPostgres())];
    await fillWithSample(first);
    const text = await exportOf(first);
    expect((await importInto(second, text)).refused).toBe(0);
    // A boolean: the texts have 70 MB, too many for a printed difference.
    expect((await exportOf(second)) === text).toBe(true);
  });
});
