/** PostgreSQL through pg, as Kysely wants it: whole numbers as numbers, and no wait without an end. */

import { connect } from 'node:net';
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { type ClientBase, DatabaseError, Pool, type PoolClient, types } from 'pg';
import { AppError } from '../errors.ts';

export type PostgresOptions = {
  /** `postgres://…` with pg's own parameters. */
  readonly url: string;
  /** The longest that one statement may take. */
  readonly answerTimeoutMs: number;
  readonly connectionsMax: number;
  /**
   * For what is asked often, in few forms: the server keeps what it has parsed, and plans again where it thinks that this pays;
   * or it keeps one plan for all values, which has to be a good one. A pooler in between has to know of it.
   */
  readonly keeps?: 'statements' | 'plans';
};

/** Connections of a pool, and how many wait for one. */
export type PoolUse = { readonly total: number; readonly idle: number; readonly waiting: number };

const connectTimeoutMs = 2000;
/** Of a process that holds locks and has stopped, frozen perhaps. */
const idleInTransactionMs = 30_000;
/** Time for the server to stop a statement by itself before the connection is closed. */
const graceMs = 1000;

/** @returns a dialect whose errors are AppError `unavailable` where the database is not at fault for what it was asked */
export function postgresDialect(options: PostgresOptions): PostgresDialect {
  return new PostgresDialect({ pool: guardedPool(options) });
}

/** Whom a statement is run for. */
export type StatementFor = {
  /** Once it is aborted, the server is told to stop. Statements that are over sooner than that leave it out. */
  readonly left?: (() => AbortSignal) | undefined;
  /** @param ms how long the server took to answer */
  readonly spend: (ms: number) => void;
};

/** Connections in use; each runs statements one by one. */
export type StatementPool = {
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
        const { rows } = await query(text, values);
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

function openPool({ url, answerTimeoutMs, connectionsMax, keeps }: PostgresOptions) {
  const pool = new Pool({
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
    },
  });
  // A connection that breaks leaves the pool by itself, and whoever was using it is told; without listeners it would end
  // the process besides.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return { pool, nameOf: keeps ? createStatementNames() : () => undefined };
}

/**
 * What the server has confirmed it keeps through its crash, wherever its default is not to: a message that was posted and is
 * forgotten is posted again. Any other choice of its administrator is as good or better.
 */
async function keepConfirmed(client: ClientBase): Promise<void> {
  await client.query(
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  );
}

/**
 * Left to itself the server plans a list again each time, which takes longer than reading it. One statement takes one processor,
 * so that what it takes is what its asker is charged, and compiling it takes longer than it saves.
 */
async function planOnce(client: ClientBase): Promise<void> {
  await client.query(
    `set plan_cache_mode = 'force_generic_plan'; set max_parallel_workers_per_gather = 0; set jit = off`,
  );
}

/** Times and counts are bigint there and are safe as numbers; pg would give them as text. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format);
}

type NameOf = (text: string) => string | undefined;

/** A connection that failed is closed and not used again: its server may be gone. */
function guardedPool(options: PostgresOptions): PostgresPool {
  const { pool, nameOf } = openPool(options);
  const connect = async (): Promise<PostgresPoolClient> => {
    const { query, release } = guardedClient(await lend(pool), nameOf);
    // Kysely's type has a second form of `query`, for cursors, which is not used here.
    return { query: query as unknown as PostgresPoolClient['query'], release };
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

function lend(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw describe(error);
  });
}

/** @param left once it is aborted, the server is told to stop */
function guardedClient(client: PoolClient, nameOf: NameOf, left?: AbortSignal) {
  let isBroken = false;
  const query = async (text: string, values: readonly unknown[]) => {
    left?.throwIfAborted();
    const cancel = () => {
      isBroken = true;
      cancelStatement(client);
    };
    left?.addEventListener('abort', cancel, { once: true });
    try {
      return await client.query({ name: nameOf(text), text, values: [...values] });
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
 * Classes of SQLSTATE that say that the server is in trouble, closing down or out of time, and two more: waited for a lock, and
 * knows a statement by a name whose tables a newer version has changed, which another connection reads anew.
 */
const troubled = /^(08|53|57|58|XX|55P03|0A000)/;

function describe(error: unknown): unknown {
  const code = error instanceof DatabaseError ? (error.code ?? '') : '08000';
  const options = { cause: error, isRetryable: true };
  if (code.startsWith('28'))
    return new AppError('unavailable', 'The database refused the user or the password.', options);
  if (code === '3D000')
    return new AppError('unavailable', 'The database server has no database of that name.', options);
  return troubled.test(code) ? new AppError('unavailable', 'The database does not answer.', options) : error;
}

/** Every connection keeps what it has been told by name, so there is an end to them; what comes later is sent without. */
const namesMax = 100;
/** Longer statements write many rows at once, seldom the same number. */
const lengthMax = 4000;

/** @returns a name for this text alone, or undefined */
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
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS: on a connection of its own, and
 * never answered. It may come late, so the connection it was meant for is not to be used again.
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
  // A server that cannot be reached stops the statement by itself at its timeout.
  socket.on('error', () => {});
  socket.end(message);
}

/** The connection's cancellation key, which pg keeps and its types lack. */
function keyOf(client: PoolClient): { readonly processID?: number; readonly secretKey?: number } {
  const isKnown =
    'processID' in client &&
    'secretKey' in client &&
    typeof client.processID === 'number' &&
    typeof client.secretKey === 'number';
  return isKnown ? { processID: Number(client.processID), secretKey: Number(client.secretKey) } : {};
}
