/** Runs with every test file: what tests draw at random begins with one seed, which a failed property prints. */
import { env } from 'node:process';
import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number;
  }
}

/** Of the commit, in `npm run test:long` a new one for each run; `TEST_SEED` repeats a run. */
// biome-ignore lint/style/noProcessEnv: not a setting of the product, but which run to repeat
export const seed = Number(env['TEST_SEED'] ?? inject('seed'));

fc.configureGlobal({ seed });
