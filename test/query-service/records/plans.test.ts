/** SQLite answers reads from an index at any number of executions: node:sqlite blocks the event loop. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openRecords } from '../../../src/query-service/records/open.ts';
import { newest, organizationId, questions, slice } from '../../support/service/reference/record-questions.ts';
import { recordsOf } from '../../support/service/reference/records.ts';
import { hashOf, putOrganizations } from '../../support/service/service-records.ts';

const plans: string[] = [];
const prepare = DatabaseSync.prototype.prepare;

beforeAll(() => {
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text: string) {
    const parameters = (text.match(/\?/g) ?? []).map(() => 1);
    const lines = prepare.call(this, `explain query plan ${text}`).all(...parameters);
    plans.push(...lines.map((line) => String(line['detail'])));
    return prepare.call(this, text);
  });
});
afterAll(() => vi.restoreAllMocks());

test.each(Object.entries(questions))(
  '%s reads no table whole, and sorts no more than it answers',
  async (name, question) => {
    // One of its own, because statements that were prepared before are not prepared again.
    const store = await openRecords('sqlite::memory:');
    plans.length = 0;
    await question(recordsOf(store));
    await store.close();
    expect(plans.some((line) => /^SEARCH (e|d|execution|execution_count) USING/.test(line))).toBe(true);
    // A scan of a page or of the segments of a sum reads few rows, and a list of workflows sorts few.
    expect(plans.filter((line) => /^SCAN (?!page$|segment$|l$|b$)/.test(line))).toEqual([]);
    if (name.startsWith('a list')) expect(plans.filter((line) => line.includes('TEMP B-TREE'))).toEqual([]);
  },
);

test('a whole id is found and counted without reading other executions', async () => {
  const store = await openRecords('sqlite::memory:');
  await putOrganizations(store.writer);
  plans.length = 0;
  const whole = { workflowUuid: null, statuses: null, span: { from: null, until: null }, search: hashOf(7) };
  const found = await recordsOf(store).executions(organizationId, whole, newest, slice);
  expect(found.map((row) => row.id)).toEqual([hashOf(7)]);
  expect(await recordsOf(store).executionCount(organizationId, whole)).toBe(1);
  await store.close();
  const reads = plans.filter((line) => /^SEARCH (e|execution) /.test(line));
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.filter((line) => !/\(organization_id=\? AND (uuid|id)=\?\)$/.test(line))).toEqual([]);
});

test('a page far beyond the last one reads nothing', async () => {
  const store = await openRecords('sqlite::memory:');
  await putOrganizations(store.writer);
  plans.length = 0;
  const everything = { workflowUuid: null, statuses: null, span: { from: null, until: null }, search: null };
  const far = { limit: 20, offset: 200_000_000_000 };
  expect(await recordsOf(store).executions(organizationId, everything, newest, far)).toEqual([]);
  await store.close();
  expect(plans.filter((line) => line.includes('execution_by'))).toEqual([]);
  expect(plans.length).toBeGreaterThan(0);
});

test('a list of a workflow’s failures is read from one index alone', async () => {
  const store = await openRecords('sqlite::memory:');
  plans.length = 0;
  const span = { from: null, until: null };
  const failures = { workflowUuid: 'w', statuses: ['FAILURE' as const], span, search: null };
  await recordsOf(store).executions(organizationId, failures, newest, slice);
  await store.close();
  expect(plans).toContain('SEARCH e USING COVERING INDEX execution_failures (organization_id=? AND workflow_uuid=?)');
});
