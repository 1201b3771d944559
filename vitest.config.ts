/** One test runner for the whole house; see CONTRIBUTING.md for how tests are named. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As Node resolves: by the `module` field a second graphql would be loaded beside the one that graphql-jit requires.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.long.test.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    setupFiles: ['test/support/watch.ts'],
    pool: 'forks',
    // A process for each file would load the modules anew each time, which takes longer than most tests.
    isolate: false,
    // Much of a test is waiting for a process, a browser or a timer.
    maxWorkers: Math.max(4, availableParallelism()),
    testTimeout: 40_000,
    hookTimeout: 60_000,
    // Workers share the cores: what is waited for comes late before it does not come.
    expect: { poll: { timeout: 15_000 } },
    globals: false,
  },
});
