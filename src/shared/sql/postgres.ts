/** PostgreSQL through pg as a dialect of Kysely: whole numbers are numbers, and every wait has a limit. */

import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { type ClientBase, DatabaseError, Pool, type PoolClient, types } from 'pg';
import { AppError } from '../errors.ts';

export type PostgresOptions = {
  /** `postgres://…` with pg's own parameters. */
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

const connectTimeoutMs = 2000;
/** For a process that has stopped, perhaps frozen, while it holds locks. */
const idleInTransactionMs = 30_000;
/** Time for the server to stop a statement itself, before the connection is closed. */
const graceMs = 1000;

/** @returns a dialect that throws AppError `unavailable` unless the statement itself is at fault */
export function postgresDialect(options: PostgresOptions): PostgresDialect {
  return new PostgresDialect({ pool: guardedPool(options) });
}

/** The request for which a statement runs. */
export type StatementFor = {
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
    connectionTimeoutMillis: connectTimeoutMs,
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
  return { pool, nameOf: keeps ? createStatementNames() : () => undefined };
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
 * takes longer than it saves, and with one processor a statement is charged for all of its time.
 */
async function planOnce(client: ClientBase): Promise<void> {
  await client.query(
    `set plan_cache_mode = 'force_generic_plan'; set max_parallel_workers_per_gather = 0; set jit = off`,
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
  if (!server?.is_standby || server.started_at !== startedAt())
    throw new Error('This is not the standby that was asked.');
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
    const { query, release } = guardedClient(await lend(pool), nameOf);
    // Kysely's type has a second form of `query`, for cursors, which is not used here.
    return { query: query as unknown as PostgresPoolClient['query'], release };
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

export function lend(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw describe(error);
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
      isBroken ||= described instanceof AppError;
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

/** @returns AppError `unavailable` unless the statement itself is at fault */
export function describe(error: unknown): unknown {
  const code = error instanceof DatabaseError ? (error.code ?? '') : '08000';
  const options = { cause: error, isRetryable: true };
  if (code.startsWith('28'))
    return new AppError('unavailable', 'The database refused the user or the password.', options);
  if (code === '3D000')
    return new AppError('unavailable', 'The database server has no database of that name.', options);
  return troubled.test(code) ? new AppError('unavailable', 'The database does not answer.', options) : error;
}

/** Limit of names per connection, which keeps every named statement; later statements are sent without a name. */
const namesMax = 100;
/** Longer statements write many rows at once, rarely the same number. */
const lengthMax = 4000;

/** @returns a function that returns a name for a text, or undefined */
export function createStatementNames(): (text: string) => string | undefined {
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

/**
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS: the request uses a
 * connection of its own and gets no answer. It may arrive late, so the cancelled connection is not used again.
 */
export function cancelStatement(client: PoolClient): void {
  const { processID, secretKey } = keyOf(client);
  if (processID === undefined || secretKey === undefined) return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(cancelRequestCode, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const { host, port } = client;
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.setTimeout(answerTimeoutMs, () => socket.destroy());
  // If the server cannot be reached, it stops the statement at its timeout.
  socket.on('error', () => {});
  socket.end(message);
}

/** The connection's cancellation key, which pg has and its types lack. */
function keyOf(client: PoolClient): { readonly processID?: number; readonly secretKey?: number } {
  const isKnown =
    'processID' in client &&
    'secretKey' in client &&
    typeof client.processID === 'number' &&
    typeof client.secretKey === 'number';
  return isKnown ? { processID: Number(client.processID), secretKey: Number(client.secretKey) } : {};
}
