/** kill -9 runs: an import that is killed at random points and restarted equals an uninterrupted one. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { expect } from 'vitest';
import { createRandom } from '../../../src/query-service/sample/random.ts';
import { type NewDatabase, newFolder } from '../../support/databases/engines.ts';
import { seed } from '../../support/runner/seed.ts';
import { exportOf, harborLines, openTestRecords, startServiceScript } from '../../support/service/transfer.ts';

/** @returns what an import of the file leaves behind, and how long it took */
async function importedWhole(file: string, url: string) {
  const begun = performance.now();
  const script = startServiceScript('import', file, '--database', url);
  expect([await script.ended, script.output()]).toEqual([3, expect.stringContaining('1 line refused')]);
  const durationMs = performance.now() - begun;
  return { text: await exportOf(await openTestRecords(url)), durationMs };
}

/** @param kills how many imports are killed before one is left to end @returns how many of them had begun to write and did not end */
export async function expectSameAfterKills(newDatabase: NewDatabase, kills: number, executions: number) {
  const file = join(newFolder(), 'records.ndjson');
  writeFileSync(file, `${harborLines(executions)}not a line\n`);
  const { text, durationMs } = await importedWhole(file, await newDatabase());
  const url = await newDatabase();
  const store = await openTestRecords(url);
  const random = createRandom(seed);
  let resumed = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const script = startServiceScript('import', file, '--database', url);
    // At any point, in the process's start too; the file is long enough that most are while it is written.
    await Promise.race([after(random.between(0, Math.round(durationMs))), script.ended]);
    script.child.kill('SIGKILL');
    if (script.child.exitCode === null && script.child.signalCode === null) await once(script.child, 'exit');
    if (/Continues after line/.test(script.output())) resumed += 1;
  }
  const last = startServiceScript('import', file, '--database', url);
  expect([await last.ended, last.output()]).toEqual([3, expect.stringContaining('1 line refused')]);
  expect((await exportOf(store)) === text).toBe(true);
  return resumed;
}
