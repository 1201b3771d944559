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
import { badAnswer, type Fault, type FaultKind, NoAnswer, type Outcome, outcomeOf, retryDelayMs } from './fault.ts';
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

/** @param bytesMax longest answer; 5 MiB if left out @throws NoAnswer */
export type Ask = <Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  bytesMax?: number,
) => Promise<Reply<Data>>;

/** @param earlier number of earlier faults of this kind @returns the pause before a retry, milliseconds; undefined for none */
type RetryDelay = (fault: Fault, earlier: number) => number | undefined;

type Transport = { readonly pool: Pool; readonly clock: Clock };

const attemptsMax = 3;

export function senderFor(
  transport: Transport,
  access: ServiceAccess,
  deadline: Deadline,
  delayMs: RetryDelay = retryDelayMs,
): Ask {
  return async <Data, Variables extends object>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    bytesMax?: number,
  ) => {
    const { documents } = access;
    const send = async (query: string) => {
      const sent = { query, variables, bytesMax };
      return replyOf<Data>(await withRetries(deadline, delayMs, () => attempt(transport, access, deadline, sent)));
    };
    const first = await outcomeOf(send(documents.textOf(document)));
    if ('value' in first) return first.value;
    const refused = new NoAnswer(first.fault);
    const fallback = isNotUnderstood(first) ? documents.fallbackOf(document) : undefined;
    if (fallback === undefined) throw refused;
    const second = await outcomeOf(send(fallback));
    if ('fault' in second) throw isNotUnderstood(second) ? refused : new NoAnswer(second.fault);
    documents.rememberFallback();
    return second.value;
  };
}

function isNotUnderstood({ fault: { kind, isTooCostly } }: { readonly fault: Fault }): boolean {
  return kind === 'invalid_request' && !isTooCostly;
}

async function withRetries<Value>(deadline: Deadline, delayMs: RetryDelay, run: () => Promise<Value>): Promise<Value> {
  const faults: FaultKind[] = [];
  const outcome = await retry<Outcome<Value>>(() => outcomeOf(run()), {
    attemptsMax,
    pause: deadline.pause,
    delayMs: (result) => {
      if ('value' in result) return undefined;
      const { kind } = result.fault;
      faults.push(kind);
      return delayMs(result.fault, faults.filter((earlier) => earlier === kind).length - 1);
    },
  });
  if ('fault' in outcome) throw new NoAnswer(outcome.fault);
  return outcome.value;
}

type Answer = {
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly QueryError[];
  readonly status: number;
  readonly redactMessage: (message: string) => string;
};

type Sent = { readonly query: string; readonly variables: object; readonly bytesMax: number | undefined };

async function attempt(
  { pool, clock }: Transport,
  { url, apiKey }: ServiceAccess,
  { signal }: Deadline,
  { query, variables, bytesMax }: Sent,
): Promise<Answer> {
  const key = await apiKey();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new NoAnswer({ kind: 'unauthorized', detail: 'the key cannot be sent' });
  const scrub = createScrub(key);
  let status = 0;
  let answer: unknown;
  // graphql-request puts query, variables and body into its errors, so its errors are ignored, and every readable answer is
  // passed to it as a success, already parsed: `exchange` has judged the status.
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const request = { pool: pool.of(url.origin), url, apiKey: key, body: String(init?.body), signal, clock, bytesMax };
    const { text, ...head } = await exchange(request);
    status = head.status;
    const pause = createYielder();
    answer = dataAndErrors(scrub.parseJson(text));
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
    if (!list) throw badAnswer(`HTTP ${status}, errors that are no list`);
    return { data: asRecord(data), errors: list, status, redactMessage: createRedactMessage(scrub, variables) };
  } catch (error) {
    throw error instanceof NoAnswer ? error : badAnswer(`HTTP ${status}, not a GraphQL answer`);
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

/** @throws NoAnswer for an answer without data, unless it says that something does not exist */
function replyOf<Data>(answer: Answer): Reply<Data> {
  const { data, errors, status, redactMessage } = answer;
  if (Object.values(data ?? {}).every((part) => part === null)) {
    if (errors.length === 0) throw badAnswer(`HTTP ${status}, no data and no errors`);
    if (!errors.every(isNotFound)) throw new NoAnswer(faultOfErrors(errors, status, redactMessage));
  }
  return {
    part: (name) => asRecord(data?.[name]),
    hasFailed: (name) => errors.some(({ part }) => part === undefined || part === name),
    errors,
  };
}
