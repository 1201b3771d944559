/** Every function that reads text from outside has a row, by which `npm run test:long` measures its growth. */
import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readingFunctions } from '../support/hostile/reading-functions.ts';

const root = new URL('../../', import.meta.url).pathname;
const folders = globSync(['src/bot/insight/**/*.ts', 'src/bot/views/format/*.ts'], { cwd: root });
const files = [...new Set([...folders, ...Object.keys(readingFunctions)])].toSorted();

async function exportedFunctions(): Promise<readonly string[]> {
  const modules = await Promise.all(
    files.map(async (file) => [file, await import(/* @vite-ignore */ `../../${file}`)] as const),
  );
  return modules.flatMap(([file, module]) =>
    Object.entries(module).flatMap(([name, value]) => (typeof value === 'function' ? [`${file} ${name}`] : [])),
  );
}

it('the functions that read text from outside each have a row here', async () => {
  const rows = Object.entries(readingFunctions).flatMap(([file, functions]) =>
    Object.keys(functions).map((name) => `${file} ${name}`),
  );
  expect(rows.toSorted()).toEqual((await exportedFunctions()).toSorted());
});
