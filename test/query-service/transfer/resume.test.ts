/** Imports that are interrupted by the database itself, and readers beside an import. */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { importRecords, resumeOrStart } from '../../../src/query-service/transfer/import.ts';
import { openRefusedLines } from '../../../src/query-service/transfer/refused-lines.ts';
import { newFolder, newSqlite } from '../../support/databases/engines.ts';
import { startTestService } from '../../support/service/service.ts';
import { harbor, serviceNow, uuidOf } from '../../support/service/service-records.ts';
import {
  exportOf,
  harborLines,
  importInto,
  openTestRecords,
  startServiceScript,
} from '../../support/service/transfer.ts';

/** Imports in blocks of about ten lines. */
async function importFile(store: RecordStore, file: string) {
  const begin = await resumeOrStart(store.imports, file);
  const refusedLines = openRefusedLines(`${file}.refused`, begin.refusedBytes);
  const input = createReadStream(file, { start: begin.bytes, highWaterMark: 1000 });
  const sizes = { blockBytes: 5000, lineBytesMax: 100_000 };
  const deps = { store, input, refusedLines, clock: () => serviceNow, onProgress: () => {}, sizes };
  return importRecords(deps, begin).finally(refusedLines.close);
}

test('an import that the database interrupts resumes after the last written block', async () => {
  const [url, file] = [await newSqlite(), join(newFolder(), 'records.ndjson')];
  const [head, ...rest] = harborLines(100).split('\n');
  writeFileSync(file, ['bad', head, ...rest.slice(0, 20), 'worse', ...rest.slice(20)].join('\n'));
  const store = await openTestRecords(url);
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  onTestFinished(() => other.close());
  other.exec(`create trigger full before insert on execution when new.uuid = '${uuidOf('execution', 60)}'
    begin select raise(abort, 'disk full'); end`);
  await expect(importFile(store, file)).rejects.toThrow('disk full');
  const progress = await store.imports.find(file);
  const done = readFileSync(file).subarray(0, progress?.bytes).toString().split('\n').slice(0, -1);
  expect(done).toHaveLength(progress?.lines ?? 0);
  expect(await exportOf(store)).toBe(`${done.filter((line) => line.startsWith('{')).join('\n')}\n`);
  other.exec('drop trigger full');
  expect(await importFile(store, file)).toMatchObject({ lines: 106, refused: 2 });
  expect(await exportOf(store)).toBe(harborLines(100));
  expect(readFileSync(`${file}.refused`, 'utf8').match(/"line":\d+/g)).toEqual(['"line":1', '"line":23']);
  expect(await store.imports.find(file)).toBeNull();
});

test('while an import writes, the service answers everything, with more and more executions', async () => {
  const [databaseUrl, file] = [await newSqlite(), join(newFolder(), 'records.ndjson')];
  await importInto(await openTestRecords(databaseUrl), harborLines(0));
  writeFileSync(file, harborLines(6_000));
  const service = await startTestService({ databaseUrl, hasRecords: false });
  const key = await service.createKey({ organizationId: harbor.organization.organizationId, name: 'x' });
  const script = startServiceScript('import', file, '--database', databaseUrl);
  const counts: number[] = [];
  const query = '{ workflowExecutions(input: { page: { size: 1 } }) { count data { uuid } } }';
  const ask = async () => {
    const { status, body } = await service.ask<{ workflowExecutions: { count: number } }>(query, null, key);
    expect([status, body.errors]).toEqual([200, undefined]);
    counts.push(body.data?.workflowExecutions.count ?? Number.NaN);
  };
  while (script.child.exitCode === null) await ask();
  expect(await script.ended).toBe(0);
  await ask();
  expect([counts.at(0), counts.at(-1)]).toEqual([0, 6_000]);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  await service.close();
});
