/** Runs once before all tests: makes the folder in which their temporary files and the sample databases that workers share are kept. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, pid } from 'node:process';
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
    const parent = hasRoom(memory) ? memory : tmpdir();
    if (parent === memory) removeLeftovers();
    runFolder = mkdtempSync(join(parent, `tests-${pid}-`));
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
  return Math.min(bavail * bsize, freemem()) > 8 * gibibyte;
}

/** A run that was killed leaves its folder, which takes memory. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const [, owner] = /^tests-(\d{1,10})-/.exec(name) ?? [];
    if (owner !== undefined && !existsSync(`/proc/${owner}`))
      rmSync(join(memory, name), { recursive: true, force: true });
  }
}

export function teardown(): void {
  if (runFolder !== undefined) rmSync(runFolder, { recursive: true, force: true });
}
