/** Slack accepts a table of any length. */
import { expect, it } from 'vitest';
import { cell, table } from '../../../../src/bot/views/blocks/blocks.ts';

const columns = [{ title: 'Name' }, { title: 'Count' }];
const rowsOf = (length: number) => Array.from({ length }, (_, index) => [cell(`row ${index}`), cell('1')]);

it.each([0, 1, 99])('a table of %i rows has them all', (length) => {
  expect(table(columns, rowsOf(length)).rows).toHaveLength(length + 1);
});

it.each([100, 301, 10_000])('the last row of a table of %i rows counts the omitted ones', (length) => {
  const { rows } = table(columns, rowsOf(length));
  expect(rows).toHaveLength(100);
  expect(rows.at(-1)).toEqual([cell(`and ${length - 98} more`), cell('…')]);
});
