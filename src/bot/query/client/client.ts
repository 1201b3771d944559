/** Sends one document: graphql-request over a guarded exchange, retries within the deadline, faults of HTTP and GraphQL. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { GraphQLClient } from 'graphql-request';
import { safeBeginning } from '../../../shared/redaction/redact.ts';
import { retry } from '../../../shared/retry.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { createYielder } from '../../../shared/time/cooperative.ts';
import type { Deadline } from './deadline.ts';
import type { ServiceDocuments } from './documents.ts';
import { exchange } from './exchange.ts';
import { badAnswer, type Fault, type FaultKind, type Outcome, retryDelayMs } from './fault.ts';
import type { Pool } from './pool.ts';
import { asRecord, faultOfErrors, isNotFound, type QueryError, type Reply, readErrors } from './reply.ts';
import { createScrub, type Scrub } from './scrub.ts';

/** The address and the key of one workspace's service. */
export type ServiceAccess = {
  readonly url: URL;
  /** Called just before each request, so that the plain key lives only that long. */
  readonly apiKey: () => string | Promise<string>;
  readonly documents: ServiceDocuments;
};

/** @param bytesMax longest answer; 5 MiB if left out */
export type Ask = <Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  bytesMax?: number,
) => Promise<Outcome<Reply<Data>>>;

/** @param earlier number of earlier faults of this kind @returns the pause before a retry, milliseconds; undefined for none */
type RetryDelay = (fault: Fault, earlier: number) => number | undefined;

export type Client = {
  /** @param delayMs `retryDelayMs` if left out */
  readonly senderFor: (access: ServiceAccess, deadline: Deadline, delayMs?: RetryDelay) => Ask;
};

export type ClientDeps = { readonly pool: Pool; readonly clock: Clock };

const attemptsMax = 3;

export function createClient(deps: ClientDeps): Client {
  return {
    senderFor:
      (access, deadline, delayMs = retryDelayMs) =>
      async <Data, Variables extends object>(
        document: TypedDocumentNode<Data, Variables>,
        variables: Variables,
        bytesMax?: number,
      ) => {
        const { documents } = access;
        const send = (query: string) =>
          withRetries(deadline, delayMs, () => attempt(deps, access, deadline, { query, variables, bytesMax }));
        const first = replyOf<Data>(await send(documents.textOf(document)));
        if (!('fault' in first) || first.fault.kind !== 'invalid_request' || first.fault.isTooCostly) return first;
        const fallback = documents.fallbackOf(document);
        if (fallback === undefined) return first;
        const second = replyOf<Data>(await send(fallback));
        // Refused for another reason.
        if ('fault' in second && second.fault.kind === 'invalid_request') return first;
        if (!('fault' in second)) documents.rememberFallback();
        return second;
      },
  };
}

async function withRetries<Value>(
  deadline: Deadline,
  delayMs: RetryDelay,
  run: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const faults: FaultKind[] = [];
  return retry(run, {
    attemptsMax,
    pause: deadline.pause,
    delayMs: (outcome) => {
      if (!('fault' in outcome)) return undefined;
      const { kind } = outcome.fault;
      faults.push(kind);
      return delayMs(outcome.fault, faults.filter((earlier) => earlier === kind).length - 1);
    },
  });
}

type Answer = {
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly QueryError[];
  readonly status: number;
  readonly redactMessage: (message: string) => string;
};

type Sent = { readonly query: string; readonly variables: object; readonly bytesMax: number | undefined };

async function attempt(
  { pool, clock }: ClientDeps,
  { url, apiKey }: ServiceAccess,
  { signal }: Deadline,
  { query, variables, bytesMax }: Sent,
): Promise<Outcome<Answer>> {
  const key = await apiKey();
  if (!/^[\x21-\x7e]+$/.test(key)) return { fault: { kind: 'unauthorized', detail: 'the key cannot be sent' } };
  const scrub = createScrub(key);
  let fault: Fault | undefined;
  let status = 0;
  let answer: unknown;
  // graphql-request puts query, variables and body into its errors, so its errors are ignored, and every readable answer is
  // passed to it as a success, already parsed: `exchange` has judged the status.
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const outcome = await exchange({
      pool: pool.of(url.origin),
      url,
      apiKey: key,
      body: String(init?.body),
      signal,
      clock,
      bytesMax,
    });
    if ('fault' in outcome) {
      fault = outcome.fault;
      throw new Error('no answer');
    }
    status = outcome.value.status;
    const pause = createYielder();
    answer = dataAndErrors(scrub.parseJson(outcome.value.text));
    await pause();
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  const client = new GraphQLClient(url.href, {
    fetch,
    errorPolicy: 'all',
    excludeOperationName: true,
    jsonSerializer: { stringify: JSON.stringify, parse: () => answer },
  });
  try {
    const { data, errors } = await client.rawRequest<unknown>(query, { ...variables });
    const list = readErrors(errors);
    if (!list) return badAnswer(`HTTP ${status}, errors that are no list`);
    return {
      value: { data: asRecord(data), errors: list, status, redactMessage: createRedactMessage(scrub, variables) },
    };
  } catch {
    return fault ? { fault } : badAnswer(`HTTP ${status}, not a GraphQL answer`);
  }
}

/** Some services send a null `errors` or `extensions`: null counts as missing. */
function dataAndErrors(answer: unknown): unknown {
  const record = asRecord(answer);
  if (!record) return answer;
  const { data, errors } = record;
  return { ...(data !== undefined && { data }), ...(errors !== undefined && errors !== null && { errors }) };
}

/** Removes the key and every value of the variables from a message for the log. */
function createRedactMessage(scrub: Scrub, variables: object): (message: string) => string {
  const values = textsIn(variables).flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  return (message) =>
    safeBeginning(
      values.reduce((rest, value) => rest.replaceAll(value, '…'), scrub.text(message)),
      hiddenMessageUnitsMax,
    );
}

/** One line of the log. */
const hiddenMessageUnitsMax = 200;
/** Hiding a shorter value would damage ordinary words. */
const hiddenUnitsMin = 3;

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length < hiddenUnitsMin ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function hasData({ data }: Answer): boolean {
  return data !== undefined && Object.values(data).some((part) => part !== null);
}

function replyOf<Data>(outcome: Outcome<Answer>): Outcome<Reply<Data>> {
  if ('fault' in outcome) return outcome;
  const answer = outcome.value;
  const { data, errors, status, redactMessage } = answer;
  if (!hasData(answer) && errors.length === 0) return badAnswer(`HTTP ${status}, no data and no errors`);
  if (!hasData(answer) && !errors.every(isNotFound)) return { fault: faultOfErrors(errors, status, redactMessage) };
  return {
    value: {
      part: (name) => asRecord(data?.[name]),
      hasFailed: (name) => errors.some(({ part }) => part === undefined || part === name),
      errors,
    },
  };
}
