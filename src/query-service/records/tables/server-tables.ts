/** Tables for organizations on several PostgreSQL servers (docs/decisions/0029). SQLite has none of them. */
import { type Kysely, sql } from 'kysely';

/** Replicated from the directory's server to every other one. */
type ServerTable = { name: string };

/** Replicated. The server that has the rows of an organization. */
type OrganizationServerTable = {
  organization_id: string;
  server: string;
  /** Grows with every change of the table, in the order of the commits. */
  version: number;
};

/** Replicated. The organization of a key, which is looked up before the organization is known. */
type KeyOrganizationTable = { key_id: string; organization_id: string };

/** Moves that have not ended; on the directory's server only. */
type OrganizationMoveTable = {
  organization_id: string;
  from_server: string;
  to_server: string;
  step: string;
};

/** Organizations whose writes this server refuses, and the server that takes them. Each server has its own rows. */
type ClosedOrganizationTable = { organization_id: string; server: string };

/** The name of this server in the directory; no row if it has no part in one. */
type OwnServerTable = { name: string };

export type ServerTables = {
  server: ServerTable;
  organization_server: OrganizationServerTable;
  key_organization: KeyOrganizationTable;
  organization_move: OrganizationMoveTable;
  closed_organization: ClosedOrganizationTable;
  own_server: OwnServerTable;
};

/** The tables that other servers follow. */
export const directoryTables = ['server', 'organization_server', 'key_organization'] as const;

const columns: Readonly<Record<keyof ServerTables, readonly [string, ...string[]]>> = {
  server: ['name'],
  organization_server: ['organization_id', 'server', 'version'],
  key_organization: ['key_id', 'organization_id'],
  organization_move: ['organization_id', 'from_server', 'to_server', 'step'],
  closed_organization: ['organization_id', 'server'],
  own_server: ['name'],
};

/** The first column of each table is its key. */
export async function createServerTables<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const [table, [key, ...others]] of Object.entries(columns)) {
    const type = (column: string) =>
      sql`${sql.ref(column)} ${column === 'version' ? sql`bigint` : sql`text collate "C"`}`;
    const list = sql.join([sql`${type(key)} primary key`, ...others.map((column) => sql`${type(column)} not null`)]);
    await sql`create table ${sql.table(table)} (${list})`.execute(db);
  }
  await sql`create index organization_server_by_version on organization_server (version)`.execute(db);
  // A publication's row filter may use only columns of the replica identity.
  await sql`create unique index api_key_by_organization on api_key (organization_id, id)`.execute(db);
  await sql`alter table api_key replica identity using index api_key_by_organization`.execute(db);
}
