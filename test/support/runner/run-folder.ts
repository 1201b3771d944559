/** Runs once before all tests: makes the folder in which workers keep the sample databases that they share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly sampleFolder: string;
  }
}

let sampleFolder = '';

export function setup(project: TestProject): void {
  sampleFolder = mkdtempSync(join(tmpdir(), 'sample-'));
  project.provide('sampleFolder', sampleFolder);
}

export function teardown(): void {
  rmSync(sampleFolder, { recursive: true, force: true });
}
