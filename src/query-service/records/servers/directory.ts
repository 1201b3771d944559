/** The directory as one process knows it: which server has an organization, and which organization has a key. */
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../shared/errors.ts';
import { postgresDialect } from '../../../shared/sql/postgres.ts';
import type { Tables } from '../tables/tables.ts';

export type Directory = {
  /** @throws AppError `unavailable` if the organization is not known, or the directory was not read for `leaseMs` */
  readonly serverOf: (organizationId: string) => string;
  /** Reads the directory again if the organization is not known. @returns null if it is in no directory */
  readonly find: (organizationId: string) => Promise<string | null>;
  readonly organizationOfKey: (keyId: string) => Promise<string | null>;
  /** @returns the ids of all organizations, in order */
  readonly organizations: () => readonly string[];
  /** Reads a secret from any server that has it. */
  readonly storedSecret: (name: string) => Promise<string>;
  /** Reads the changes now. @throws AppError `unavailable` if no server answers */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The name of the server of SERVICE_DATABASE_URL, which has the directory. Every other server has a copy. */
export const mainServer = 'main';

/** A process reads changes this often, and refuses requests if it could not for `leaseMs`. */
const pollMs = 200;
export const leaseMs = 5_000;
/** Polls between two attempts to read the directory itself rather than a copy. */
const pollsOfCopy = 20;
const reading = { answerTimeoutMs: 1_000, connectionsMax: 2 } as const;
const keysMax = 100_000;

type Source = Kysely<Tables>;

/** @param urls by the name of the server @throws AppError `unavailable` if no server answers */
export async function openDirectory(urls: ReadonlyMap<string, string>): Promise<Directory> {
  const sources = [...urls.values()].map(
    (url) => new Kysely<Tables>({ dialect: postgresDialect({ url, ...reading }) }),
  );
  const fromAny = createFallback(sources);
  const known = createPlacements();
  const keys = createLruCache<string>({ entriesMax: keysMax });
  const refresh = singleFlight(async () => {
    const startedAt = performance.now();
    known.add(await fromAny((db) => readChanges(db, known.version())), startedAt);
  });
  const stopped = new AbortController();
  const close = async () => {
    stopped.abort();
    await polling;
    await Promise.all(sources.map((db) => db.destroy()));
  };
  const polling = refresh()
    .catch(() => {})
    .then(() => poll(refresh, stopped.signal));
  try {
    await refresh();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...known,
    async find(organizationId) {
      if (!known.has(organizationId)) await refresh();
      return known.has(organizationId) ? known.serverOf(organizationId) : null;
    },
    async organizationOfKey(keyId) {
      const organizationId = keys.get(keyId) ?? (await fromAny((db) => readKey(db, keyId)));
      if (organizationId !== undefined) keys.set(keyId, organizationId);
      return organizationId ?? null;
    },
    storedSecret: (name) => fromAny((db) => readSecret(db, name)),
    refresh,
    close,
  };
}

type Placement = { readonly organizationId: string; readonly server: string; readonly version: number };

function readChanges(db: Source, version: number): Promise<readonly Placement[]> {
  return db
    .selectFrom('organization_server')
    .select(['organization_id as organizationId', 'server', 'version'])
    .where('version', '>', version)
    .orderBy('version')
    .execute();
}

async function readKey(db: Source, keyId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('key_organization')
    .select('organization_id as organizationId')
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return row?.organizationId;
}

async function readSecret(db: Source, name: string): Promise<string> {
  const row = await db.selectFrom('kept_secret').select('value').where('name', '=', name).executeTakeFirst();
  if (row === undefined) throw new AppError('unavailable', 'The server is not in the directory yet.');
  return row.value;
}

/** A copy may be older than what this process has read already: a version never goes back. */
function createPlacements() {
  const servers = new Map<string, string>();
  let [version, readAt] = [0, Number.NEGATIVE_INFINITY];
  return {
    version: () => version,
    has: (organizationId: string) => servers.has(organizationId),
    organizations: () => [...servers.keys()].sort(),
    /** @param startedAt when the read began */
    add(rows: readonly Placement[], startedAt: number) {
      for (const row of rows) servers.set(row.organizationId, row.server);
      version = Math.max(version, rows.at(-1)?.version ?? 0);
      readAt = startedAt;
    },
    serverOf(organizationId: string) {
      if (performance.now() - readAt > leaseMs)
        throw new AppError('unavailable', 'The directory of the servers does not answer.', { isRetryable: true });
      const server = servers.get(organizationId);
      if (server === undefined)
        throw new AppError('unavailable', `The directory names no server for the organization ${organizationId}.`);
      return server;
    },
  };
}

/** @returns a function that reads from the directory, and from a copy while the directory does not answer */
function createFallback(sources: readonly Source[]) {
  let [last, left] = [0, 0];
  return async <Result>(read: (db: Source) => Promise<Result>): Promise<Result> => {
    left -= 1;
    const first = left > 0 ? last : 0;
    const order = [first, ...sources.keys()].filter((each, at, all) => all.indexOf(each) === at);
    let failure: unknown;
    for (const index of order) {
      const source = sources[index];
      if (source === undefined) continue;
      try {
        const found = await read(source);
        if (index === 0) left = 0;
        else if (last !== index || left <= 0) left = pollsOfCopy;
        last = index;
        return found;
      } catch (error) {
        failure = error;
      }
    }
    const options = { cause: failure, isRetryable: true };
    throw new AppError('unavailable', 'The directory of the servers does not answer.', options);
  };
}

async function poll(refresh: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(pollMs, undefined, { signal, ref: false }).catch(() => {});
    // Without a read the lease ends, and requests are refused.
    if (!signal.aborted) await refresh().catch(() => {});
  }
}

/** Calls during a read get the next one, which sees what was committed before the call. */
function singleFlight(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
