/**
 * Backups of the store, the same for both engines: written while the bot runs, restored into an empty store completely or not
 * at all. Secrets stay sealed. One JSON value per line: a header, then rows, then their number.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { AppError } from '../../shared/errors.ts';
import { parseJson, readRecord } from '../../shared/json.ts';
import { migrate, missingMigrations } from '../../shared/sql/migrate.ts';
import { formerTables } from './migrations/deliveries.ts';
import { renamedTables } from './migrations/plain-names.ts';
import { migrationNames, storeMigrations } from './migrations.ts';
import { isSealed } from './secrets/envelope.ts';
import { sealedColumns } from './secrets/secrets.ts';
import { type TableName, type Tables, tableKeys, tableNames } from './tables.ts';

const pageSize = 500;

/** @param write gets lines with their line breaks @param now epoch milliseconds @returns the number of rows */
export async function backUp(
  db: Kysely<Tables>,
  write: (lines: string) => Promise<void>,
  now: number,
): Promise<number> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (snapshotDb) => {
    await write(printLine({ step: migrationNames.at(-1) ?? '', at: new Date(now).toISOString() }));
    let count = 0;
    for (const table of tableNames) {
      for await (const rows of pages(snapshotDb, table)) {
        await write(rows.map((row) => printLine({ table, row })).join(''));
        count += rows.length;
      }
    }
    await write(printLine({ rows: count }));
    return count;
  });
}

async function* pages(db: Transaction<Tables>, table: TableName): AsyncGenerator<readonly Row[]> {
  const key = sql.join(tableKeys[table].map((column) => sql.ref(column)));
  let last: Row | undefined;
  for (;;) {
    const after = last && sql`where (${key}) > (${sql.join(tableKeys[table].map((column) => last?.[column]))})`;
    const page = sql<Row>`select * from ${sql.table(table)} ${after ?? sql``} order by ${key} limit ${sql.lit(pageSize)}`;
    // The rows keep the names of the database.
    const { rows } = await page.execute(db.withoutPlugins());
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

type Line =
  /** The header. @property step the last applied migration */
  | { readonly step: string; readonly at: string }
  | { readonly table: string; readonly row: Row }
  /** The end, with the number of rows. */
  | { readonly rows: number };

const format = 'workflow-bot store 1';

/** Includes the former names of tables, which an older backup has. */
const tablesOfBackup: readonly string[] = [...tableNames, ...Object.keys(renamedTables), ...formerTables];

function printLine(line: Line): string {
  // JSON does not escape these two characters, but some readers treat them as line breaks.
  const text = JSON.stringify('step' in line ? { format, ...line } : line)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
  return `${text}\n`;
}

/** @param number of the line, from 1 @throws AppError `usage` that names the line */
function readLine(text: string, number: number): Line {
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

const batchSize = 200;

/** @param lines of the backup, without line breaks @returns the number of rows @throws AppError `usage` that says what is wrong */
export async function restore(db: Kysely<Tables>, lines: AsyncIterable<string>): Promise<number> {
  const iterator = lines[Symbol.asyncIterator]();
  const first = readLine((await iterator.next()).value ?? '', 1);
  if ('step' in first) await prepareTables(db, first.step);
  const rest = { [Symbol.asyncIterator]: () => iterator };
  const count = await db.transaction().execute((step) => insertAll(step, rest));
  await migrate(db, storeMigrations);
  return count;
}

/** Makes the tables of the backup's version. Later migrations then also change the restored rows. */
async function prepareTables(db: Kysely<Tables>, step: string): Promise<void> {
  if (!migrationNames.includes(step)) {
    const hint = 'Restore it with the version that wrote it, or a newer one.';
    throw new AppError('usage', 'The backup was written by a newer version of this program.', { hint });
  }
  const missing = await missingMigrations(db, storeMigrations);
  const done = migrationNames.filter((name) => !missing.includes(name));
  const hint = 'Restore into a new file, or a database without tables.';
  if (done.length > 0 && done.at(-1) !== step)
    throw new AppError('usage', 'The tables of the database have another version than the backup.', { hint });
  await migrate(db, storeMigrations, step);
  const present = await db.introspection.getTables();
  for (const name of tablesOfBackup.filter((table) => present.some((one) => one.name === table))) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) throw new AppError('usage', 'The bot’s database is not empty.', { hint });
  }
}

type Batch = { readonly table: string; readonly columns: readonly string[]; readonly rows: Row[] };

async function insertAll(step: Transaction<Tables>, lines: AsyncIterable<string>): Promise<number> {
  let [number, count] = [1, 0];
  let batch: Batch | undefined;
  for await (const text of lines) {
    number += 1;
    const line = readLine(text, number);
    if (!('row' in line)) {
      await insert(step, batch, number);
      if ('rows' in line && line.rows === count) return count;
      throw new AppError('usage', `The backup was changed: line ${number} does not give the number of rows, ${count}.`);
    }
    refusePlainText(line, number);
    const columns = Object.keys(line.row);
    if (batch?.table !== line.table || batch.rows.length === batchSize || batch.columns.join() !== columns.join()) {
      await insert(step, batch, number);
      batch = { table: line.table, columns, rows: [] };
    }
    batch.rows.push(line.row);
    count += 1;
  }
  throw new AppError('usage', `The backup ends after line ${number}, without its last line: it was cut short.`);
}

function refusePlainText({ table, row }: { readonly table: string; readonly row: Row }, number: number): void {
  const plain = sealedColumns.find((sealed) => {
    const value = sealed.table === table ? row[sealed.column] : null;
    return typeof value === 'string' && !isSealed(value);
  });
  if (plain)
    throw new AppError(
      'usage',
      `Line ${number} of the backup has a secret in ${table}.${plain.column} that is not encrypted.`,
    );
}

/** @param number of the line after the rows @throws AppError `usage` if they are not rows of this table */
async function insert(step: Transaction<Tables>, batch: Batch | undefined, number: number): Promise<void> {
  if (!batch) return;
  const { table, columns, rows } = batch;
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const statement = sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`;
  await statement.execute(step).catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause;
    throw new AppError('usage', `${table} cannot hold some of the rows before line ${number} of the backup.`, {
      cause,
    });
  });
}
