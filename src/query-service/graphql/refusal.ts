/** Entries of `errors`: a public message and a code from a closed set. */
import { randomUUID } from 'node:crypto';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';

export type RefusalCode =
  | 'UNAUTHENTICATED'
  | 'BAD_USER_INPUT'
  | 'NOT_FOUND'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'GRAPHQL_PARSE_FAILED'
  | 'QUERY_TOO_COMPLEX'
  | 'RATE_LIMITED'
  | 'INTERNAL';

export type Refusal = GraphQLFormattedError & {
  readonly extensions: { readonly code: RefusalCode; readonly reference?: string };
};

/** Limits for one document: the number of entries and the length of each. */
export const refusalsMax = 5;
const messageLengthMax = 300;
const locationsMax = 3;

/** @param message shown unchanged, but cut to the limit */
export function refusal(code: RefusalCode, message: string): Refusal {
  return { message: cut(message), extensions: { code } };
}

/** An error of GraphQL in a document or its variables, without its hints at other names of the schema. */
export function documentRefusal(code: RefusalCode, error: GraphQLError): Refusal {
  const message = error.message.replace(/ Did you mean [\s\S]*$/, '');
  return { ...refusal(code, message), ...locationOf(error) };
}

/** A bug of the service: logs the cause, and shows only a reference to the log. */
export function internalRefusal(cause: unknown, log: Logger): Refusal {
  const reference = randomUUID();
  log.error({ reference, err: cause }, 'a request failed inside the service');
  return {
    message: `The service failed to answer. Quote the reference ${reference} to its operators.`,
    extensions: { code: 'INTERNAL', reference },
  };
}

/** @returns true if the database is away or busy: the same request may succeed soon */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable' && error.isRetryable;
}

/** An error of a resolver: a message if the caller can fix it, otherwise a reference to the log. */
export function fieldRefusal(error: GraphQLError, log: Logger): Refusal {
  const cause = error.originalError;
  const code = cause instanceof AppError ? publicCode(cause.code) : coercionCode(error);
  return {
    ...(code === null ? internalRefusal(cause ?? error, log) : refusal(code, error.message)),
    ...locationOf(error),
  };
}

function publicCode(code: ErrorCode): RefusalCode | null {
  if (code === 'usage') return 'BAD_USER_INPUT';
  if (code === 'rate_limited') return 'RATE_LIMITED';
  return code === 'not_found' ? 'NOT_FOUND' : null;
}

/** GraphQL reports arguments with a forbidden null variable only during execution. */
function coercionCode(error: GraphQLError): RefusalCode | null {
  return error.originalError instanceof GraphQLError && error.message.startsWith('Argument "')
    ? 'BAD_USER_INPUT'
    : null;
}

function locationOf(error: GraphQLError): Pick<GraphQLFormattedError, 'locations' | 'path'> {
  return {
    ...(error.locations ? { locations: error.locations.slice(0, locationsMax) } : {}),
    ...(error.path ? { path: error.path } : {}),
  };
}

function cut(message: string): string {
  return message.length <= messageLengthMax ? message : `${message.slice(0, messageLengthMax - 1).toWellFormed()}…`;
}
