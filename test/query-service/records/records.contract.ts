/** The contract of every record store; records.test.ts runs it on each engine. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Span } from '../../../src/query-service/records/reads/periods.ts';
import type { ExecutionRecord } from '../../../src/query-service/records/record.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { type Records, recordsOf } from '../../support/service/reference/records.ts';
import {
  deploymentRecord,
  executionRecord,
  failureRecord,
  harbor,
  ledger,
  putOrganizations,
  serviceNow,
  uuidOf,
  workflowRecord,
} from '../../support/service/service-records.ts';

const both = new Set(['logs', 'events'] as const);

const { organizationId } = harbor.organization;
const always: Span = { from: null, until: null };
const newest = { field: 'STARTED_AT', direction: 'DESC' } as const;
const everything = { workflowUuid: null, statuses: null, span: always, search: null };

/** @param open gives an empty database; it is closed here */
export function testRecords(open: () => Promise<RecordStore>): void {
  let store: RecordStore;
  let records: Records;
  beforeAll(async () => {
    store = await open();
    records = recordsOf(store);
    await putOrganizations(store.writer);
  });
  afterAll(() => store.close());

  /** An organization of its own, so that tests share nothing. */
  async function ownOrganization(name: string): Promise<string> {
    await store.writer.putOrganization({ ...harbor.organization, organizationId: name });
    await store.writer.putWorkflows([
      workflowRecord(1, { organizationId: name }),
      workflowRecord(2, { organizationId: name }),
    ]);
    return name;
  }

  test('an execution is read back as it was written', async () => {
    const { logs, events, ...written } = failureRecord(5);
    const names = { workflowName: 'payments', workflowId: workflowRecord(1).workflowId };
    expect(await records.execution(organizationId, written.uuid)).toEqual({ ...written, ...names });
    expect(await records.executionDetail(organizationId, written.uuid, both)).toEqual({ logs, events });
  });

  test('an execution with a known uuid replaces the stored one, its logs, its events and its part of every count', async () => {
    const own = await ownOrganization('org_replace');
    await store.writer.putExecutions([failureRecord(1, { organizationId: own })]);
    const second = executionRecord(1, {
      organizationId: own,
      workflowUuid: uuidOf('workflow', 2),
      startedAt: serviceNow - 40 * 86_400_000,
      creditMicros: null,
      executedInTee: true,
    });
    await store.writer.putExecutions([second]);
    expect(await records.execution(own, second.uuid)).toMatchObject({ status: 'SUCCESS', executedInTee: true });
    expect((await records.executionDetail(own, second.uuid, both)).logs).toEqual([]);
    const nothing = { total: 0, success: 0, failure: 0, creditMicros: null };
    expect(await records.counts(own, uuidOf('workflow', 1), always)).toEqual(nothing);
    expect(await records.counts(own, null, always)).toEqual({ ...nothing, total: 1, success: 1 });
    expect(await records.workflow(own, uuidOf('workflow', 1), always)).toMatchObject({ executedAt: null });
    expect(await records.workflow(own, uuidOf('workflow', 2), always)).toMatchObject({
      executedAt: second.startedAt,
      hasTeeExecutions: true,
      hasNonTeeExecutions: false,
    });
  });

  test('one batch may contain the same execution twice: the later one wins', async () => {
    const own = await ownOrganization('org_twice');
    const running = executionRecord(1, { organizationId: own, status: 'IN_PROGRESS', finishedAt: null });
    await store.writer.putExecutions([running, executionRecord(1, { organizationId: own })]);
    expect(await records.counts(own, null, always)).toMatchObject({ total: 1, success: 1 });
  });

  test('concurrent writers of the same executions and counts leave every count correct', async () => {
    const own = await ownOrganization('org_race');
    const numbers = Array.from({ length: 30 }, (_, number) => number);
    const batch = (round: number) =>
      numbers.map((number) =>
        ((number + round) % 3 === 0 ? failureRecord : executionRecord)(number, {
          organizationId: own,
          workflowUuid: uuidOf('workflow', 1 + (round % 2)),
          startedAt: serviceNow - ((number * round) % 50) * 3_600_000,
        }),
      );
    const batches = Array.from({ length: 12 }, (_, round) => (round % 2 === 0 ? batch(round) : batch(round).reverse()));
    await Promise.all(batches.map((records) => store.writer.putExecutions(records)));
    const found = await records.executions(own, everything, newest, { limit: 100, offset: 0 });
    expect(found).toHaveLength(30);
    for (const workflowUuid of [null, uuidOf('workflow', 1), uuidOf('workflow', 2)]) {
      const ofWorkflow = found.filter((row) => workflowUuid === null || row.workflowUuid === workflowUuid);
      const failure = ofWorkflow.filter(({ status }) => status === 'FAILURE').length;
      const counts = await records.counts(own, workflowUuid, always);
      expect(counts).toMatchObject({ total: ofWorkflow.length, failure });
      const days = await records.countsByDay(own, workflowUuid, { from: 0, until: serviceNow + 1 });
      expect(days.reduce((sum, day) => sum + day.failure, 0)).toBe(failure);
    }
    for (const row of found) {
      const { logs } = await records.executionDetail(own, row.uuid, both);
      expect(logs.length > 0).toBe(row.status === 'FAILURE');
    }
  });

  test('a page and its total equal the list and the count read separately', async () => {
    const own = await ownOrganization('org_page');
    await store.writer.putExecutions(
      [1, 2, 3, 4, 5].map((number) => (number > 3 ? failureRecord : executionRecord)(number, { organizationId: own })),
    );
    const span = { from: serviceNow - 365 * 86_400_000 - 1, until: serviceNow + 1 };
    const failures = { ...everything, statuses: ['FAILURE'] } as const;
    const byCredits = { field: 'CREDIT_USED', direction: 'ASC' } as const;
    for (const filter of [
      everything,
      { ...everything, span },
      failures,
      { ...failures, workflowUuid: uuidOf('workflow', 1) },
      { ...everything, statuses: [] },
      { ...everything, search: 'a' },
    ]) {
      for (const order of [newest, byCredits]) {
        for (const offset of [0, 2, 100, 10_000_000_000]) {
          const slice = { limit: 2, offset };
          const rows = await records.executions(own, filter, order, slice);
          const count = await records.executionCount(own, filter);
          expect(await records.executionPage(own, filter, order, slice)).toMatchObject({ rows, count });
        }
      }
    }
    expect(await records.executionPage(own, failures, newest, { limit: 9, offset: 0 })).toMatchObject({
      rows: [{}, {}],
      count: 2,
    });
  });

  test('a batch is written whole or not at all', async () => {
    const own = await ownOrganization('org_whole');
    const strange = executionRecord(2, { organizationId: own, workflowUuid: 'nowhere' });
    await expect(store.writer.putExecutions([executionRecord(1, { organizationId: own }), strange])).rejects.toThrow();
    expect(await records.executionCount(own, everything)).toBe(0);
    expect(await records.counts(own, null, always)).toMatchObject({ total: 0 });
  });

  test('workflows, deployments, organizations and accounts are replaced by their keys', async () => {
    const own = await ownOrganization('org_renamed');
    await store.writer.putWorkflows([workflowRecord(1, { organizationId: own, name: 'Renamed' })]);
    await store.writer.putDeployments([
      deploymentRecord(1, { organizationId: own }),
      deploymentRecord(1, { organizationId: own, status: 'PAUSED' }),
    ]);
    await store.writer.putAccount({ ...harbor.account, organizationId: own });
    await store.writer.putAccount({ ...harbor.account, organizationId: own, displayName: 'Dana W.' });
    await store.writer.putOrganization({ ...harbor.organization, organizationId: own, displayName: 'Own' });
    const renamed = { statuses: null, search: 'renamed', ownerAddresses: null };
    expect(await records.workflowCount(own, renamed)).toBe(1);
    expect(await records.deployment(own, uuidOf('deployment', 1))).toMatchObject({ status: 'PAUSED' });
    expect(await records.account(own, harbor.account.memberId)).toMatchObject({ displayName: 'Dana W.' });
    expect(await records.organization(own)).toMatchObject({ displayName: 'Own' });
  });

  test('the same uuid may exist in two organizations, and neither sees the other’s', async () => {
    const own = await ownOrganization('org_same');
    await store.writer.putExecutions([executionRecord(5, { organizationId: own, creditMicros: 1 })]);
    const uuid = uuidOf('execution', 5);
    expect(await records.execution(own, uuid)).toMatchObject({ status: 'SUCCESS', creditMicros: 1 });
    expect(await records.execution(organizationId, uuid)).toMatchObject({ status: 'FAILURE' });
    expect(await records.execution(ledger.organization.organizationId, uuid)).toBeNull();
  });

  test('clearing an organization removes everything but its keys', async () => {
    const own = await ownOrganization('org_clear');
    const key = { name: 'x', hash: '00', memberId: null, createdAt: 0, expiresAt: null, revokedAt: null };
    await store.keys.putKey({ ...key, id: 'clear', organizationId: own });
    await store.writer.putExecutions([failureRecord(1, { organizationId: own })]);
    await store.writer.clearOrganization(own);
    expect(await store.keys.key('clear')).toBeNull();
    expect(await records.workflow(own, uuidOf('workflow', 1), always)).toBeNull();
    expect(await records.counts(own, null, always)).toMatchObject({ total: 0 });
    expect((await records.executionDetail(own, uuidOf('execution', 1), both)).events).toEqual([]);
    await ownOrganization('org_clear');
    expect(await store.keys.key('clear')).toMatchObject({ organizationId: own });
  });

  test('old executions are deleted a few at a time, with their logs and their part of every count', async () => {
    const own = await ownOrganization('org_forget');
    const dayMs = 86_400_000;
    const old = (number: number) => serviceNow - 400 * dayMs - number;
    const make = (number: number) => (number % 2 === 0 ? failureRecord : executionRecord);
    const numbers = [1, 2, 3, 4, 5, 6];
    await store.writer.putExecutions([
      ...numbers.map((number) => make(number)(number, { organizationId: own, startedAt: old(number) })),
      executionRecord(7, { organizationId: own, startedAt: serviceNow - 400 * dayMs }),
      failureRecord(8, { organizationId: own }),
    ]);
    const forget = () => store.writer.forgetExecutions(serviceNow - 400 * dayMs, 4);
    expect([await forget(), await forget(), await forget()]).toEqual([4, 2, 0]);
    const left = await records.executions(own, everything, newest, { limit: 10, offset: 0 });
    expect(left.map(({ uuid }) => uuid)).toEqual([uuidOf('execution', 8), uuidOf('execution', 7)]);
    expect((await records.executionDetail(own, uuidOf('execution', 2), both)).logs).toEqual([]);
    expect((await records.executionDetail(own, uuidOf('execution', 8), both)).logs).toHaveLength(2);
    expect(await records.executionCount(own, everything)).toBe(2);
    for (const workflowUuid of [null, uuidOf('workflow', 1)]) {
      expect(await records.counts(own, workflowUuid, always)).toMatchObject({ total: 2, success: 1, failure: 1 });
      const days = await records.countsByDay(own, workflowUuid, { from: 0, until: serviceNow });
      expect(days.map(({ success, failure }) => [success, failure])).toEqual([
        [1, 0],
        [0, 1],
      ]);
    }
  });

  test('a secret is created once and kept', async () => {
    expect(await store.keys.storedSecret('x', () => 'first')).toBe('first');
    expect(await store.keys.storedSecret('x', () => 'second')).toBe('first');
  });

  test('counts, totals and days agree with counting one by one, over any span', async () => {
    const own = await ownOrganization('org_counts');
    const executions = scattered(own);
    for (let at = 0; at < executions.length; at += 60) await store.writer.putExecutions(executions.slice(at, at + 60));
    const instant = fc.integer({ min: serviceNow - 4 * 86_400_000, max: serviceNow + 3_600_000 });
    const workflow = fc.constantFrom(null, uuidOf('workflow', 1));
    await fc.assert(
      fc.asyncProperty(instant, instant, workflow, async (a, b, workflowUuid) => {
        const span = { from: Math.min(a, b), until: Math.max(a, b) };
        const counted = executions.filter(
          (execution) =>
            (workflowUuid === null || execution.workflowUuid === workflowUuid) &&
            execution.startedAt >= span.from &&
            execution.startedAt < span.until,
        );
        const failures = counted.filter(({ status }) => status === 'FAILURE');
        const counts = await records.counts(own, workflowUuid, span);
        expect([counts.total, counts.failure]).toEqual([counted.length, failures.length]);
        expect(counts.creditMicros).toBe(counted.length === 0 ? null : counted.length * 50_000);
        const filter = { ...everything, workflowUuid, span };
        const failed = { ...filter, statuses: ['FAILURE'] as const };
        expect(await records.executionCount(own, filter)).toBe(counted.length);
        expect(await records.executionCount(own, failed)).toBe(failures.length);
        const days = await records.countsByDay(own, workflowUuid, span);
        expect(days.reduce((sum, day) => sum + day.failure, 0)).toBe(failures.length);
        expect(days.filter(({ day }) => day % 86_400_000 !== 0)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('pages of executions that started at the same instant neither overlap nor skip', async () => {
    const own = await ownOrganization('org_ties');
    const startedAt = serviceNow;
    const executions = Array.from({ length: 25 }, (_, number) =>
      (number % 2 === 0 ? executionRecord : failureRecord)(number, { organizationId: own, startedAt }),
    );
    await store.writer.putExecutions(executions);
    for (const statuses of [null, ['SUCCESS']] as const) {
      const filter = { ...everything, statuses };
      const pages = [0, 10, 20].map((offset) => records.executions(own, filter, newest, { limit: 10, offset }));
      const uuids = (await Promise.all(pages)).flat().map(({ uuid }) => uuid);
      const listed = executions.filter(({ status }) => statuses === null || status === 'SUCCESS');
      expect(uuids).toEqual(listed.map(({ uuid }) => uuid).reverse());
    }
  });

  test('deployments are newest first, and uuids break ties', async () => {
    const own = await ownOrganization('org_deployed');
    const deployments = [3, 1, 2, 2].map((deployedAt, n) =>
      deploymentRecord(n + 1, { organizationId: own, deployedAt }),
    );
    await store.writer.putDeployments(deployments);
    const filter = { ...everything, workflowUuid: uuidOf('workflow', 1) };
    const newestDeployed = { field: 'DEPLOYED_AT', direction: 'DESC' } as const;
    const listed = await records.deployments(own, filter, newestDeployed, { limit: 9, offset: 0 });
    expect(listed.map(({ uuid }) => uuid)).toEqual([1, 4, 3, 2].map((number) => uuidOf('deployment', number)));
  });
}

/** A few a day over four days, on and off the hour, of two workflows. */
function scattered(organization: string): readonly ExecutionRecord[] {
  return Array.from({ length: 300 }, (_, number) => {
    const startedAt = serviceNow - number * 1_140_000 - (number % 7 === 0 ? 0 : number * 13);
    const workflowUuid = uuidOf('workflow', 1 + (number % 2));
    return (number % 5 === 0 ? failureRecord : executionRecord)(number, {
      organizationId: organization,
      workflowUuid,
      startedAt,
      logs: null,
      events: null,
    });
  });
}
