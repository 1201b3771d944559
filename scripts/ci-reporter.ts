/** Vitest reporter that writes the result of each test file as JSON: `node scripts/ci-tests.ts` reads it. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { env } from 'node:process';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

export type FileResult = {
  /** Relative to the project. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** False for a failed test or hook, an unhandled error, or a file whose worker ended before it. */
  readonly isGreen: boolean;
};

export type RunResult = {
  readonly files: readonly FileResult[];
  /** Errors outside a test that name no test file. */
  readonly strayErrors: readonly string[];
};

/** The file that the reporter writes. */
export const resultFile = 'CI_TESTS_RESULT';

export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const path = env[resultFile];
    if (path === undefined) throw new Error(`${resultFile} is not set`);
    writeFileSync(path, JSON.stringify(resultOf(modules, errors)));
  }
}

function resultOf(modules: readonly TestModule[], errors: readonly SerializedError[]): RunResult {
  const blamed = new Set(errors.map(fileOf));
  // A worker that ended names no file: the files that it did not finish are not green.
  const explained = modules.every(hasEnded) ? [] : errors.filter(({ message }) => message.startsWith('[vitest-pool]'));
  const strays = errors.filter((error) => fileOf(error) === undefined && !explained.includes(error));
  return {
    files: modules.map((module) => fileResult(module, blamed.has(module.moduleId))),
    strayErrors: strays.map(({ name, message }) => `${name}: ${message}`),
  };
}

const hasEnded = (module: TestModule) => module.state() !== 'pending' && module.state() !== 'queued';

/** Vitest adds the path to errors that it catches in a worker. */
const fileOf = (error: SerializedError): unknown => error['VITEST_TEST_PATH'];

function fileResult(module: TestModule, hasError: boolean): FileResult {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const count = (state: string) => states.filter((each) => each === state).length;
  return {
    file: relative(process.cwd(), module.moduleId),
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    isGreen: (module.state() === 'passed' || module.state() === 'skipped') && !hasError,
  };
}
