/** The main thread runs only bounded reads of a file. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRequestContext } from '../../../src/query-service/limits/request-context.ts';
import { openRecords } from '../../../src/query-service/records/open.ts';
import type { ExecutionOrder } from '../../../src/query-service/records/port.ts';
import { listCost, offsetMax } from '../../../src/query-service/records/read-cost.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { heavyDocuments } from '../../support/service/heavy-documents.ts';
import { recordsOf } from '../../support/service/reference/records.ts';
import { sharedBetweenRequests as shared } from '../../support/service/request-contexts.ts';
import { startTestService } from '../../support/service/service.ts';
import {
  executionRecord,
  putOrganizations,
  serviceNow,
  uuidOf,
  workflowRecord,
} from '../../support/service/service-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'reach-'));
const databaseUrl = `sqlite:${folder}/records.db`;
const run: string[] = [];
const { prepare } = DatabaseSync.prototype;
beforeAll(async () => {
  const store = await openRecords(databaseUrl);
  await putMany(store);
  await store.close();
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text: string) {
    run.push(text);
    return prepare.call(this, text);
  });
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Sixty thousand executions that started in the same hour, and more workflows than are sorted at once. */
async function putMany({ writer }: Pick<RecordStore, 'writer'>): Promise<void> {
  await putOrganizations(writer);
  await writer.putWorkflows(Array.from({ length: 300 }, (_, n) => workflowRecord(1_000 + n)));
  const hour = serviceNow - 2 * 3_600_000;
  for (let from = 0; from < 12_000; from += 6_000) {
    await writer.putExecutions(
      Array.from({ length: 6_000 }, (_, n) => executionRecord(10_000 + from + n, { startedAt: hour + from + n })),
    );
  }
}

const statuses = fc.option(
  fc.uniqueArray(fc.constantFrom('SUCCESS', 'FAILURE', 'IN_PROGRESS' as const), { minLength: 1 }),
);
const filters = fc.record({
  workflowUuid: fc.option(fc.constant(uuidOf('workflow', 1))),
  statuses,
  span: fc.record({ from: fc.option(fc.nat(serviceNow)), until: fc.option(fc.nat(serviceNow)) }),
  search: fc.option(fc.constantFrom('', 'a', 'abcdef', 'f'.repeat(64))),
});
const orders = fc.record({
  field: fc.constantFrom('ID', 'STATUS', 'STARTED_AT', 'CREDIT_USED'),
  direction: fc.constantFrom('ASC', 'DESC'),
}) satisfies fc.Arbitrary<ExecutionOrder>;
const slices = fc.record({ limit: fc.integer({ min: 1, max: 100 }), offset: fc.integer({ min: 0, max: 1_000_000 }) });

test('a bounded page reads a limited number of rows, sorts nothing and searches nothing', () => {
  fc.assert(
    fc.property(filters, orders, slices, (filter, order, slice) => {
      const isSubstring = Boolean(filter.search) && filter.search?.length !== 64;
      const isSorted = order.field !== 'STARTED_AT' && filter.search?.length !== 64;
      const isBounded = !isSubstring && !isSorted && slice.offset <= offsetMax;
      expect(listCost(filter, order, slice)).toBe(isBounded ? 'bounded' : 'unbounded');
    }),
  );
});

test('the main thread runs no statement of a heavy document that searches, sorts executions or begins far down', async () => {
  const service = await startTestService({ databaseUrl });
  run.length = 0;
  const documents = heavyDocuments({ workflowUuid: uuidOf('workflow', 1), executionUuids: [uuidOf('execution', 5)] });
  for (const { query } of documents) expect((await service.ask(query)).body.errors).toBeUndefined();
  await service.close();
  expect(run.length).toBeGreaterThan(0);
  expect(
    run.filter((text) =>
      / like |order by sort_key.*(nulls last|next_sort_key)|folded_name|registered_at\b.*order/s.test(text),
    ),
  ).toEqual([]);
});

const span = { from: serviceNow - 7_200_000 + 1, until: serviceNow - 3_600_000 - 1 };
const all = { statuses: null, search: null, ownerAddresses: null };

test.each([
  ['counts whose edges hold thousands of executions', 'counts', ['org_harbor', null, span]],
  ['days whose edges do', 'countsByDay', ['org_harbor', uuidOf('workflow', 1), span]],
  [
    'workflows of whom there are many',
    'workflows',
    ['org_harbor', all, { field: 'NAME', direction: 'ASC' }, { limit: 1, offset: 0 }],
  ],
  ['their number', 'workflowCount', ['org_harbor', all]],
  ['their owners', 'ownerAddresses', ['org_harbor']],
] as const)('%s: read beside the main thread, with the same result', async (_, read, given) => {
  const store = await openRecords(databaseUrl);
  const context = createRequestContext({ ...shared(), keyId: 'a', budget: undefined, onDisconnect: () => {} });
  const reads = store.readsFor(context, () => {}, 'org_harbor');
  const records = recordsOf({ engine: store.engine, read: async (steps) => reads.run(read, steps) });
  const ask = (from: object) => Reflect.apply(Reflect.get(from, read), from, given);
  const wanted = await ask(recordsOf(store));
  run.length = 0;
  expect(await ask(records)).toEqual(wanted);
  // A look at an index tells that they are many; that is all.
  expect(run.filter((text) => !text.includes('limit 1 offset') && !text.includes('period_start in'))).toEqual([]);
  await store.close();
});
