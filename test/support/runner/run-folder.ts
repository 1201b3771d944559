/** Runs once before all tests: makes the folder in which their temporary files and the sample databases that workers share are kept. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly sampleFolder: string;
  }
}

/** A file system in memory, where the many short-lived databases cost a fifth less processor time than on a disk. */
const memory = '/dev/shm';
const gibibyte = 1024 ** 3;

let runFolder: string | undefined;

export function setup(project: TestProject): void {
  if (runFolder === undefined) {
    runFolder = mkdtempSync(join(hasRoom(memory) ? memory : tmpdir(), 'tests-'));
    // The servers of some tests run as another user.
    chmodSync(runFolder, 0o711);
    // The workers start later and inherit it.
    env['TMPDIR'] = runFolder;
  }
  const sampleFolder = join(runFolder, 'samples');
  mkdirSync(sampleFolder, { recursive: true });
  project.provide('sampleFolder', sampleFolder);
}

/** Containers often have 64 MB there; each sample takes 100 MB. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 8 * gibibyte;
}

export function teardown(): void {
  if (runFolder !== undefined) rmSync(runFolder, { recursive: true, force: true });
}
