/**
 * A pool of pipelined connections to PostgreSQL for short reads: several statements are under way on each connection,
 * and all statements of one turn of the event loop are one write.
 */
import { DatabaseError, type PoolClient, Query, types } from 'pg';
import { describe, lend, openPool, type PostgresOptions, type StatementPool } from './postgres.ts';

export type PipelineOptions = PostgresOptions & {
  /** Statements under way on one connection. */
  readonly depth: number;
};

type Connection = {
  /** Undefined until it is open. */
  client: PoolClient | undefined;
  readonly opened: Promise<PoolClient>;
  /** Columns of each named statement, from the server's description. */
  readonly columns: Map<string, Columns>;
  /** Statements that were sent, or wait until it is open. */
  inFlight: number;
  /** Time at which the server began its present statement, or ended its last one. */
  since: number;
  isShared: boolean;
  isWriting: boolean;
};

/**
 * A statement that takes longer delays those behind it, so no other joins it, and the next of its form runs on a
 * connection of its own.
 */
const slowMs = 20;
/** Time after which a connection without statements is closed. */
const idleMs = 10_000;
/** Share of its longest time that a form keeps from one statement to the next. */
const decay = 0.8;

/** Takes the first connection with room, so that under load few connections do the work of many. */
export function createPipelinedPool(options: PipelineOptions): StatementPool {
  const { pool, nameOf } = openPool({ ...options, isPipelined: true });
  const connections = createConnections(options, () => lend(pool));
  const longest = new Map<string, number>();
  const note = (name: string, ms: number) => longest.set(name, Math.max(ms, (longest.get(name) ?? 0) * decay));
  return {
    async run(text, values, { spend }) {
      const name = nameOf(text) ?? '';
      const isShared = (longest.get(name) ?? 0) < slowMs;
      const connection = connections.take(isShared);
      try {
        const client = connection.client ?? (await connection.opened);
        return await send(connection, client, { name, text, values });
      } catch (error) {
        const described = describe(error);
        // It may have ended, or keep a statement that uses tables of another version.
        if (described !== error || !(error instanceof DatabaseError)) connections.retire(connection);
        throw described;
      } finally {
        const isOpen = connection.client !== undefined;
        const ms = connections.release(connection);
        if (isOpen) {
          if (name !== '') note(name, ms);
          spend(ms);
        }
      }
    },
    use: () => ({ ...connections.use(), waiting: 0 }),
    async end() {
      connections.end();
      await pool.end();
    },
  };
}

function createConnections({ connectionsMax, depth }: PipelineOptions, open: () => Promise<PoolClient>) {
  const connections = new Set<Connection>();
  const retire = (connection: Connection) => {
    if (connections.delete(connection) && connection.inFlight === 0) connection.client?.release(true);
  };
  const add = () => {
    const connection = newConnection(open());
    connections.add(connection);
    connection.opened.then(
      (client) => {
        Object.assign(connection, { client, since: performance.now() });
        client.once('end', () => retire(connection));
      },
      () => retire(connection),
    );
    return connection;
  };
  const idleCheck = setInterval(() => {
    const before = performance.now() - idleMs;
    for (const connection of connections)
      if (connection.inFlight === 0 && connection.since < before) retire(connection);
  }, idleMs).unref();
  return {
    retire,
    take(isShared: boolean): Connection {
      const now = performance.now();
      const all = [...connections];
      const free = all.find((each) => isIdle(each) || (isShared && hasRoom(each, depth, now)));
      const leastBusy = () => all.reduce((least, each) => (each.inFlight < least.inFlight ? each : least));
      const taken = free ?? (all.length < connectionsMax ? add() : leastBusy());
      if (isIdle(taken)) Object.assign(taken, { since: now, isShared });
      taken.inFlight += 1;
      return taken;
    },
    /** @returns the time that the server took for the statement, without those before it */
    release(connection: Connection): number {
      const now = performance.now();
      const ms = now - connection.since;
      connection.since = now;
      connection.inFlight -= 1;
      if (connection.inFlight === 0 && !connections.has(connection)) connection.client?.release(true);
      return ms;
    },
    use: () => ({ total: connections.size, idle: [...connections].filter(isIdle).length }),
    end() {
      clearInterval(idleCheck);
      for (const connection of connections) retire(connection);
    },
  };
}

const isIdle = ({ inFlight }: Connection) => inFlight === 0;

/** @returns true if its statements are fast so far */
function hasRoom({ inFlight, isShared, since }: Connection, depth: number, now: number): boolean {
  return isShared && inFlight < depth && now - since < slowMs;
}

function newConnection(opened: Promise<PoolClient>): Connection {
  return {
    ...{ client: undefined, opened, columns: new Map() },
    ...{ inFlight: 0, since: 0, isShared: true, isWriting: false },
  };
}

type Sent = { readonly name: string; readonly text: string; readonly values: readonly unknown[] };
type Rows = readonly unknown[];

function send(connection: Connection, client: PoolClient, statement: Sent): Promise<Rows> {
  const { promise, resolve, reject } = Promise.withResolvers<Rows>();
  writeLater(connection, client);
  const ended = (error: Error | undefined, rows: Rows) => (error ? reject(error) : resolve(rows));
  client.query(new ReadStatement(statement, connection.columns, ended));
  return promise;
}

/** Holds back what is written until the other requests of this turn of the event loop have sent their statements. */
function writeLater(connection: Connection, client: PoolClient): void {
  if (connection.isWriting) return;
  connection.isWriting = true;
  const { stream } = client.connection;
  stream.cork();
  setImmediate(() => {
    connection.isWriting = false;
    stream.uncork();
  });
}

/** The parsers of a statement's columns; null for text. */
type Columns = readonly (((text: string) => unknown) | null)[];

/** The part of pg's connection that a submitted statement uses; pg's types lack it. */
type Wire = {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
  readonly parse: (statement: { readonly name: string; readonly text: string }) => void;
  readonly describe: (of: { readonly type: 'S'; readonly name: string }) => void;
  readonly bind: (bound: {
    readonly statement: string;
    readonly values: readonly unknown[];
    readonly valueMapper: (value: unknown) => string | null;
  }) => void;
  readonly execute: (portal: object) => void;
  readonly sync: () => void;
};

type Ended = (error: Error | undefined, rows: Rows) => void;

/**
 * A statement that the server describes only when it is first prepared, and whose rows are lists. It replaces the
 * methods of pg's query that pg calls for each message of the server.
 */
class ReadStatement extends Query {
  declare callback: Ended;
  readonly #statement: Sent;
  readonly #columns: Map<string, Columns>;
  readonly #rows: Rows[] = [];
  #own: Columns | undefined;

  constructor(statement: Sent, columns: Map<string, Columns>, ended: Ended) {
    super({ ...statement, values: [...statement.values] });
    this.callback = ended;
    this.#statement = statement;
    this.#columns = columns;
  }

  prepare(wire: Wire): void {
    const { name, text, values } = this.#statement;
    const isPrepared = name !== '' && (name in wire.parsedStatements || name in wire.submittedNamedStatements);
    if (!isPrepared) {
      wire.parse({ name, text });
      if (name !== '') wire.submittedNamedStatements[name] = text;
      wire.describe({ type: 'S', name });
    }
    wire.bind({ statement: name, values, valueMapper: (value) => (value === null ? null : String(value)) });
    wire.execute({});
    wire.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    this.#own = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
    if (this.#statement.name !== '') this.#columns.set(this.#statement.name, this.#own);
  }

  handleDataRow({ fields }: { readonly fields: unknown[] }): void {
    this.#own ??= this.#columns.get(this.#statement.name);
    if (this.#own === undefined) return;
    for (const [index, parse] of this.#own.entries()) {
      const value = fields[index];
      if (parse !== null && typeof value === 'string') fields[index] = parse(value);
    }
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    this.#own ??= this.#columns.get(this.#statement.name);
  }

  handleReadyForQuery(): void {
    const isDescribed = this.#own !== undefined;
    this.callback(isDescribed ? undefined : new Error('The server did not describe a statement.'), this.#rows);
  }
}

function parserOf(typeId: number): Columns[number] {
  if (typeId === types.builtins.TEXT) return null;
  return typeId === types.builtins.INT8 ? Number : types.getTypeParser(typeId, 'text');
}
