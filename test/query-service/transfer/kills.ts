/** kill -9 runs: an import that is killed at random points and restarted equals an uninterrupted one. */
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect } from 'vitest';
import { createRandom } from '../../../src/query-service/sample/random.ts';
import { type NewDatabase, newFolder } from '../../support/databases/engines.ts';
import { seed } from '../../support/runner/seed.ts';
import { exportOf, harborLines, openTestRecords, startServiceScript } from '../../support/service/transfer.ts';

/** Runs an import to its end. @returns its exit code and what it printed */
type Import = (file: string, url: string) => Promise<{ readonly code: number | null; readonly output: string }>;

const startImport: Import = async (file, url) => {
  const { ended, output } = startServiceScript('import', file, '--database', url);
  return { code: await ended, output: output() };
};

/** Longer than an import takes to write a block. */
const blockMs = 50;

/**
 * The records of an uninterrupted import are exported as the lines that they came from.
 * @param kills how many imports are killed before one is left to end @param end that one @returns how many of them continued another one
 */
export async function expectSameAfterKills(
  newDatabase: NewDatabase,
  kills: number,
  executions: number,
  end: Import = startImport,
) {
  const [url, file] = [await newDatabase(), join(newFolder(), 'records.ndjson')];
  const lines = harborLines(executions);
  writeFileSync(file, `${lines}not a line\n`);
  const half = Math.round(statSync(file).size / 2);
  const store = await openTestRecords(url);
  const importedBytes = async () => (await store.imports.find(file))?.bytes ?? 0;
  const random = createRandom(seed);
  let resumed = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const enough = (await importedBytes()) + random.between(0, half);
    const { child, output } = startServiceScript('import', file, '--database', url);
    while (child.exitCode === null && (await importedBytes()) < enough) await after(5);
    await after(random.between(0, blockMs));
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    if (/Continues after line/.test(output())) resumed += 1;
  }
  expect(await end(file, url)).toMatchObject({ code: 3, output: expect.stringContaining('1 line refused') });
  // A boolean: the texts are too long for a printed difference.
  expect((await exportOf(store)) === lines).toBe(true);
  return resumed;
}
