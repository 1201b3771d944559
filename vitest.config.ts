/** One test runner for the whole house; see CONTRIBUTING.md for how tests are named. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const long = ['test/**/*.long.test.ts'];
/** Run in a process of their own: they import other test files, measure the memory of their process, or replace methods of a class that others use. */
const alone = [
  'test/**/*-on-postgres.test.ts',
  'test/query-service/endurance.test.ts',
  'test/query-service/records/{plans,plans-postgres,read-cost}.test.ts',
  'test/isolation/*.test.ts',
];

/**
 * Workers share the processors, and most code runs a few times: helper threads of the collector and the optimizing compiler cost
 * more than they save.
 */
const shortLived = ['--single-threaded-gc', '--no-turbofan'];

/** The longest files start first, so that none is left to run alone at the end. */
const longest = [
  'hostile/process-shared',
  'bin/playground',
  'bot/store/contract',
  'bot/slack/outbound/thread-survival',
  'local-slack/page/modal',
  'bot/commands/framework/deadline',
  'query-service/records/standbys',
  'query-service/endurance',
  'bot/documented-slack/socket-mode',
  'hostile/process',
  'query-service/records/pipeline-on-postgres',
  'bot/slack/access/shared-channel',
  'local-slack/page/reading',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.includes(`/test/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** The same inputs for the same commit. `TEST_SEED` repeats those of another run. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  return Number.parseInt(stdout?.slice(0, 7) || '1', 16);
}

/** Long time-outs: a machine that is many times as busy is no failure. */
export const options = {
  globalSetup: 'test/support/runner/run-folder.ts',
  setupFiles: ['test/support/runner/watch.ts', 'test/support/runner/seed.ts'],
  provide: { seed: seedOfCommit() },
  pool: 'forks' as const,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  globals: false,
  // Node runs TypeScript itself: that takes less time than vite's own modules in each worker.
  experimental: { viteModuleRunner: false },
};

export default defineConfig({
  test: {
    // Half of a test is waiting for a process, a browser or a timer; each further worker loads all modules again.
    maxWorkers: Math.max(4, availableParallelism() + 2),
    sequence: { sequencer: LongestFirst },
    projects: [
      // A process for each file would load the modules anew each time, which takes longer than most tests.
      {
        test: {
          ...options,
          name: 'together',
          execArgv: [...shortLived],
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...long, ...alone],
        },
      },
      { test: { ...options, name: 'alone', include: alone, exclude: long } },
    ],
  },
});
