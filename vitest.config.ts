/** One test runner for the whole house; see CONTRIBUTING.md for how tests are named. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As Node resolves: by the `module` field a second graphql would be loaded beside the one that graphql-jit requires.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.long.test.ts'],
    setupFiles: ['test/support/watch.ts'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    globals: false,
  },
});
