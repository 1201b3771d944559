/** Every function that reads text from outside is linear in the text. */
import { describe, expect, it } from 'vitest';
import { superlinear } from '../support/hostile/growth.ts';
import { fewUnits, hardUnits } from '../support/hostile/hard-texts.ts';
import { readingFunctions } from '../support/hostile/reading-functions.ts';

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
  }, 120_000);
});
