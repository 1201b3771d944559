/** What can be done to a stored secret from outside, and what is reported then. */
import { type Kysely, sql } from 'kysely';
import { expect } from 'vitest';
import { createAuditLog } from '../../../../src/bot/store/audit-recorder.ts';
import { reportUnreadable, type SealedColumn, sealedColumns } from '../../../../src/bot/store/secrets/secrets.ts';
import type { Store } from '../../../../src/bot/store/store.ts';
import type { Tables } from '../../../../src/bot/store/tables.ts';
import { testRuntime } from '../../../support/bot/runtime.ts';
import { keyLine, openBeside, openTestStore, testKeys } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';
import { createMemoryLog } from '../../../support/runner/memory-log.ts';
import { credential } from '../contracts/credentials.contract.ts';
import { installation } from '../contracts/installations.contract.ts';
import { fillWorkspace } from '../every-table.ts';

type Change = (sealed: string, older: string, others: string) => string;

/** All that can be done to the row of T1 from outside. */
const changes: Readonly<Record<string, Change>> = {
  'moved from another workspace': (_sealed, _older, others) => others,
  'rolled back': (_sealed, older) => older,
  'cut short': (sealed) => sealed.slice(0, -20),
  'cut to its beginning': () => 'wb1.k1.',
  emptied: () => '',
  'replaced by plain text': () => 'xoxb-put-there-by-hand',
  'changed in one character': (sealed) => sealed.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
  'sealed again under another key of the ring': (sealed) => sealed.replace('wb1.k1.', 'wb1.k2.'),
};

/** Each column with each change. */
export const everyChange = sealedColumns.flatMap((at) =>
  Object.keys(changes).map((name) => [`${at.column} ${name}`, at, name] as const),
);

export async function prepare(newDatabase: NewDatabase, lines = [keyLine('k1'), keyLine('k2')]) {
  const url = await newDatabase();
  const store = await openTestStore(url, testKeys(...lines));
  for (const teamId of ['T1', 'T2']) await fillWorkspace(store, teamId);
  return { url, store, db: await openBeside(url) };
}

async function sealedIn(db: Kysely<Tables>, { table, column }: SealedColumn, teamId: string): Promise<string> {
  const query = sql<{
    sealed: string;
  }>`select ${sql.ref(column)} as sealed from ${sql.table(table)} where team_id = ${teamId}`;
  return (await query.execute(db)).rows[0]?.sealed ?? '';
}

export async function put(db: Kysely<Tables>, { table, column }: SealedColumn, sealed: string): Promise<void> {
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed} where team_id = 'T1'`.execute(db);
}

export function watched(store: Store) {
  const log = createMemoryLog();
  const { record } = createAuditLog(
    store,
    testRuntime(() => 5, log.log),
  );
  const opens = {
    installation: reportUnreadable<unknown>(record, log.log, store.installations.openTokens),
    credential: reportUnreadable<unknown>(record, log.log, store.credentials.openApiKey),
  };
  const open = (table: SealedColumn['table'], teamId = 'T1') =>
    opens[table](teamId).then(
      () => 'opened',
      (error: unknown) => error,
    );
  const reported = async (teamId = 'T1') =>
    (await store.audit.page(teamId, 50))
      .filter(({ action }) => action === 'decrypt failure')
      .map(({ detail }) => detail);
  const logged = () => log.messages().filter((message) => message === 'a stored secret cannot be decrypted').length;
  return { open, reported, logged };
}

export async function expectReportedOnce(newDatabase: NewDatabase, at: SealedColumn, name: string): Promise<void> {
  const { store, db } = await prepare(newDatabase);
  const [older, others] = [await sealedIn(db, at, 'T1'), await sealedIn(db, at, 'T2')];
  await fillTokens(store);
  await put(db, at, changes[name]?.(await sealedIn(db, at, 'T1'), older, others) ?? '');
  const { open, reported, logged } = watched(store);
  const failed = await Promise.all(Array.from({ length: 5 }, () => open(at.table)));
  for (const error of failed) expect(error).toMatchObject({ code: 'internal', unreadable: { what: named(at) } });
  expect(await open(at.table, 'T2')).toBe('opened');
  const why = expect.stringContaining('changed, moved or rolled back outside the bot');
  expect([await reported(), await reported('T2'), logged()]).toEqual([[{ what: named(at), why, ref: 'ref-1' }], [], 1]);
}

function named({ column }: SealedColumn): string {
  return { bot_token: 'bot token', refresh_token: 'refresh token', api_key: 'API key' }[column];
}

/** Writes the secrets of T1 anew, so that the ones before are older. */
export async function fillTokens({ installations, credentials }: Store): Promise<void> {
  await installations.save('T1', installation);
  await credentials.connect('T1', credential);
}
