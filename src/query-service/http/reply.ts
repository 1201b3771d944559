/** HTTP replies, always JSON: error responses for requests that run no document, and the function that writes a reply. */
import type { ServerResponse } from 'node:http';
import { type Refusal, type RefusalCode, refusal } from '../graphql/refusal.ts';
import type { LimitReached } from '../limits/key-limits.ts';
import type { LimitReason } from '../measurement.ts';
import { requestIdHeader } from './headers.ts';

/** An HTTP status with its only entry of `errors`. */
export type HttpRefusal = {
  readonly status: number;
  readonly errors: readonly Refusal[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The limit of the key, if one was reached. */
  readonly limit?: LimitReason;
};

/** Retry-After while this instance shuts down and another one takes over. */
const retryAfterSeconds = '2';

function httpRefusal(
  status: number,
  code: RefusalCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpRefusal {
  return { status, errors: [refusal(code, message)], headers };
}

export const bodyLengthMax = 1_048_576;

export const httpRefusals = {
  noPath: httpRefusal(404, 'NOT_FOUND', 'The only endpoint is POST /graphql.'),
  noPost: httpRefusal(405, 'BAD_USER_INPUT', 'GraphQL requests are sent with POST.', { allow: 'POST' }),
  noHost: httpRefusal(400, 'BAD_USER_INPUT', 'The Host header is missing.', { connection: 'close' }),
  noExpectation: httpRefusal(417, 'BAD_USER_INPUT', 'Only Expect: 100-continue can be met.', { connection: 'close' }),
  draining: httpRefusal(503, 'INTERNAL', 'The service is shutting down; try again shortly.', {
    'retry-after': retryAfterSeconds,
    connection: 'close',
  }),
  unready: httpRefusal(503, 'INTERNAL', 'The service cannot answer at the moment; try again shortly.', {
    'retry-after': retryAfterSeconds,
  }),
  tooLong: httpRefusal(413, 'QUERY_TOO_COMPLEX', `The body is longer than ${bodyLengthMax} bytes.`),
  /** The same message for every cause, so that it reveals nothing about keys. */
  noKey: httpRefusal(401, 'UNAUTHENTICATED', 'A valid key is needed: Authorization: Apikey <API_KEY>.', {
    'www-authenticate': 'Apikey',
  }),
  noJson: httpRefusal(415, 'BAD_USER_INPUT', 'The body must be application/json in UTF-8, not compressed.'),
  badJson: httpRefusal(400, 'BAD_USER_INPUT', 'The body is not valid JSON in UTF-8.'),
  badShape: httpRefusal(
    400,
    'BAD_USER_INPUT',
    'The body must be an object with query (string), and may have variables (object) and operationName (string).',
  ),
} as const;

const limitSentences = {
  rate: 'This key sends too many requests',
  database: 'The requests of this key used more database time than allowed',
  concurrency: 'Too many requests of this key are running',
} as const satisfies Record<LimitReason, string>;

/** @returns the refusal for a limit; `seconds` becomes Retry-After */
export function limited({ reason, seconds }: LimitReached): HttpRefusal {
  const message = `${limitSentences[reason]}; ask again in ${seconds} s.`;
  return { ...httpRefusal(429, 'RATE_LIMITED', message, { 'retry-after': String(seconds) }), limit: reason };
}

/** A reply before it is written, with facts for the log and the metrics. */
export type Reply = {
  readonly status: number;
  readonly mediaType: string;
  /** JSON text. */
  readonly body: string;
  /** The errors in the body. */
  readonly errors?: readonly Refusal[] | undefined;
  readonly headers?: HttpRefusal['headers'];
  /** @see DocumentAnswer */
  readonly operation: string;
  /** Organization of the caller; undefined before authentication. */
  readonly organizationId?: string;
  readonly limit?: HttpRefusal['limit'];
  /** Called with the length of the reply when it is written. */
  readonly charge?: (bytes: number) => void;
};

/** @returns `answered`, or the reason for the refusal; a metrics label with few values */
export function outcomeOf({ status, errors }: Reply): string {
  if (status === 503) return 'unavailable';
  return errors?.[0]?.extensions.code.toLowerCase() ?? 'answered';
}

/** Writes a reply and returns without waiting for the client. */
export function writeReply(
  response: ServerResponse,
  { status, mediaType, headers, charge, body }: Reply,
  requestId: string,
): void {
  const length = Buffer.byteLength(body);
  charge?.(length);
  const head = {
    'content-type': `${mediaType}; charset=utf-8`,
    'content-length': length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    [requestIdHeader]: requestId,
  };
  response.writeHead(status, headers ? { ...head, ...headers } : head);
  // Node sends text together with the head, in one write. Without characters above ASCII it needs no conversion.
  const encoding = body.length === length ? 'latin1' : 'utf8';
  const { req: request } = response;
  if (request.complete) {
    response.end(body, encoding);
    return;
  }
  // If the connection closes with the reply, ending it now would reset the upload, and the client would lose the reply.
  response.write(body, encoding);
  request.once('close', () => response.end());
  request.resume();
}
