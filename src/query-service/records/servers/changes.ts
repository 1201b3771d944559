/** Changes of the directory: servers, and the organizations and keys that they get. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { directoryTables } from '../tables/server-tables.ts';
import type { Tables } from '../tables/tables.ts';
import { mainServer } from './directory.ts';
import { createSlot, createSubscription, hasRow, nameFor, waitUntil } from './replication.ts';

const publication = 'workflow_directory';
const followedWithinMs = 30_000;

/**
 * Begins the directory, or adds organizations and keys that a process without a directory has made since.
 * @param db the directory's server
 */
export async function beginDirectory(db: Kysely<Tables>): Promise<void> {
  await changeDirectory(db, async (transaction, version) => {
    const own = await transaction.selectFrom('own_server').select('name').executeTakeFirst();
    if (own !== undefined && own.name !== mainServer) {
      const hint = `It is the server ${own.name} of a directory on another server.`;
      throw new AppError(
        'usage',
        'SERVICE_DATABASE_URL does not name the server that holds the directory of the servers.',
        { hint },
      );
    }
    if (own === undefined) {
      await transaction.insertInto('own_server').values({ name: mainServer }).execute();
      await transaction.insertInto('server').values({ name: mainServer }).execute();
    }
    await sql`insert into organization_server (organization_id, server, version)
      select organization_id, ${mainServer}, ${version} from organization as o
      where not exists (select from organization_server as s where s.organization_id = o.organization_id)`.execute(
      transaction,
    );
    await sql`insert into key_organization (key_id, organization_id)
      select id, organization_id from api_key on conflict do nothing`.execute(transaction);
  });
}

/** Places a new organization. @returns the server that has it, which another process may have chosen */
export async function placeOrganization(db: Kysely<Tables>, organizationId: string, server: string): Promise<string> {
  return changeDirectory(db, async (transaction, version) => {
    await transaction
      .insertInto('organization_server')
      .values({ organization_id: organizationId, server, version })
      .onConflict((conflict) => conflict.column('organization_id').doNothing())
      .execute();
    const row = await transaction
      .selectFrom('organization_server')
      .select('server')
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return row.server;
  });
}

/** Before the key itself: without a row here a key does not work. */
export async function placeKey(db: Kysely<Tables>, keyId: string, organizationId: string): Promise<void> {
  await db.insertInto('key_organization').values({ key_id: keyId, organization_id: organizationId }).execute();
}

/** Runs a transaction that no other change overlaps, so that versions are committed in their order. */
export function changeDirectory<Result>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>, version: number) => Promise<Result>,
): Promise<Result> {
  return db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      await sql`lock table organization_server in share row exclusive mode`.execute(transaction);
      const { rows } = await sql<{ readonly next: number }>`select coalesce(max(version), 0) + 1 as next
        from organization_server`.execute(transaction);
      return work(transaction, rows[0]?.next ?? 1);
    });
}

export type NewServer = {
  readonly directory: Kysely<Tables>;
  /** As the new server reaches it. */
  readonly directoryUrl: string;
  readonly server: Kysely<Tables>;
  readonly name: string;
};

/** Adds a server to the directory, whose changes it then follows. An interrupted or repeated call is correct. */
export async function addServer({ directory, directoryUrl, server, name }: NewServer): Promise<void> {
  await adopt(directory, server, name);
  const slot = await nameFor(directory, publication, name);
  if (!(await hasRow(directory, 'pg_publication', 'pubname', publication))) {
    const tables = sql.join(directoryTables.map((table) => sql.table(table)));
    await sql`create publication ${sql.id(publication)} for table ${tables}`.execute(directory);
  }
  await createSlot(directory, slot);
  const isFollowing = await hasRow(server, 'pg_subscription', 'subname', slot);
  if (!isFollowing) {
    await sql`truncate ${sql.join(directoryTables.map((table) => sql.table(table)))}`.execute(server);
  }
  await createSubscription(server, { name: slot, publication, url: directoryUrl });
  await directory
    .insertInto('server')
    .values({ name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const isCopied = () => hasRow(server, 'server', 'name', name);
  if (await waitUntil(isCopied, { withinMs: followedWithinMs })) return;
  throw new AppError('unavailable', `The server ${name} does not receive the directory.`, {
    hint: `It must be able to reach the server of SERVICE_DATABASE_URL at the address given there. The log of the server ${name} says more.`,
  });
}

/** Names an empty database, and gives it the secret of the keys: an organization takes its keys with it. */
async function adopt(directory: Kysely<Tables>, server: Kysely<Tables>, name: string): Promise<void> {
  const own = await server.selectFrom('own_server').select('name').executeTakeFirst();
  if (own?.name === name) return;
  if (own !== undefined) {
    const hint = `Give ${name} an empty database in SERVICE_SERVERS.`;
    throw new AppError('usage', `The database given for the server ${name} belongs to the server ${own.name}.`, {
      hint,
    });
  }
  const secrets = await directory.selectFrom('kept_secret').selectAll().execute();
  await server.transaction().execute(async (transaction) => {
    const { rows } = await sql`select from organization union all select from api_key limit 1`.execute(transaction);
    if (rows.length > 0) {
      const hint = 'Export its organizations, and import them into an empty database.';
      throw new AppError('usage', `The database of the server ${name} has organizations or keys already.`, { hint });
    }
    await transaction.deleteFrom('kept_secret').execute();
    if (secrets.length > 0) await transaction.insertInto('kept_secret').values(secrets).execute();
    await transaction.insertInto('own_server').values({ name }).execute();
  });
}
