/** What the service says over HTTP when no document is run, and how any answer is written: always JSON. */
import type { ServerResponse } from 'node:http';
import { type Refusal, type RefusalCode, refusal } from '../graphql/refusal.ts';
import type { LimitReached } from '../limits/key-limits.ts';
import type { LimitReason } from '../measurement.ts';
import { requestIdHeader } from './headers.ts';

/** An HTTP status with the one entry of `errors` that goes with it. */
export type HttpRefusal = {
  readonly status: number;
  readonly errors: readonly Refusal[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the key, where one was reached. */
  readonly limit?: LimitReason;
};

/** How long a client is told to wait for another instance to answer in this one's place. */
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
  noPath: httpRefusal(404, 'NOT_FOUND', 'The one endpoint is POST /graphql.'),
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
  /** One for every cause, so that nothing about keys can be learned from it. */
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
  rate: 'This key asks for more than it may',
  database: 'What this key asked took more of the database’s time than it may have',
  concurrency: 'Too many requests of this key are under way',
} as const satisfies Record<LimitReason, string>;

/** @param seconds after which the key may ask again */
export function limited({ reason, seconds }: LimitReached): HttpRefusal {
  const message = `${limitSentences[reason]}; ask again in ${seconds} s.`;
  return { ...httpRefusal(429, 'RATE_LIMITED', message, { 'retry-after': String(seconds) }), limit: reason };
}

/** An answer before it is written, and what there is to be told of it. */
export type Reply = {
  readonly status: number;
  readonly mediaType: string;
  readonly body: { readonly [member: string]: unknown; readonly errors?: readonly Refusal[] };
  readonly headers?: HttpRefusal['headers'];
  /** @see DocumentAnswer */
  readonly operation: string;
  /** Of whoever asked; none where nobody knows. */
  readonly organizationId?: string;
  readonly limit?: HttpRefusal['limit'];
  /** Told the length of the answer once it is written. */
  readonly charge?: (bytes: number) => void;
};

/** @returns `answered`, or what kept it from being so: each of few words */
export function outcomeOf({ status, body: { errors } }: Reply): string {
  if (status === 503) return 'unavailable';
  return errors?.[0]?.extensions.code.toLowerCase() ?? 'answered';
}

/** @param pieces of the body's text @returns once the answer is handed over, taken or not */
export function writeReply(
  response: ServerResponse,
  { status, mediaType, headers, charge }: Reply,
  pieces: readonly Buffer[],
  requestId: string,
): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  charge?.(length);
  response.writeHead(status, {
    'content-type': `${mediaType}; charset=utf-8`,
    'content-length': length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    [requestIdHeader]: requestId,
    ...headers,
  });
  const { req: request } = response;
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  if (request.complete) {
    response.end(pieces.at(-1));
    return;
  }
  // Where the connection ends with the answer, ending it now would reset what is still being sent, and the answer would be lost.
  response.write(pieces.at(-1));
  request.once('close', () => response.end());
  request.resume();
}
