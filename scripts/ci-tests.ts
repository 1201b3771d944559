/**
 * Runs the tests as CI does: `npm test`, then each file that failed once more by itself. A file that then passes counts as passed and is
 * printed as `flaky: <file>`: a defect of the test, to be fixed next. The last line counts the tests. Exit code 1 for any other failure.
 * Further arguments are parts of paths, as for `npm test`. With `--long` it runs `npm run test:long` and writes the result into docs/reliability.md:
 * the repeats have the seed of the run, so that a property that failed fails again.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, env, exit } from 'node:process';
import { type FileResult, type RunResult, resultFile } from './ci-reporter.ts';

/** More failed files than this are no accident. */
const retriedMax = 12;
const isLong = argv.includes('--long');
const filters = argv.slice(2).filter((word) => word !== '--long');
const startedAt = Date.now();
/** A normal run has the seed of the commit. */
const seed = isLong ? { TEST_SEED: env['TEST_SEED'] ?? String(randomInt(2 ** 31)) } : {};
if (isLong) console.log(`TEST_SEED=${seed.TEST_SEED}`);

const first = run(filters);
const failed = first.files.filter(({ isGreen }) => !isGreen);
const retried = failed.length > retriedMax ? [] : failed.map(({ file }) => run([file])).filter(isGreenRun);
const flaky = new Map(retried.flatMap(({ files }) => files.map((result) => [result.file, result])));
for (const file of flaky.keys()) console.log(`flaky: ${file}`);

const results = first.files.map((result) => flaky.get(result.file) ?? result);
const counts = countTests(results);
for (const { file } of results.filter(({ isGreen }) => !isGreen)) console.log(`failed: ${file}`);
for (const error of first.strayErrors) console.log(`outside a test file: ${error}`);
if (isLong && filters.length === 0) recordLongRun(counts);
console.log(counts);
exit(isGreenRun({ files: results, strayErrors: first.strayErrors }) ? 0 : 1);

/** @param files parts of paths, or none for all files */
function run(files: readonly string[]): RunResult {
  const folder = mkdtempSync(join(tmpdir(), 'ci-tests-'));
  const path = join(folder, 'result.json');
  const script = isLong ? ['run', 'test:long'] : ['test'];
  const flags = ['--', '--reporter=default', '--reporter=./scripts/ci-reporter.ts', ...files];
  spawnSync('npm', [...script, ...flags], { stdio: 'inherit', env: { ...env, ...seed, [resultFile]: path } });
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    return { files: [], strayErrors: [`the run wrote no result: ${cause}`] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isGreenRun({ files, strayErrors }: RunResult): boolean {
  return files.length > 0 && strayErrors.length === 0 && files.every(({ isGreen }) => isGreen);
}

/** A file that failed outside its tests counts as one failed test. */
function countTests(files: readonly FileResult[]): string {
  const sum = (of: (result: FileResult) => number) => files.reduce((total, file) => total + of(file), 0);
  const failedCount = sum(({ failed, isGreen }) => Math.max(failed, isGreen ? 0 : 1));
  return `${sum(({ passed }) => passed)} passed, ${failedCount} failed, ${sum(({ skipped }) => skipped)} skipped`;
}

function recordLongRun(counts: string): void {
  const path = new URL('../docs/reliability.md', import.meta.url);
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  const minutes = Math.round((Date.now() - startedAt) / 60_000);
  const day = new Date(startedAt).toISOString().slice(0, 10);
  const line = `Last run of \`npm run check:long\`: ${day}, commit ${stdout.trim()}: ${counts}, ${minutes} min.`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^Last run of `npm run check:long`:.*$/m, line));
}
