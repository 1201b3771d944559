/** Keeps the state of the local Slack in one SQLite file, so that it survives a restart. */
import { existsSync, renameSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import type { Logger } from '../../shared/log/logger.ts';
import { makePrivate } from '../../shared/sql/private-file.ts';

export type Storage = {
  /** Records of one kind by id, in the order of their first `set`; each change is stored. @param number of the workspace */
  readonly records: <T>(kind: RecordKind, number: number) => Map<string, T>;
  /** A sentence for people if an unreadable file was moved away; null otherwise. */
  readonly problem: string | null;
  readonly close: () => void;
};

type RecordKind = 'workspace' | 'access' | 'installation' | 'person' | 'channel' | 'message' | 'file';

/** Keeps nothing: the state is in memory only. */
export const noStorage: Storage = {
  records: () => new Map(),
  problem: null,
  close: () => undefined,
};

/** Changes with the shape of the records. */
const version = 1;

/**
 * Opens the file, which is created if it is missing. A file that cannot be read is moved away, and a new one begun.
 * @throws Error if the file can be neither used nor moved away
 */
export function openStorage(file: string, log: Logger): Storage {
  try {
    return storageIn(openFile(file, log), log, null);
  } catch (error) {
    const aside = `${file}.unreadable-${new Date().toISOString().replaceAll(':', '-')}`;
    log.error({ err: error, file, aside }, 'the messages of the local Slack could not be read and were moved away');
    renameSync(file, aside);
    for (const suffix of ['-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
    const problem = `The messages of earlier runs could not be read from ${file}. They were moved to ${aside}, and the channels begin empty.`;
    return storageIn(openFile(file, log), log, problem);
  }
}

/** @throws Error for a damaged file and for one of another version */
function openFile(file: string, log: Logger): DatabaseSync {
  makePrivate(file, (sentence) => log.warn({}, sentence));
  const database = new DatabaseSync(file);
  try {
    database.exec(`
      pragma busy_timeout = 5000;
      pragma auto_vacuum = full;
      pragma journal_mode = wal;
      pragma synchronous = normal;
      pragma journal_size_limit = 33554432;
      create table if not exists records (
        kind text not null, number integer not null, id text not null, record blob not null, unique (kind, number, id)
      ) strict;
    `);
    check(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function check(database: DatabaseSync): void {
  const found = Number(database.prepare('pragma user_version').get()?.['user_version']);
  if (found === 0) database.exec(`pragma user_version = ${version}`);
  else if (found !== version) throw new Error(`It has version ${found}; this program reads version ${version}.`);
  const damage = String(database.prepare('pragma quick_check(1)').get()?.['quick_check']);
  if (damage !== 'ok') throw new Error(damage);
  for (const { record } of database.prepare('select record from records').iterate()) readRecord(record);
}

function readRecord(record: unknown) {
  if (!(record instanceof Uint8Array)) throw new Error('A record is not binary.');
  return deserialize(record);
}

function storageIn(database: DatabaseSync, log: Logger, problem: string | null): Storage {
  return {
    problem,
    records: (kind, number) => new StoredMap(database, log, [kind, number]),
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** A map that writes each of its changes. */
class StoredMap<T> extends Map<string, T> {
  readonly #log: Logger;
  readonly #key: readonly [RecordKind, number];
  readonly #upsert: StatementSync;
  readonly #discard: StatementSync;

  constructor(database: DatabaseSync, log: Logger, key: readonly [RecordKind, number]) {
    super();
    this.#log = log;
    this.#key = key;
    const select = database.prepare('select id, record from records where kind = ? and number = ? order by rowid');
    for (const { id, record } of select.all(...key)) super.set(String(id), readRecord(record));
    this.#upsert = database.prepare(
      'insert into records values (?, ?, ?, ?) on conflict (kind, number, id) do update set record = excluded.record',
    );
    this.#discard = database.prepare('delete from records where kind = ? and number = ? and id = ?');
  }

  override set(id: string, record: T): this {
    this.#write(this.#upsert, id, serialize(record));
    return super.set(id, record);
  }

  override delete(id: string): boolean {
    this.#write(this.#discard, id);
    return super.delete(id);
  }

  #write(statement: StatementSync, ...values: readonly (string | Uint8Array)[]): void {
    try {
      statement.run(...this.#key, ...values);
    } catch (error) {
      // The state in memory stays right; only a restart loses this change.
      this.#log.error({ err: error }, 'the local Slack could not store a change');
    }
  }
}
