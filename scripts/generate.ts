/** Writes every generated file (`npm run generate`), or lists those that are out of date (`-- --check`). */
import { readFile, writeFile } from 'node:fs/promises';
import { goldenCorpus } from '../test/support/insight/golden.ts';
import { formatCorpus, goldenFile } from '../test/support/slack/slack-contract.ts';
import { messages } from './messages.ts';
import { operationTypes } from './operations.ts';
import { composition, environmentExample, readme } from './readme.ts';
import { recoveryWords } from './recovery-words.ts';

const generated: Readonly<Record<string, () => Promise<string>>> = {
  'src/bot/query/generated/operations.ts': operationTypes,
  'src/shared/redaction/generated/recovery-words.ts': recoveryWords,
  'docs/messages.md': messages,
  'README.md': readme,
  '.env.example': environmentExample,
  'compose.yml': composition,
};

const isCheck = process.argv.includes('--check');
// It takes seconds, so test/bot/slack/slack-contract.test.ts checks that it is up to date.
if (!isCheck) await writeFile(goldenFile, formatCorpus(await goldenCorpus('sqlite::memory:')));
const stale: string[] = [];
for (const [path, render] of Object.entries(generated)) {
  const wanted = await render();
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === wanted) continue;
  stale.push(path);
  if (!isCheck) await writeFile(path, wanted);
}

if (isCheck && stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run "npm run generate" and commit the result.`);
  process.exitCode = 1;
} else if (stale.length > 0) {
  console.log(`Wrote ${stale.join(', ')}.`);
}
// Workers of the service may be idle still.
if (!isCheck) process.exit();
