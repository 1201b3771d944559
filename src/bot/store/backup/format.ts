/**
 * Format of a backup, the same for both engines: one JSON value per line. A header comes first, then rows, then their
 * number.
 */

import { AppError } from '../../../shared/errors.ts';
import { parseJson, readRecord } from '../../../shared/json.ts';
import { formerTables } from '../migrations/deliveries.ts';
import { renamedTables } from '../migrations/plain-names.ts';
import { tableNames } from '../tables/tables.ts';

type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

type Line =
  /** The header. @property step the last applied migration */
  | { readonly step: string; readonly at: string }
  | { readonly table: string; readonly row: Row }
  /** The end, with the number of rows. */
  | { readonly rows: number };

const format = 'workflow-bot store 1';

/** Includes the former names of tables, which an older backup has. */
export const tablesOfBackup: readonly string[] = [...tableNames, ...Object.keys(renamedTables), ...formerTables];

export function printLine(line: Line): string {
  // JSON does not escape these two characters, but some readers treat them as line breaks.
  const text = JSON.stringify('step' in line ? { format, ...line } : line)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
  return `${text}\n`;
}

/** @param number of the line, from 1 @throws AppError `usage` that names the line */
export function readLine(text: string, number: number): Line {
  const value = readRecord(parseJson(text));
  if (number === 1) {
    if (value['format'] === format && typeof value['step'] === 'string') {
      return { step: value['step'], at: String(value['at']) };
    }
    throw new AppError('usage', 'This is not a backup of the bot’s database.');
  }
  const table = tablesOfBackup.find((name) => name === value['table']);
  if (table !== undefined && isRow(value['row'])) return { table, row: value['row'] };
  if (typeof value['rows'] === 'number') return { rows: value['rows'] };
  throw new AppError('usage', `Line ${number} of the backup is neither a row nor its end.`);
}

function isRow(value: unknown): value is Row {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((one) => one === null || typeof one === 'string' || typeof one === 'number');
}
