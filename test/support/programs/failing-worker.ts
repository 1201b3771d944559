/** Stands in for the SQLite worker thread: exits, throws or never answers, by the text of the statement. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ([{ text }]: readonly [{ readonly text: string }]) => {
  if (text === 'ends') process.exit(3);
  if (text === 'throws') throw new Error('broken');
  if (text === 'answers') parentPort?.postMessage({ rows: [['an answer']], ms: 7 });
});
