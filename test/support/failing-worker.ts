/** A thread in the place of the one that reads SQLite: it ends, or never answers, where it is asked to. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ given: [organizationId] }: { readonly given: readonly unknown[] }) => {
  if (organizationId === 'ends') process.exit(3);
  if (organizationId === 'throws') throw new Error('broken');
  if (organizationId === 'answers') parentPort?.postMessage({ found: 'an answer', ms: 7 });
});
