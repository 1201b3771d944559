/** Backups of a store with a row in every table, and all that can be wrong with one. */
import { expect } from 'vitest';
import { backUp } from '../../../src/bot/store/backup.ts';
import { openBeside, openTestStore, restoreInto, testKeys } from '../../support/bot/store.ts';
import { type NewDatabase, newSqlite } from '../../support/databases/engines.ts';
import { fillWorkspace } from './every-table.ts';

const now = Date.parse('2026-11-22T10:00:00Z');
export const keys = testKeys();
export const odd = 'two\nlines,\r\u2028 \u2029 "quoted" 🛳 \\u0000';

/** @param onRow carried out once the first row is written */
export async function linesOf(url: string, onRow?: () => Promise<void>): Promise<readonly string[]> {
  let text = '';
  const write = async (lines: string) => {
    if (text !== '' && !text.includes('"table"')) await onRow?.();
    text += lines;
  };
  await backUp(await openBeside(url), write, now);
  return text.trimEnd().split('\n');
}

/** A store with two workspaces, more rows than a page, and text that breaks lines. */
export async function openFull(url: string) {
  const store = await openTestStore(url, keys);
  for (const teamId of ['T1', 'T2']) await fillWorkspace(store, teamId);
  await store.audit.add('T1', { at: 2, userId: 'U1', action: odd, detail: {} });
  const db = await openBeside(url);
  const claims = Array.from({ length: 1100 }, (_, index) => ({
    teamId: 'T1',
    key: `Ev${index + 10}`,
    expiresAt: now,
  }));
  await db.insertInto('idempotency_key').values(claims).execute();
  return store;
}

let ofFull: Promise<readonly string[]> | undefined;

/** @returns the lines of one backup, which every test that spoils them begins with */
function linesOfFull(): Promise<readonly string[]> {
  const make = async () => {
    const url = await newSqlite();
    await openFull(url);
    return linesOf(url);
  };
  ofFull ??= make();
  return ofFull;
}

type Spoil = (lines: readonly string[]) => readonly string[];
export const spoilt: readonly (readonly [name: string, spoil: Spoil, problem: string])[] = [
  ['is none', () => ['# remark'], 'This is not a backup'],
  ['is empty', () => [], 'This is not a backup'],
  ['was cut short', (lines) => lines.slice(0, -1), 'it was cut short'],
  ['lacks a line', (lines) => lines.toSpliced(5, 1), 'does not give the number of rows'],
  ['has a line that is none', (lines) => lines.toSpliced(5, 0, '{"table":"sqlite_master","row":{}}'), 'Line 6'],
  ['has a row twice', (lines) => lines.toSpliced(2, 0, lines[2] ?? ''), 'cannot hold'],
  [
    'has a column of no table',
    (lines) => lines.map((line) => line.replace('"is_late"', '"is_late\\" --"')),
    'cannot hold',
  ],
  [
    'has plain text for a secret',
    (lines) => lines.map((line) => line.replace(/"wb1\.[^"]+"/, '"xoxb-1"')),
    'that is not encrypted',
  ],
  [
    'is of a newer version',
    (lines) => lines.map((line) => line.replace(/"step":"\d+/, '"step":"9999')),
    'newer version',
  ],
];

/** The store stays empty, so that the whole backup can be restored. */
export async function expectRefused(newDatabase: NewDatabase, spoil: Spoil, problem: string): Promise<void> {
  const [lines, other] = [await linesOfFull(), await newDatabase()];
  const refusal = restoreInto(other, spoil(lines));
  await expect(refusal).rejects.toMatchObject({ message: expect.stringContaining(problem) });
  expect(await restoreInto(other, lines)).toBe(lines.length - 2);
}
