/** Stands in for the SQLite worker thread: exits, throws or never answers, by the organization of the read. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ args: [organizationId] }: { readonly args: readonly unknown[] }) => {
  if (organizationId === 'ends') process.exit(3);
  if (organizationId === 'throws') throw new Error('broken');
  if (organizationId === 'answers') parentPort?.postMessage({ found: 'an answer', ms: 7 });
});
