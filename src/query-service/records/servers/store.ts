/** The records of organizations on several PostgreSQL servers, as one database: each organization is on one of them. */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { type PoolUse, postgresDialect } from '../../../shared/sql/postgres.ts';
import type { ImportRecords } from '../import-progress.ts';
import type { Records, RecordWriter } from '../port.ts';
import { readCosts } from '../read-cost.ts';
import type { RecordStore } from '../store.ts';
import type { Tables } from '../tables/tables.ts';
import { addServer, beginDirectory, placeKey, placeOrganization } from './changes.ts';
import { openServerStores, type ServerStores, sentenceOf } from './connections.ts';
import { type Directory, mainServer, openDirectory } from './directory.ts';
import { createServerKeys } from './keys.ts';
import { createRoute, type Route } from './route.ts';

export type ServersOptions = {
  /** URL of the directory's server. */
  readonly url: string;
  /** URLs of the other servers by name. */
  readonly servers: ReadonlyMap<string, string>;
  /** The server of new organizations; the directory's own by default. */
  readonly placeNew?: string | undefined;
  readonly open: (url: string) => Promise<RecordStore>;
  readonly warn: (sentence: string) => void;
};

/** Changes of the directory are rare and short. */
const changing = { answerTimeoutMs: 30_000, connectionsMax: 2 } as const;

/** Reads of the directory until it has a new organization. */
const [placedReadsMax, placedReadMs] = [50, 100];

/** The name under which `storedSecret` has the pepper of the keys. */
const pepperName = 'key-pepper';

/** @throws AppError `unavailable` if no server answers, `usage` if the servers do not fit together */
export async function openServers({ url, servers, open, warn, ...options }: ServersOptions): Promise<RecordStore> {
  const placeNew = options.placeNew ?? mainServer;
  const urls = new Map([[mainServer, url], ...servers]);
  const stores = await openServerStores({ urls, open, warn });
  const own = new Kysely<Tables>({ dialect: postgresDialect({ url, ...changing }) });
  let directory: Directory | undefined;
  const close = async () => {
    await Promise.all([stores.close(), directory?.close(), own.destroy()]);
  };
  try {
    if (stores.all().has(mainServer)) await beginDirectory(own);
    if (placeNew !== mainServer) await joinServer({ own, url, stores, urls }, placeNew);
    directory = await openDirectory(urls);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...compose({ directory, stores, own, placeNew, warn }), close };
}

type Joining = {
  readonly own: Kysely<Tables>;
  readonly url: string;
  readonly stores: ServerStores;
  readonly urls: ReadonlyMap<string, string>;
};

/** Adds a server to the directory, unless it is there already. */
export async function joinServer({ own, url, stores, urls }: Joining, name: string): Promise<void> {
  const serverUrl = urls.get(name);
  if (serverUrl === undefined) throw new AppError('usage', `SERVICE_SERVERS lacks the server ${name}.`);
  if (name === mainServer) return;
  stores.of(name);
  await stores.of(mainServer).keys.storedSecret(pepperName, () => randomBytes(32).toString('hex'));
  const server = new Kysely<Tables>({ dialect: postgresDialect({ url: serverUrl, ...changing }) });
  await addServer({ directory: own, directoryUrl: url, server, name }).finally(() => server.destroy());
}

type Parts = {
  readonly directory: Directory;
  readonly stores: ServerStores;
  readonly own: Kysely<Tables>;
  readonly placeNew: string;
  readonly warn: (sentence: string) => void;
};

function compose({ directory, stores, own, placeNew, warn }: Parts): Omit<RecordStore, 'close'> {
  const route = createRoute(directory, stores);
  const open = () => [...stores.all().values()];
  return {
    records: routedRecords(route, stores),
    readsFor: (context, measure, organizationId) =>
      route.storeOf(organizationId).readsFor(context, measure, organizationId),
    keys: createServerKeys({
      ...{ directory, stores, route },
      placeKey: (keyId, organizationId) => placeKey(own, keyId, organizationId),
      ownKeys: () => stores.of(mainServer).keys,
    }),
    writer: routedWriter(route, stores, async (organizationId) => {
      if ((await directory.find(organizationId)) !== null) return;
      await placeOrganization(own, organizationId, placeNew);
      // While the directory answers slowly, a copy answers, which has the place a moment later.
      for (let reads = 0; reads < placedReadsMax && (await directory.find(organizationId)) === null; reads += 1)
        await wait(placedReadMs);
    }),
    imports: importsOf(stores),
    // A database with months cannot be one of several.
    makeAhead: async () => {},
    async *dump(organizationId) {
      if (organizationId === null) await directory.refresh();
      for (const each of organizationId === null ? directory.organizations() : [organizationId]) {
        yield* (await route.find(each))?.dump(each) ?? [];
      }
    },
    check: createServersCheck(directory, stores, warn),
    waiting: () => open().reduce((sum, store) => sum + store.waiting(), 0),
    poolUse: () => sumUse(open()),
    serverUse: () => open().flatMap(({ serverUse }) => serverUse?.() ?? []),
  };
}

/** Each read goes to the server of its first argument, the organization. Every server is empty for an unknown one. */
function routedRecords(route: Route, stores: ServerStores): Records {
  const reads = Object.keys(readCosts).map((read) => [
    read,
    async (organizationId: string, ...args: readonly unknown[]) => {
      const { records } = (await route.find(organizationId)) ?? stores.of(mainServer);
      return Reflect.get(records, read)(organizationId, ...args);
    },
  ]);
  return Object.fromEntries(reads);
}

/** @param place gives an organization a server if it has none */
function routedWriter(
  route: Route,
  stores: ServerStores,
  place: (organizationId: string) => Promise<void>,
): RecordWriter {
  const write = async (organizationId: string, work: (writer: RecordWriter) => Promise<void>) => {
    await place(organizationId);
    await route.write(organizationId, (store) => work(store.writer));
  };
  const writeEach = async <Owned extends { readonly organizationId: string }>(
    records: readonly Owned[],
    work: (writer: RecordWriter, own: readonly Owned[]) => Promise<void>,
  ) => {
    const byOwner = Map.groupBy(records, ({ organizationId }) => organizationId);
    for (const [organizationId, own] of byOwner) await write(organizationId, (writer) => work(writer, own));
  };
  return {
    putOrganization: (record) => write(record.organizationId, (writer) => writer.putOrganization(record)),
    putAccount: (record) => write(record.organizationId, (writer) => writer.putAccount(record)),
    putWorkflows: (records) => writeEach(records, (writer, own) => writer.putWorkflows(own)),
    putDeployments: (records) => writeEach(records, (writer, own) => writer.putDeployments(own)),
    putExecutions: (records) => writeEach(records, (writer, own) => writer.putExecutions(own)),
    clearOrganization: (organizationId) => write(organizationId, (writer) => writer.clearOrganization(organizationId)),
    async forgetExecutions(startedBefore, limit) {
      const failures: unknown[] = [];
      for (const { writer } of stores.all().values()) {
        const count = await writer.forgetExecutions(startedBefore, limit).catch((error: unknown) => {
          failures.push(error);
          return 0;
        });
        if (count > 0) return count;
      }
      if (failures.length > 0) throw failures[0];
      return 0;
    },
  };
}

/** The progress of imports is on the directory's server. */
function importsOf(stores: ServerStores): ImportRecords {
  const imports = () => stores.of(mainServer).imports;
  return {
    find: async (source) => imports().find(source),
    put: async (source, progress) => imports().put(source, progress),
    drop: async (source) => imports().drop(source),
  };
}

/**
 * The process is ready while it knows the directory and one server works: other organizations must not go down with one.
 * @param warn called with a sentence when a server stops or begins to answer
 */
function createServersCheck(directory: Directory, stores: ServerStores, warn: (sentence: string) => void) {
  const failing = new Set<string>();
  return async () => {
    await directory.refresh();
    const servers = [...stores.all()];
    const results = await Promise.allSettled(servers.map(([, store]) => store.check()));
    const failures = results.flatMap((result, index) => {
      const server = servers[index]?.[0] ?? '';
      const isNew = failing.has(server) === (result.status === 'fulfilled');
      if (result.status === 'fulfilled') {
        failing.delete(server);
        if (isNew) warn(`The server ${server} can be used again`);
        return [];
      }
      failing.add(server);
      if (isNew) warn(`The server ${server} cannot be used: ${sentenceOf(result.reason)}`);
      return [result.reason];
    });
    if (failures.length === servers.length) throw failures[0];
  };
}

function sumUse(stores: readonly RecordStore[]): PoolUse {
  const uses = stores.flatMap(({ poolUse }) => (poolUse === null ? [] : [poolUse()]));
  const sum = (of: (use: PoolUse) => number) => uses.reduce((total, use) => total + of(use), 0);
  return { total: sum((use) => use.total), idle: sum((use) => use.idle), waiting: sum((use) => use.waiting) };
}
