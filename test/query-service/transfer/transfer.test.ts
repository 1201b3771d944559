/** Import and export on both engines: a round trip gives the same bytes, and refused lines stop nothing. */
import { expect, test } from 'vitest';
import { printLine } from '../../../src/query-service/transfer/export.ts';
import { describeEngines, describePostgres, newSqlite } from '../../support/databases/engines.ts';
import { recordsOf } from '../../support/service/reference/records.ts';
import {
  deploymentRecord,
  executionRecord,
  failureRecord,
  harbor,
  putOrganizations,
  serviceNow,
  uuidOf,
  workflowRecord,
} from '../../support/service/service-records.ts';
import { exportOf, harborLines, importInto, openTestRecords } from '../../support/service/transfer.ts';

const { organizationId } = harbor.organization;
const always = { from: null, until: null };
const organizationLine = printLine({ type: 'organization', record: harbor.organization });
const workflowLine = printLine({ type: 'workflow', record: workflowRecord(1) });
const executionLine = (number: number) => printLine({ type: 'execution', record: executionRecord(number) });

describeEngines('an export', (newDatabase) => {
  test('changes nothing when imported again, and gives the same bytes from an empty database', async () => {
    const [first, second] = [await openTestRecords(await newDatabase()), await openTestRecords(await newDatabase())];
    await putOrganizations(first.writer);
    const text = await exportOf(first);
    const counts = await recordsOf(first).counts(organizationId, null, always);
    expect(await importInto(first, text)).toMatchObject({ refusedLines: [] });
    expect(await exportOf(first)).toBe(text);
    expect(await recordsOf(first).counts(organizationId, null, always)).toEqual(counts);
    await importInto(second, text);
    expect(await exportOf(second)).toBe(text);
    expect(await recordsOf(second).counts(organizationId, null, always)).toEqual(counts);
  });

  test('is in the same order whatever order the records were written in, more of them than a page', async () => {
    const store = await openTestRecords(await newDatabase());
    const [head, lines] = [harborLines(0), harborLines(2500).split('\n').slice(4, -1)];
    await importInto(store, `${head}${lines.toReversed().join('\n')}`);
    expect(await exportOf(store)).toBe(`${head}${lines.join('\n')}\n`);
  });

  test('has the organizations in byte order, or one organization alone', async () => {
    const store = await openTestRecords(await newDatabase());
    const named = (id: string) => ({ ...harbor.organization, organizationId: id });
    for (const id of ['org_b', 'org-c', 'ORG_a']) await store.writer.putOrganization(named(id));
    await store.writer.putWorkflows([workflowRecord(1, { organizationId: 'org-c' })]);
    const ids = (text: string) => [...text.matchAll(/"organizationId":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids(await exportOf(store))).toEqual(['ORG_a', 'org-c', 'org-c', 'org_b']);
    expect(ids(await exportOf(store, 'org-c'))).toEqual(['org-c', 'org-c']);
  });

  test('is a snapshot: later writes are not in it', async () => {
    const url = await newDatabase();
    const [reading, writing] = [await openTestRecords(url), await openTestRecords(url)];
    await putOrganizations(writing.writer);
    const before = await exportOf(writing);
    let text = '';
    for await (const records of reading.dump(null)) {
      if (text === '') await writing.writer.clearOrganization(organizationId);
      text += records.map(printLine).join('');
    }
    expect(text).toBe(before);
    expect(await exportOf(writing)).not.toBe(before);
  });

  test('returns executions with large logs a few at a time', async () => {
    const store = await openTestRecords(await newDatabase());
    await putOrganizations(store.writer);
    const logs = [{ nodeId: 'n', message: 'x'.repeat(3_000_000), timestamp: serviceNow }];
    await store.writer.putExecutions([20, 21, 22, 23, 24].map((number) => executionRecord(number, { logs })));
    const sizes: number[] = [];
    for await (const batch of store.dump(organizationId)) {
      sizes.push(
        batch.filter((one) => one.type === 'execution' && one.record.logs?.[0]?.message.length === 3e6).length,
      );
    }
    expect(sizes.filter((size) => size > 0)).toEqual([2, 2, 1]);
  });
});

describeEngines('an import', (newDatabase) => {
  test('skips wrong lines, reports where and why, and writes the rest', async () => {
    const store = await openTestRecords(await newDatabase());
    const lines = [
      organizationLine,
      'nonsense\n',
      workflowLine,
      '\n',
      executionLine(1),
      '{"type":"x"}\n',
      executionLine(2),
    ];
    const { refusedLines, written, lines: read } = await importInto(store, lines.join(''));
    expect(refusedLines.map(({ number }) => number)).toEqual([2, 6]);
    expect([read, written.execution]).toEqual([7, 2]);
    expect(await exportOf(store)).toBe(organizationLine + workflowLine + executionLine(1) + executionLine(2));
  });

  test('refuses records of an unknown owner, and accepts them after it exists', async () => {
    const store = await openTestRecords(await newDatabase());
    const deployment = printLine({ type: 'deployment', record: deploymentRecord(1) });
    const account = printLine({ type: 'account', record: harbor.account });
    const text = [account, organizationLine, executionLine(1), deployment, workflowLine, executionLine(2)].join('');
    expect((await importInto(store, text)).refusedLines).toEqual([
      { number: 1, reason: 'the organization org_harbor is not known: its line comes first' },
      { number: 3, reason: `the workflow ${uuidOf('workflow', 1)} is not known in org_harbor: its line comes first` },
      { number: 4, reason: `the workflow ${uuidOf('workflow', 1)} is not known in org_harbor: its line comes first` },
    ]);
    expect((await importInto(store, account + executionLine(1) + deployment)).refusedLines).toEqual([]);
  });

  test('replaces existing records, an execution with its logs and events; the later of two lines wins', async () => {
    const store = await openTestRecords(await newDatabase());
    const failure = printLine({ type: 'execution', record: failureRecord(1) });
    const named = (name: string) => printLine({ type: 'workflow', record: workflowRecord(1, { name }) });
    await importInto(store, organizationLine + named('a') + named('b') + executionLine(1) + failure);
    expect(await exportOf(store)).toBe(organizationLine + named('b') + failure);
    await importInto(store, executionLine(1));
    expect(await exportOf(store)).toBe(organizationLine + named('b') + executionLine(1));
    expect(await recordsOf(store).counts(organizationId, null, always)).toMatchObject({ total: 1, failure: 0 });
  });

  test('has the same result with one line per block, and with lines that are too long', async () => {
    const store = await openTestRecords(await newDatabase());
    const [text, long] = [harborLines(30), `${'x'.repeat(20_000)}\n`];
    const chunks = (long + text + long).match(/.{1,999}\n?/g)?.map((chunk) => Buffer.from(chunk)) ?? [];
    const { refusedLines } = await importInto(store, chunks, { sizes: { blockBytes: 1, lineBytesMax: 9_000 } });
    const reason = 'it is longer than 9000 bytes';
    expect(refusedLines).toEqual([
      { number: 1, reason },
      { number: 36, reason },
    ]);
    expect(await exportOf(store)).toBe(text);
  });
});

describePostgres('records', (newPostgres) => {
  test('move from SQLite to PostgreSQL with the same bytes; npm run test:long does it with the whole sample', async () => {
    const [first, second] = [await openTestRecords(await newSqlite()), await openTestRecords(await newPostgres())];
    expect((await importInto(first, harborLines(2500))).refused).toBe(0);
    const text = await exportOf(first);
    expect((await importInto(second, text)).refused).toBe(0);
    expect((await exportOf(second)) === text).toBe(true);
  });
});
