/** Every function that reads text from outside is linear in the text. */
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { superlinear } from '../support/growth.ts';
import { fewUnits, hardUnits } from '../support/hard-texts.ts';
import { readingFunctions } from '../support/reading-functions.ts';

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

const rows = Object.entries(readingFunctions).flatMap(([file, functions]) =>
  Object.entries(functions).map(([name, row]) => ({ of: `${file} ${name}`, row })),
);

/** An error is an answer, too. */
function attempted(work: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    try {
      return work(text);
    } catch (error) {
      return error;
    }
  };
}

describe('the functions that read text from outside', () => {
  it('each have a row here', async () => {
    expect(rows.map((row) => row.of).toSorted()).toEqual((await exportedFunctions()).toSorted());
  });

  it.each(rows.flatMap(({ of, row }) => (typeof row === 'string' ? [] : [{ of, ...row }])))(
    'take ten times the time for ten times the text: $of',
    ({ text, list }) => {
      expect({
        text: text ? superlinear(attempted(text), hardUnits) : [],
        list: list ? superlinear(attempted(list), fewUnits) : [],
      }).toEqual({ text: [], list: [] });
    },
    120_000,
  );

  it('would be found by their growth', () => {
    const quadratic = (text: string) => {
      for (let at = 0; at < text.length; at += 500) text.slice(at).split('');
    };
    expect(superlinear(quadratic, ['a'])).toHaveLength(1);
  });
});
