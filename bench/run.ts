/** `npm run bench -- <figure>`: runs bench/<figure>.ts, which prints its table and writes the numbers to data/bench/<figure>.json. */
import { readdirSync } from 'node:fs';

/** Timeout of a benchmark; with an explicit size it may take a night. */
const deadlineMs = (process.argv[3] === undefined ? 10 : 600) * 60_000;

const figures = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && name !== 'run.ts')
  .map((name) => name.slice(0, -3));
const figure = process.argv[2] ?? '';
if (!figures.includes(figure)) {
  console.error(`Usage: npm run bench -- ${figures.join(' | ')}`);
  process.exit(2);
}

setTimeout(() => {
  console.error(`${figure} did not end within ${deadlineMs / 60_000} minutes.`);
  process.exit(1);
}, deadlineMs).unref();

await import(new URL(`./${figure}.ts`, import.meta.url).href);
