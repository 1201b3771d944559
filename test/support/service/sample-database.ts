/** A SQLite file that holds the sample organizations, built once for each moment and test run, and copied for every service. */
import { constants, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import { startService } from '../../../src/query-service/service.ts';

/** A program whose clock is that of the machine sees the newest runs as recent ones for so long. */
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

/** @returns the time of a sample of the last minutes, built or being built, epoch milliseconds; of this minute if there is none */
export function recentSampleTime(): number {
  const now = Date.now();
  const builtAt = readdirSync(inject('sampleFolder'))
    .map((name) => Number.parseInt(name, 10))
    .find((at) => now - at > 0 && now - at < recentMs);
  return builtAt ?? now - (now % 60_000);
}

/** One worker builds it, the others wait; the rename makes the file whole. */
async function sampleFile(now: number): Promise<string> {
  const folder = inject('sampleFolder');
  const file = join(folder, `${now}.db`);
  const draft = join(folder, `${now}.draft`);
  try {
    mkdirSync(draft);
  } catch {
    await vi.waitUntil(() => existsSync(file), { timeout: 120_000 });
    return file;
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const address = { host: '127.0.0.1', port: 0 };
  const databaseUrl = `sqlite:${join(draft, 'service.db')}`;
  const service = await startService({ databaseUrl, ...address, clock: () => now, sample: 'fixed', log });
  await service.close();
  renameSync(join(draft, 'service.db'), file);
  return file;
}
