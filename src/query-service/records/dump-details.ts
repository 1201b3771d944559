/** Reads the logs and events of a page of executions in portions: those of one may take ten megabytes, of most they take none. */
import { sql, type Transaction } from 'kysely';
import type { EventRecord, LogRecord } from './record.ts';
import type { Tables } from './tables/tables.ts';

/** Of text; a portion of one execution may be larger. */
const portionBytesMax = 8 * 1024 * 1024;

type Details = { readonly logs: readonly LogRecord[] | null; readonly events: readonly EventRecord[] | null };
type Keyed = { readonly uuid: string };

/** @param rows in the order of their uuids @returns them in portions, each with what is kept of its executions, by uuid */
export async function* readDetails<Row extends Keyed>(
  db: Transaction<Tables>,
  organizationId: string,
  rows: readonly Row[],
): AsyncGenerator<{ readonly rows: readonly Row[]; readonly details: ReadonlyMap<string, Details> }> {
  const sizes = await sizesIn(db, organizationId, rows);
  for (const portion of portions(rows, sizes)) {
    const hasDetails = portion.some(({ uuid }) => sizes.has(uuid));
    yield { rows: portion, details: hasDetails ? await detailsIn(db, organizationId, portion) : new Map() };
  }
}

/** The length of a text is known without reading it. */
async function sizesIn(db: Transaction<Tables>, organizationId: string, rows: readonly Keyed[]) {
  const found = await inRange(db, organizationId, rows)
    .select(['uuid', sql<number>`coalesce(octet_length(logs), 0) + coalesce(octet_length(events), 0)`.as('size')])
    .execute();
  return new Map(found.map(({ uuid, size }) => [uuid, size]));
}

function* portions<Row extends Keyed>(rows: readonly Row[], sizes: ReadonlyMap<string, number>) {
  let portion: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizes.get(row.uuid) ?? 0;
    if (portion.length > 0 && bytes + size > portionBytesMax) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(row);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

async function detailsIn(
  db: Transaction<Tables>,
  organizationId: string,
  rows: readonly Keyed[],
): Promise<ReadonlyMap<string, Details>> {
  const found = await inRange(db, organizationId, rows).select(['uuid', 'logs', 'events']).execute();
  const list = <Item>(text: string | null) => (text === null ? null : (JSON.parse(text) as readonly Item[]));
  return new Map(
    found.map(({ uuid, logs, events }) => [uuid, { logs: list<LogRecord>(logs), events: list<EventRecord>(events) }]),
  );
}

function inRange(db: Transaction<Tables>, organizationId: string, rows: readonly Keyed[]) {
  return db
    .selectFrom('execution_detail')
    .where('organization_id', '=', organizationId)
    .where('uuid', '>=', rows.at(0)?.uuid ?? '')
    .where('uuid', '<=', rows.at(-1)?.uuid ?? '');
}
