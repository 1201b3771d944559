/** Composes the query service: records, keys, limits, schema, HTTP server and the optional sample. */
import type { ServerResponse } from 'node:http';
import { createReadiness } from '../shared/http/operations.ts';
import type { Logger } from '../shared/log/logger.ts';
import type { Clock } from '../shared/time/clock.ts';
import { createDocumentRunner } from './graphql/documents.ts';
import { serviceSchema } from './graphql/schema.ts';
import { checkAddress, type ListenLimits, listen } from './http/server.ts';
import { cacheKeys } from './keys/key-cache.ts';
import { createKeys, type Keys } from './keys/keys.ts';
import { createLastUse } from './keys/last-use.ts';
import { createKeyLimits } from './limits/key-limits.ts';
import type { RateLimit } from './limits/rate-limiter.ts';
import type { ServiceMeasure } from './measurement.ts';
import { openRecords } from './records/open.ts';
import type { RecordWriter } from './records/port.ts';
import type { RecordStore } from './records/store.ts';
import { startRetention } from './retention.ts';
import { createSampleAppender, loadSample } from './sample/load.ts';

export type ServiceOptions = {
  /** `sqlite:<file>`, `sqlite::memory:` or `postgres://…`. */
  readonly databaseUrl: string;
  /** URLs of standbys of a PostgreSQL server, to read from; none by default. */
  readonly readUrls?: readonly string[];
  /** Lag in milliseconds from which a standby is not read from. */
  readonly readLagMaxMs?: number;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
  /** The sample organizations: `moving` keeps appending executions, `fixed` does not change. */
  readonly sample: 'none' | 'moving' | 'fixed';
  readonly log: Logger;
  /** Number of days after its start that an execution is kept; unlimited by default. */
  readonly retentionDays?: number;
  /** No limit by default. */
  readonly rateLimit?: RateLimit;
  /** Tokens are milliseconds of database time. No limit by default. */
  readonly databaseBudget?: RateLimit;
  /** Receives measurements; ignored by default. */
  readonly measure?: ServiceMeasure;
  /** True if key lookups are cached for a few seconds, during which a key that another process revokes still works. */
  readonly cachesKeys?: boolean;
  readonly limits?: ListenLimits;
};

export type Service = {
  /** Address of the endpoint. */
  readonly url: string;
  /** Keys to the sample, by organization. */
  readonly sampleKeys: Readonly<Record<string, string>>;
  /** Keys to the sample that are refused, by reason. */
  readonly refusedSampleKeys: Readonly<Record<string, string>>;
  readonly keys: Keys;
  readonly writer: RecordWriter;
  /** @returns the reason in one line if the service is not ready; undefined if it is */
  readonly problem: () => Promise<string | undefined>;
  readonly poolUse: RecordStore['poolUse'];
  readonly waiting: RecordStore['waiting'];
  readonly serverUse: RecordStore['serverUse'];
  /** Refuses new requests, finishes in-flight ones, then closes the port and the database. */
  close(): Promise<void>;
};

const defaultLagMaxMs = 2_000;
/** Less than the period of the fastest schedule, 30 s. */
const appendEveryMs = 5_000;

/** @throws AppError for a database or an address that cannot be used */
export async function startService(options: ServiceOptions): Promise<Service> {
  // Checked first: another service on this address may read the same database, and its sample must not be rebuilt.
  await checkAddress(options.host, options.port);
  const warn = (sentence: string) => options.log.warn({}, sentence);
  const store = await openRecords(options.databaseUrl, { warn, standbys: standbysOf(options) });
  try {
    return await serve(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function standbysOf({ readUrls = [], readLagMaxMs = defaultLagMaxMs, log }: ServiceOptions) {
  return readUrls.length > 0 ? { urls: readUrls, lagMaxMs: readLagMaxMs, log } : undefined;
}

async function serve(store: RecordStore, options: ServiceOptions): Promise<Service> {
  const { clock, log, host, port, rateLimit, databaseBudget, retentionDays: days, measure = () => {} } = options;
  const lastUse = createLastUse({ keys: store.keys, clock, log });
  const keyRecords = options.cachesKeys ? cacheKeys(store.keys, () => performance.now()) : store.keys;
  const keys = await createKeys({ keys: keyRecords, clock, onUse: lastUse.used });
  const limits = createKeyLimits({ rateLimit, databaseBudget }, () => performance.now(), measure);
  const runDocument = createDocumentRunner({ schema: serviceSchema(), limitLargeDocument: limits.limitLargeDocument });
  const sample = await startSample(store, keys, options);
  const problem = createReadiness(store.check, log);
  const isReady = async () => (await problem()) === undefined;
  const server = await listen({
    ...{ host, port, log, measure, isReady, limits, ...options.limits },
    authenticate: keys.authenticate,
    runDocument: (document, caller, requestLog, response) => {
      const request = limits.contextFor(caller.keyId, (disconnected) => onDisconnect(response, disconnected));
      const reads = store.readsFor(request, measure, caller.organizationId);
      return runDocument(document, { caller: { ...caller, engine: store.engine, clock }, request, reads }, requestLog);
    },
  });
  const appending = setInterval(sample.append, appendEveryMs);
  const retention = days === undefined ? undefined : startRetention({ writer: store.writer, clock, log, days });
  return {
    url: `${server.origin}/graphql`,
    sampleKeys: sample.keys,
    refusedSampleKeys: sample.refusedKeys,
    keys,
    writer: store.writer,
    problem,
    ...{ poolUse: store.poolUse, waiting: store.waiting, serverUse: store.serverUse },
    async close() {
      clearInterval(appending);
      await server.drain();
      await retention?.stop();
      await lastUse.close();
      await store.close();
    },
  };
}

/** @param disconnected called if the connection closes before the reply is written */
function onDisconnect(response: ServerResponse, disconnected: () => void): void {
  response.once('close', () => {
    if (!response.writableEnded) disconnected();
  });
}

async function startSample({ records, writer }: RecordStore, keys: Keys, { sample, clock, log }: ServiceOptions) {
  if (sample === 'none') return { keys: {}, refusedKeys: {}, append: () => {} };
  const loaded = await loadSample({ records, writer, keys }, { now: clock(), isFixed: sample === 'fixed' });
  if (sample === 'fixed') return { ...loaded, append: () => {} };
  const { tick } = createSampleAppender(writer, loaded.sample);
  const append = () => {
    tick(clock()).catch((err: unknown) =>
      log.error({ err }, 'new executions could not be added to the sample organizations; trying again later'),
    );
  };
  return { ...loaded, append };
}
