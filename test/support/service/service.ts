/** The real query service for tests over real HTTP, with its own database, two organizations and a fixed clock. */

import type { Keys, NewKey } from '../../../src/query-service/keys/keys.ts';
import type { RecordWriter } from '../../../src/query-service/records/port.ts';
import { type Service, type ServiceOptions, startService } from '../../../src/query-service/service.ts';
import type { LogFields, Logger } from '../../../src/shared/log/logger.ts';
import { copySampleDatabase } from './sample-database.ts';
import { newServiceDatabase } from './service-database.ts';
import { harbor, ledger, putOrganizations, serviceNow } from './service-records.ts';

type Given =
  | 'databaseUrl'
  | 'readUrls'
  | 'readLagMaxMs'
  | 'clock'
  | 'log'
  | 'sample'
  | 'rateLimit'
  | 'databaseBudget'
  | 'retentionDays'
  | 'measure'
  | 'limits';

export type TestServiceOptions = Partial<Pick<ServiceOptions, Given>> & {
  /** If false, the database is empty and has no key. */
  readonly hasRecords?: boolean;
};

/** A GraphQL answer over HTTP. */
export type ServiceAnswer<Data = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  /** Byte for byte. */
  readonly text: string;
  /** Parsed; typed as the test reads it. */
  readonly body: { readonly data?: Data; readonly errors?: readonly GraphqlError[] };
};

type GraphqlError = {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly reference?: string };
};

export type TestService = {
  /** URL of the endpoint. */
  readonly url: string;
  /** The service's time, unless a clock was given. */
  readonly now: number;
  /** The key of each organization, by its name in service-records.ts. */
  readonly apiKeys: { readonly harbor: string; readonly ledger: string };
  readonly sampleKeys: Readonly<Record<string, string>>;
  /** Adds records. */
  readonly writer: RecordWriter;
  readonly keys: Keys;
  readonly poolUse: Service['poolUse'];
  readonly serverUse: Service['serverUse'];
  createKey(key: NewKey): Promise<string>;
  /** @param apiKey harbor's key if absent */
  ask<Data>(query: string, variables?: object | null, apiKey?: string): Promise<ServiceAnswer<Data>>;
  /** Sends any body with any headers; the key and the JSON type are set unless they are overridden. */
  post<Data>(
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ServiceAnswer<Data>>;
  close(): Promise<void>;
};

/** A log that writes nothing. */
export const silentLog: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A log that records errors. */
export function createErrorLog(): { readonly log: Logger; readonly errors: LogFields[] } {
  const errors: LogFields[] = [];
  return { log: { ...silentLog, error: (fields) => errors.push(fields) }, errors };
}

/** Starts it on a free port; close it after the test. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { hasRecords = true, ...given } = options;
  const { clock = () => serviceNow, sample = 'none' } = given;
  const hasSharedSample = sample === 'fixed' && clock !== Date.now && given.databaseUrl === undefined;
  const copy = hasSharedSample ? await copySampleDatabase(clock()) : undefined;
  const databaseUrl = copy?.url ?? given.databaseUrl ?? (await newServiceDatabase());
  const service = await startService({
    ...{ host: '127.0.0.1', port: 0, log: silentLog },
    ...given,
    ...{ clock, sample, databaseUrl },
  });
  if (hasRecords) await putOrganizations(service.writer);
  const { url, writer, keys, sampleKeys, poolUse, serverUse } = service;
  const createKey = async (key: NewKey) => (await keys.create(key)).text;
  const apiKeys = {
    harbor: await createKey({ ...harbor.account, name: 'tests' }),
    ledger: await createKey({ organizationId: ledger.organization.organizationId, name: 'tests' }),
  };
  const post = poster(url, apiKeys.harbor);
  return {
    url,
    now: serviceNow,
    apiKeys,
    sampleKeys,
    writer,
    keys,
    poolUse,
    serverUse,
    createKey,
    post,
    ask: <Data>(query: string, variables?: object | null, apiKey = apiKeys.harbor) =>
      post<Data>(JSON.stringify({ query, ...(variables !== undefined && { variables }) }), {
        authorization: `Apikey ${apiKey}`,
      }),
    close: async () => {
      await service.close();
      copy?.remove();
    },
  };
}

/** Every request has the same id, so that equal answers are equal byte for byte. */
function poster(url: string, apiKey: string): TestService['post'] {
  const usual = { 'content-type': 'application/json', authorization: `Apikey ${apiKey}`, 'x-request-id': 'test' };
  return async (body, headers = {}) => {
    const response = await fetch(url, { method: 'POST', body, headers: { ...usual, ...headers } });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
}
