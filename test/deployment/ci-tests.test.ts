/** `scripts/ci-tests.ts` against a project whose one test file fails at first. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { expect, it, onTestFinished } from 'vitest';

const script = new URL('../../scripts/ci-tests.ts', import.meta.url).pathname;

/** Fails in its first run and passes from then on; keeps the seed of each run. */
const program = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
const isGreen = existsSync('seeds');
appendFileSync('seeds', (process.env.TEST_SEED ?? 'none') + ' ');
const file = { file: 'test/a.test.ts', passed: 1, failed: isGreen ? 0 : 1, skipped: 0, isGreen };
writeFileSync(process.env.CI_TESTS_RESULT, JSON.stringify({ files: [file], strayErrors: [] }));
`;

/** @returns what it printed, and the seed of the run and of its repeat */
function runOnce(flags: readonly string[], given: { readonly TEST_SEED?: string } = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'ci-tests-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'run.mjs'), program);
  const scripts = { test: 'node run.mjs', 'test:long': 'node run.mjs' };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type: 'module', scripts }));
  const { TEST_SEED: _, ...others } = env;
  const args = ['--disable-warning=ExperimentalWarning', script, ...flags, 'test/a.test.ts'];
  const { stdout } = spawnSync(execPath, args, { cwd, encoding: 'utf8', env: { ...others, ...given } });
  return { stdout, seeds: readFileSync(join(cwd, 'seeds'), 'utf8').trim().split(' ') };
}

it('repeats a failed file of the long run with the seed of that run, and prints it', () => {
  const { stdout, seeds } = runOnce(['--long']);
  expect(seeds).toEqual([expect.stringMatching(/^\d+$/), seeds[0]]);
  expect(stdout).toContain(`TEST_SEED=${seeds[0]}\n`);
  expect(stdout).toContain('flaky: test/a.test.ts');
});

it('runs with a given seed', () => {
  expect(runOnce(['--long'], { TEST_SEED: '7' }).seeds).toEqual(['7', '7']);
});

it('leaves the seed of the commit to a normal run', () => {
  expect(runOnce([]).seeds).toEqual(['none', 'none']);
});
