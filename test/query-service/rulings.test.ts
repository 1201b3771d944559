/** Every test that docs/rulings.md names exists. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const list = readFileSync(new URL('../../docs/rulings.md', import.meta.url), 'utf8');
const rows = [...list.matchAll(/^\|[^|]*\| `([\w./-]+)` +\| (.+?) +\|$/gm)].map(([, file = '', sentence = '']) => ({
  file,
  sentence,
}));

test('every ruling names an existing test', () => {
  const missing = rows.filter(
    ({ file, sentence }) => !readFileSync(new URL(file, import.meta.url), 'utf8').includes(sentence),
  );
  expect(rows.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});
