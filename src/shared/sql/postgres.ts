/** PostgreSQL through pg as a dialect of Kysely: whole numbers are numbers, and every wait has a limit. */

import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as timer } from 'node:timers/promises';
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { type ClientBase, DatabaseError, Pool, type PoolClient, types } from 'pg';
import { AppError } from '../errors.ts';
import { readNetworkFailure } from '../http/network-failure.ts';
import { backoffMs } from '../retry.ts';

export type PostgresOptions = {
  /** `postgres://…` with pg's own parameters, and libpq's `connect_timeout` in seconds. */
  readonly url: string;
  /** Limit for one statement. */
  readonly answerTimeoutMs: number;
  readonly connectionsMax: number;
  /**
   * For frequent statements of few forms. `statements`: the server keeps parsed statements and plans again if it
   * expects a gain. `plans`: it keeps one plan for all values, which must be a good one. A pooler in between has to
   * support it.
   */
  readonly keeps?: 'statements' | 'plans';
  /** Set if the server is a standby. */
  readonly standby?: StandbyConnections;
};

/** Checks of connections to a standby, which may be replaced by another server or promoted at any time. */
export type StandbyConnections = {
  /** A new connection to a server that was started at another time is refused. @returns epoch seconds as text */
  readonly startedAt: () => string | undefined;
  /** Called before the first statement that ended after the promotion returns. */
  readonly onPromoted: () => void;
};

/** Connections of a pool, and the number of requests that wait for one. */
export type PoolUse = { readonly total: number; readonly idle: number; readonly waiting: number };

/** For a process that has stopped, perhaps frozen, while it holds locks. */
const idleInTransactionMs = 30_000;
/** Time for the server to stop a statement itself, before the connection is closed. */
const graceMs = 1000;

/** @returns a dialect that throws AppError `unavailable` unless the statement itself is at fault */
export function postgresDialect(options: PostgresOptions): PostgresDialect {
  return new PostgresDialect({ pool: guardedPool(options) });
}

/** The request for which a statement runs. */
type StatementFor = {
  /** Tells the server to cancel the statement when the signal aborts. Left out for short statements. */
  readonly left?: (() => AbortSignal) | undefined;
  /** @param ms time that the server took to answer */
  readonly spend: (ms: number) => void;
};

/** Connections in use; each runs statements one by one. */
export type StatementPool = {
  /** @returns rows as lists of values */
  readonly run: (text: string, values: readonly unknown[], statementFor: StatementFor) => Promise<readonly unknown[]>;
  readonly use: () => PoolUse;
  readonly end: () => Promise<void>;
};

export function createStatementPool(options: PostgresOptions): StatementPool {
  const { pool, nameOf } = openPool(options);
  return {
    async run(text, values, { left, spend }) {
      const { query, release } = guardedClient(await lend(pool), nameOf, left?.());
      const startedAt = performance.now();
      try {
        const { rows } = await query(text, values, 'array');
        return rows;
      } finally {
        spend(performance.now() - startedAt);
        release();
      }
    },
    use: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => pool.end(),
  };
}

type PoolOptions = PostgresOptions & { readonly isPipelined?: boolean };

/** @param isPipelined true if statements are sent before the one in front of them has ended */
export function openPool({ url, answerTimeoutMs, connectionsMax, keeps, standby, isPipelined = false }: PoolOptions) {
  const pool = new Pool({
    pipeline: isPipelined,
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs(url),
    statement_timeout: answerTimeoutMs,
    query_timeout: answerTimeoutMs + graceMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    application_name: 'workflow-bot',
    keepAlive: true,
    types: { getTypeParser },
    onConnect: async (client) => {
      await keepConfirmed(client);
      if (keeps === 'plans') await planOnce(client);
      if (standby) await checkStandby(client, standby);
    },
  });
  // A broken connection leaves the pool, and its user gets the error. Without this listener the error would also end
  // the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  countOpenConnections(pool);
  return { pool, nameOf: keeps ? createStatementNames() : () => undefined };
}

/** @returns the limit for opening a connection, or for waiting until one is free: 2 s unless the URL sets another */
function connectTimeoutMs(url: string): number {
  const [, seconds = '2'] = /[?&]connect_timeout=([1-9]\d{0,3})(?!\d)/.exec(url) ?? [];
  return Number(seconds) * 1000;
}

/**
 * Makes the server keep what it has confirmed through a crash, even if its default does not: a message that is posted
 * and then forgotten would be posted again. Any other setting of the administrator is as safe or safer.
 */
async function keepConfirmed(client: ClientBase): Promise<void> {
  await client.query(
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  );
}

/**
 * Keeps plans and uses one processor per statement. Planning a list again takes longer than reading it, compiling it
 * takes longer than it saves, and with one processor a statement is charged for all of its time. Citus plans for the
 * node of each organization.
 */
async function planOnce(client: ClientBase): Promise<void> {
  await client.query(
    `set max_parallel_workers_per_gather = 0; set jit = off; select set_config('plan_cache_mode', 'force_generic_plan', false)
      where not exists (select from pg_extension where extname = 'citus')`,
  );
}

/** The server reports `in_hot_standby` before the end of the first statement after its promotion. */
async function checkStandby(client: ClientBase, { startedAt, onPromoted }: StandbyConnections): Promise<void> {
  connectionOf(client)?.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'off') onPromoted();
  });
  const { rows } = await client.query<{ readonly is_standby: boolean; readonly started_at: string }>(
    'select pg_is_in_recovery() as is_standby, extract(epoch from pg_postmaster_start_time())::text as started_at',
  );
  const [server] = rows;
  if (!server?.is_standby || server.started_at !== startedAt()) throw new WrongStandby();
}

class WrongStandby extends Error {
  override readonly name = 'WrongStandby';
  override readonly message = 'This is not the standby that was asked.';
}

type ParameterStatus = { readonly parameterName: string; readonly parameterValue: string };

/** The client's connection, which pg has and its types lack. */
function connectionOf(client: ClientBase): EventEmitter | undefined {
  return 'connection' in client && client.connection instanceof EventEmitter ? client.connection : undefined;
}

/** Parses bigint as numbers, because times and counts fit; pg would return text. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format);
}

type NameOf = (text: string) => string | undefined;

/** Closes a connection that failed, because its server may be gone. */
function guardedPool(options: PostgresOptions): PostgresPool {
  const { pool, nameOf } = openPool(options);
  const connect = async (): Promise<PostgresPoolClient> => {
    const { query: runOnce, release } = guardedClient(await lend(pool), nameOf);
    let isInTransaction = false;
    const query = async (text: string, values: readonly unknown[]) => {
      // A statement outside of a transaction is one of its own.
      const result = await (isInTransaction ? runOnce(text, values) : retryConflicts(() => runOnce(text, values)));
      if (/^(?:begin|start transaction)\b/i.test(text)) isInTransaction = true;
      if (/^(?:commit|rollback)$/i.test(text)) isInTransaction = false;
      return result;
    };
    // Kysely's type has a second form of `query`, for cursors, which is not used here.
    return { query: query as unknown as PostgresPoolClient['query'], release };
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

export function lend(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((error: unknown) => {
    // A request that waited for a connection while one is open: those in front of it take their time.
    const isInQueue = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
    if (!isInQueue || openConnections.get(pool) === 0) throw describe(error);
    const options = { cause: error, isRetryable: true };
    throw new AppError('unavailable', 'The database has no free connection at the moment.', options);
  });
}

/** Number of open connections of each pool; its own count includes those that are being opened. */
const openConnections = new WeakMap<Pool, number>();

function countOpenConnections(pool: Pool): void {
  const opened = new WeakSet<ClientBase>();
  const add = (count: number) => openConnections.set(pool, (openConnections.get(pool) ?? 0) + count);
  add(0);
  pool.on('connect', (client) => {
    opened.add(client);
    add(1);
  });
  pool.on('remove', (client) => {
    if (opened.has(client)) add(-1);
  });
}

/** @param left tells the server to cancel the statement when it aborts */
function guardedClient(client: PoolClient, nameOf: NameOf, left?: AbortSignal) {
  let isBroken = false;
  const query = async (text: string, values: readonly unknown[], rowMode?: 'array') => {
    left?.throwIfAborted();
    const cancel = () => {
      isBroken = true;
      cancelStatement(client);
    };
    left?.addEventListener('abort', cancel, { once: true });
    try {
      return await client.query({ name: nameOf(text), text, values: [...values], ...(rowMode && { rowMode }) });
    } catch (error) {
      const described = describe(error);
      isBroken ||= (described instanceof AppError && !isConflict(error)) || !(error instanceof DatabaseError);
      throw left?.aborted ? left.reason : described;
    } finally {
      left?.removeEventListener('abort', cancel);
    }
  };
  const release = (isDiscarded = false) => client.release(isBroken || isDiscarded);
  return { query, release };
}

/**
 * SQLSTATE classes for a server that is in trouble, shutting down or out of time, and three more codes: a lock was not
 * available in time, and a named statement uses tables that a newer version has changed, or is missing because the
 * statement that prepared it has failed, which another connection prepares again.
 */
const troubled = /^(08|53|57|58|XX|55P03|0A000|26000)/;

/** Messages of pg's errors of a failed connection, which have no class of their own. */
const lostConnection =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|The server does not support SSL|There was an error establishing an SSL)/;

function isTlsCode(code: unknown): boolean {
  return typeof code === 'string' && /^ERR_(?:SSL|TLS)_/.test(code);
}

/** @returns SQLSTATE, that of a lost connection for an error of the network; undefined for a bug */
function stateOf(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code ?? '';
  if (!(error instanceof Error)) return undefined;
  const isOfNetwork = readNetworkFailure(error).kind !== 'unknown' || ('code' in error && isTlsCode(error.code));
  return isOfNetwork || error instanceof WrongStandby || lostConnection.test(error.message) ? '08000' : undefined;
}

/** @returns AppError `unavailable` if the server is in trouble or cannot be reached; otherwise the error as it is */
export function describe(error: unknown): unknown {
  const code = stateOf(error);
  if (code === undefined) return error;
  const options = { cause: error, isRetryable: true };
  if (code.startsWith('28'))
    return new AppError('unavailable', 'The database refused the user or the password.', options);
  if (code === '3D000')
    return new AppError('unavailable', 'The database server has no database of that name.', options);
  if (isConflict(error))
    return new AppError('unavailable', 'The database was busy with another change of the same rows.', options);
  return troubled.test(code) ? new AppError('unavailable', 'The database does not answer.', options) : error;
}

/** @returns true if the server ended the transaction because of another one: serialization failure, deadlock */
function isConflict(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof DatabaseError && ['40001', '40P01'].includes(cause.code ?? '');
}

const conflictsMax = 5;
const conflictBackoff = { firstMs: 10, maxMs: 200, jitter: 0.5 };

/** Repeats a transaction that the server ended because of another one. @param run leaves nothing behind if it fails */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt > conflictsMax || !isConflict(error)) throw error;
      await timer(backoffMs(conflictBackoff, attempt));
    }
  }
}

/** Limit of names per connection, which keeps every named statement; later statements are sent without a name. */
const namesMax = 100;
/** Longer statements write many rows at once, rarely the same number. */
const lengthMax = 4000;

/** @returns a function that returns a name for a text, or undefined */
function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= namesMax || text.length > lengthMax) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}

const cancelRequestCode = 80_877_102;
const answerTimeoutMs = 2_000;

/** The connection's cancellation key, which pg has and its types lack. */
type CancellationKey = { readonly processID?: number; readonly secretKey?: number };

/**
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS: the request uses a
 * connection of its own and gets no answer. It may arrive late, so the cancelled connection is not used again.
 */
function cancelStatement({ host, port, processID, secretKey }: PoolClient & CancellationKey): void {
  if (processID === undefined || secretKey === undefined) return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(cancelRequestCode, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.setTimeout(answerTimeoutMs, () => socket.destroy());
  // If the server cannot be reached, it stops the statement at its timeout.
  socket.on('error', () => {});
  socket.end(message);
}
