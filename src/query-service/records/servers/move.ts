/** Moves an organization to another server while it is read and written. A move can be interrupted anywhere and continued. */
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { postgresDialect } from '../../../shared/sql/postgres.ts';
import { renewRevisions } from '../postgres/revisions.ts';
import { withOrganizationLock } from '../postgres/writer.ts';
import type { Tables } from '../tables/tables.ts';
import { leaseMs, mainServer } from './directory.ts';
import { endMove, findMove, type MoveRecord, planMove, setStep, switchServer, tryLock } from './move-records.ts';
import { compareRows, deleteRows, movedTables } from './owned-rows.ts';
import {
  createSlot,
  createSubscription,
  dropSlot,
  dropSubscription,
  hasRow,
  nameFor,
  waitUntil,
} from './replication.ts';

/** Points at which a test ends the process. */
export const moveFailpoints = [
  'after plan',
  'after closing the new server',
  'after clearing',
  'after publication',
  'after slot',
  'after subscription',
  'after copy',
  'after closing the old server',
  'after replay',
  'after comparison',
  'after switch',
  'after unsubscribing',
  'after opening',
  'after readers',
  'after slot dropped',
  'during deletion',
  'after deletion',
] as const;
export type MoveFailpoint = (typeof moveFailpoints)[number];

/** No request reads the old server any more: a process reads changes within its lease, and a request takes at most a minute. */
const readersEndMs = leaseMs + 60_000;

export type MoveOptions = {
  readonly organizationId: string;
  /** URLs of all servers by name, the directory's own as `main`. */
  readonly urls: ReadonlyMap<string, string>;
  readonly report: (sentence: string) => void;
  /** Tests shorten it. */
  readonly readersEndMs?: number;
  readonly onFailpoint?: (failpoint: MoveFailpoint) => void;
};

type Move = MoveRecord & {
  readonly organizationId: string;
  /** A connection that has the lock of the move. */
  readonly directory: Kysely<Tables>;
  readonly source: Kysely<Tables>;
  readonly target: Kysely<Tables>;
  /** The databases that have the directory or its copy. */
  readonly copies: ReadonlyMap<string, Kysely<Tables>>;
  readonly sourceUrl: string;
  /** Name of the publication, the slot and the subscription. */
  readonly name: string;
  readonly report: (sentence: string) => void;
  readonly reach: (failpoint: MoveFailpoint) => void;
  readonly readersEndMs: number;
};

/** @returns false if the organization was on the server already */
export async function moveOrganization(options: MoveOptions, to: string): Promise<boolean> {
  return withLock(options, async (directory, open) => {
    const planned = await planMove(directory, options.organizationId, to);
    if (planned === null) return false;
    if (planned.to !== to || planned.step === 'cancelling') {
      const what = planned.step === 'cancelling' ? 'being cancelled' : `being moved to ${planned.to}`;
      const hint = 'End that with the same command, or with --cancel.';
      throw new AppError('usage', `The organization ${options.organizationId} is ${what}.`, { hint });
    }
    const move = await open(planned);
    move.reach('after plan');
    if (planned.step === 'planned') await prepare(move);
    if (planned.step !== 'switched') {
      await copy(move);
      await switchOver(move);
    }
    await leaveSource(move);
    return true;
  });
}

/** Ends a move that has not switched; the organization stays where it is. */
export async function cancelMove(options: MoveOptions): Promise<void> {
  const { organizationId } = options;
  await withLock(options, async (directory, open) => {
    const record = await findMove(directory, organizationId);
    if (record === null) throw new AppError('not_found', `The organization ${organizationId} is not being moved.`);
    if (record.step === 'switched') {
      const hint = 'Run the command without --cancel to end the move, then move it back.';
      throw new AppError('usage', `The organization ${organizationId} is on ${record.to} already.`, { hint });
    }
    await setStep(directory, organizationId, [record.step], 'cancelling');
    const move = await open(record);
    // First, so that writes continue even if the new server does not answer.
    await openServer(move.source, organizationId);
    await dropSubscription(move.target, move.name);
    await dropPublication(move);
    await deleteRows(move.target, organizationId);
    await endMove(directory, organizationId);
  });
}

const lockWithinMs = 10_000;
const moving = { answerTimeoutMs: 3_600_000, connectionsMax: 10 } as const;

async function withLock<Result>(
  { organizationId, urls, report, ...options }: MoveOptions,
  work: (directory: Kysely<Tables>, open: (record: MoveRecord) => Promise<Move>) => Promise<Result>,
): Promise<Result> {
  const databases = new Map(
    [...urls].map(([name, url]) => [name, new Kysely<Tables>({ dialect: postgresDialect({ url, ...moving }) })]),
  );
  const of = (server: string) => {
    const db = databases.get(server);
    if (db === undefined) throw new AppError('usage', `SERVICE_SERVERS lacks the server ${server}.`);
    return db;
  };
  try {
    return await of(mainServer)
      .connection()
      .execute(async (directory) => {
        if (!(await waitUntil(() => tryLock(directory, organizationId), { withinMs: lockWithinMs, everyMs: 250 })))
          throw new AppError('usage', `Another process is moving the organization ${organizationId}.`);
        return work(directory, async (record) => {
          const servers = await directory.selectFrom('server').select('name').execute();
          return {
            ...record,
            ...{ organizationId, directory, report },
            ...{ source: of(record.from), target: of(record.to), sourceUrl: urls.get(record.from) ?? '' },
            copies: new Map(servers.map(({ name }) => [name, of(name)])),
            name: await nameFor(of(record.from), 'workflow_move', organizationId),
            reach: options.onFailpoint ?? (() => {}),
            readersEndMs: options.readersEndMs ?? readersEndMs,
          };
        });
      });
  } finally {
    await Promise.all([...databases.values()].map((db) => db.destroy()));
  }
}

/** Makes the new server ready for a copy: it takes no writes for the organization, and has none of its rows. */
async function prepare(move: Move): Promise<void> {
  await closeServer(move.target, move.organizationId, move.from);
  move.reach('after closing the new server');
  await dropSubscription(move.target, move.name);
  await dropPublication(move);
  await deleteRows(move.target, move.organizationId);
  move.reach('after clearing');
  await setStep(move.directory, move.organizationId, ['planned'], 'copying');
}

/** Copies all rows, and follows the changes. */
async function copy(move: Move): Promise<void> {
  const { source, target, name, organizationId, report } = move;
  if (!(await hasRow(source, 'pg_publication', 'pubname', name))) {
    const isOwn = sql`where (organization_id = ${sql.lit(organizationId)})`;
    const tables = sql.join(movedTables.map((table) => sql`${sql.table(table)} ${isOwn}`));
    await sql`create publication ${sql.id(name)} for table ${tables}
      with (publish_via_partition_root = true)`.execute(source);
  }
  move.reach('after publication');
  await createSlot(source, name);
  move.reach('after slot');
  await createSubscription(target, { name, publication: name, url: move.sourceUrl });
  move.reach('after subscription');
  report(`Copies ${organizationId} from ${move.from} to ${move.to}. It is read and written meanwhile.`);
  const reportProgress = createProgress(move);
  await waitUntil(async () => {
    const { total, ready } = await copiedTables(target, name);
    await reportProgress(total, ready);
    return total > 0 && total === ready && (await lagOf(source, name)) < lagMax;
  }, copying);
  move.reach('after copy');
  await setStep(move.directory, organizationId, ['copying', 'switching'], 'switching');
}

/** A copy takes as long as it takes: a person can interrupt it. */
const copying = { withinMs: Number.POSITIVE_INFINITY, everyMs: 250 } as const;
/** Bytes of the log that the switch waits for. */
const lagMax = 4 * 1024 * 1024;
const replayWithinMs = 30_000;

async function copiedTables(target: Kysely<Tables>, name: string) {
  const { rows } = await sql<{ readonly total: number; readonly ready: number }>`select
      count(*) as total, count(*) filter (where srsubstate = 'r') as ready
    from pg_subscription_rel where srsubid = (select oid from pg_subscription where subname = ${name}
      and subdbid = (select oid from pg_database where datname = current_database()))`.execute(target);
  return rows[0] ?? { total: 0, ready: 0 };
}

const reportEveryMs = 10_000;

/** @returns a function that reports the copied tables now and then, and errors of the new server, which tries again */
function createProgress({ target, name, to, report }: Move) {
  let reportedAt = performance.now();
  return async (total: number, ready: number) => {
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    const { rows } = await sql<{ readonly errors: number }>`select apply_error_count + sync_error_count as errors
      from pg_stat_subscription_stats where subname = ${name}`.execute(target);
    const errors = rows[0]?.errors ?? 0;
    const failing = errors === 0 ? '' : ` ${to} failed ${errors} times: its log says why.`;
    report(`${ready} of ${total} tables are copied.${failing}`);
  };
}

async function lagOf(source: Kysely<Tables>, slot: string, upTo?: string): Promise<number> {
  const { rows } = await sql<{ readonly bytes: number }>`select
      pg_wal_lsn_diff(${upTo === undefined ? sql`pg_current_wal_lsn()` : sql`${upTo}::pg_lsn`}, confirmed_flush_lsn)::bigint
        as bytes
    from pg_replication_slots where slot_name = ${slot}`.execute(source);
  return rows[0]?.bytes ?? Number.POSITIVE_INFINITY;
}

/** Refuses writes, waits until the new server has every row, compares both, and changes the directory. */
async function switchOver(move: Move): Promise<void> {
  const { source, target, name, organizationId, directory } = move;
  await closeServer(source, organizationId, move.to);
  move.report('Its writes wait, and both servers are compared.');
  move.reach('after closing the old server');
  try {
    const { rows } = await sql<{ readonly lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.execute(
      source,
    );
    const isReplayed = async () => (await lagOf(source, name, rows[0]?.lsn)) <= 0;
    if (!(await waitUntil(isReplayed, { withinMs: replayWithinMs })))
      throw new AppError('unavailable', `The server ${move.to} did not receive every row in time.`, {
        hint: `The log of the server ${move.to} says more.`,
      });
    move.reach('after replay');
    await compareRows(source, target, organizationId);
  } catch (error) {
    // Writes continue first. A new attempt copies again.
    await openServer(source, organizationId);
    await setStep(directory, organizationId, ['switching'], 'planned');
    throw error;
  }
  move.reach('after comparison');
  // A standby of the new server may be read when it has this revision, and so every row before it.
  await withOrganizationLock(target, [organizationId], (transaction) => renewRevisions(transaction, [organizationId]));
  await switchServer(directory, organizationId, move);
  move.reach('after switch');
  move.report(`${organizationId} is on ${move.to}.`);
}

/** From here on only the rows of the old server are left to delete, when no reader is left. */
async function leaveSource(move: Move): Promise<void> {
  const { source, target, name, organizationId } = move;
  // Before the deletion, which the new server would follow.
  await dropSubscription(target, name);
  move.reach('after unsubscribing');
  if (await hasRow(target, 'closed_organization', 'organization_id', organizationId)) {
    // A process that has not read the change yet still reads the old server: it must not miss a write to the new one.
    await wait(leaseMs);
    await openServer(target, organizationId);
    move.report(`${move.to} takes its writes.`);
  }
  move.reach('after opening');
  await waitForReaders(move);
  move.reach('after readers');
  await dropPublication(move);
  move.reach('after slot dropped');
  await deleteRows(source, organizationId, () => move.reach('during deletion'));
  move.reach('after deletion');
  await endMove(move.directory, organizationId);
}

const copiesWithinMs = 60_000;

/** A process reads the directory or a copy within its lease: when all have the change, no new request goes to the old server. */
async function waitForReaders({ copies, organizationId, to, report, ...move }: Move): Promise<void> {
  for (const [server, db] of copies) {
    const hasSwitched = async () => {
      const { rows } = await sql`select from organization_server
        where organization_id = ${organizationId} and server = ${to}`.execute(db);
      return rows.length > 0;
    };
    if (!(await waitUntil(() => hasSwitched().catch(() => false), { withinMs: copiesWithinMs })))
      throw new AppError('unavailable', `The server ${server} does not follow the directory.`, {
        hint: `The organization is now on ${to}. Its old rows on ${move.from} are not deleted yet. When ${server} follows the directory again, run the command again to delete them.`,
      });
  }
  const seconds = Math.ceil(move.readersEndMs / 1000);
  report(`Deletes its rows on ${move.from} in ${seconds} s, when the last requests there have ended.`);
  await wait(move.readersEndMs);
}

async function dropPublication({ source, name }: Move): Promise<void> {
  await dropSlot(source, name);
  await sql`drop publication if exists ${sql.id(name)}`.execute(source);
}

/** @param elsewhere the server that has the organization, or is about to; returns when no write is running */
async function closeServer(db: Kysely<Tables>, organizationId: string, elsewhere: string): Promise<void> {
  await withOrganizationLock(db, [organizationId], async (transaction) => {
    await transaction
      .insertInto('closed_organization')
      .values({ organization_id: organizationId, server: elsewhere })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ server: elsewhere }))
      .execute();
  });
}

/** The new revision tells standbys that this server's rows have changed. */
async function openServer(db: Kysely<Tables>, organizationId: string): Promise<void> {
  await withOrganizationLock(db, [organizationId], async (transaction) => {
    await renewRevisions(transaction, [organizationId]);
    await transaction.deleteFrom('closed_organization').where('organization_id', '=', organizationId).execute();
  });
}
