/** A SQLite file that holds the sample organizations, built once for each moment and test run, and copied for every service. */
import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { startService } from '../../../src/query-service/service.ts';

/** Leaves a program a few minutes to start. */
const recentMs = 5 * 60_000;

export type SampleDatabase = {
  readonly url: string;
  readonly remove: () => void;
};

/** @param now when the sample is as it is in the file, epoch milliseconds @returns a copy for one service */
export async function copySampleDatabase(now: number): Promise<SampleDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'sample-copy-'));
  const file = join(folder, 'service.db');
  copyFileSync(await sampleFile(now), file, constants.COPYFILE_FICLONE);
  return { url: `sqlite:${file}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** For a program, which reuses a sample of the last ten minutes. @returns copies it to a new file */
export async function recentSample(): Promise<(file: string) => void> {
  const built = await sampleFile(recentSampleTime());
  return (file) => copyFileSync(built, file, constants.COPYFILE_FICLONE);
}

/** @returns when a sample of the last minutes was built, epoch milliseconds; now if there is none */
export function recentSampleTime(): number {
  const now = Date.now();
  const builtAt = readdirSync(inject('sampleFolder'))
    .map((name) => Number.parseInt(name, 10))
    .find((at) => now - at > 0 && now - at < recentMs);
  return builtAt ?? now;
}

/** Two workers may build it at the same time; the rename makes each file whole. */
async function sampleFile(now: number): Promise<string> {
  const folder = inject('sampleFolder');
  const file = join(folder, `${now}.db`);
  if (existsSync(file)) return file;
  const draft = join(folder, randomUUID());
  mkdirSync(draft);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const address = { host: '127.0.0.1', port: 0 };
  const databaseUrl = `sqlite:${join(draft, 'service.db')}`;
  const service = await startService({ databaseUrl, ...address, clock: () => now, sample: 'fixed', log });
  await service.close();
  renameSync(join(draft, 'service.db'), file);
  return file;
}
