/** Services over one database with thousands of executions, which is filled once for a file of tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service/service.ts';
import { newServiceDatabase } from '../../support/service/service-database.ts';
import { executionRecord, failureRecord, hashOf } from '../../support/service/service-records.ts';

/** @returns starts a service over the records */
export function useFilledRecords(): (options?: TestServiceOptions) => Promise<TestService> {
  let folder: string;
  let databaseUrl: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'filled-'));
    const usual = await newServiceDatabase();
    // On a file, where the records are not on a server: a database in memory has no thread beside it.
    databaseUrl = usual === 'sqlite::memory:' ? `sqlite:${folder}/records.db` : usual;
    const { writer, now, close } = await startTestService({ databaseUrl });
    const numbers = Array.from({ length: 6_000 }, (_, index) => 1_000 + index);
    await writer.putExecutions([
      failureRecord(5),
      ...numbers.map((number) => executionRecord(number, { id: hashOf(number * 7_919), startedAt: now - number })),
    ]);
    await close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return (options = {}) => startTestService({ databaseUrl, ...options });
}
