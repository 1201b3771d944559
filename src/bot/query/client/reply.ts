/** Untrusted reply to one document: its parts, its errors in whatever shape they come, and what the errors mean. */

import { z } from 'zod';
import { isRecord, type JsonRecord } from '../../../shared/json.ts';
import { safeBeginning } from '../../../shared/redaction/redact.ts';
import type { Fault } from './fault.ts';

export type Reply<Data> = {
  /** @returns the value of one root field, by its name or alias in the document; undefined where it is missing or null */
  readonly part: (name: Extract<keyof Data, string>) => JsonRecord | undefined;
  /** Returns true if an error names this part, or no part in particular. */
  readonly hasFailed: (name: Extract<keyof Data, string>) => boolean;
  /** Errors beside the data. */
  readonly errors: readonly QueryError[];
};

/** @returns undefined if it is no object */
export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

export type QueryError = {
  readonly message: string;
  /** `extensions.code`, upper case; empty if there is none that looks like a code. */
  readonly code: string;
  /** The part of the answer that the error names; undefined if it names none. */
  readonly part: string | undefined;
};

const errorsMax = 50;
const messageUnitsMax = 500;

/** Codes are logged, other text of a service is not: letters only, without the digits that keys have. */
const codePattern = /^[A-Za-z][A-Za-z_]{0,39}$/;

const entry = z
  .object({
    message: z.string().catch(''),
    path: z.array(z.unknown()).optional().catch(undefined),
    extensions: z
      .object({ code: z.string().regex(codePattern).catch('') })
      .optional()
      .catch(undefined),
  })
  .catch({ message: '' });

/** @returns undefined if `errors` is no list */
export function readErrors(errors: unknown): readonly QueryError[] | undefined {
  if (errors === undefined || errors === null) return [];
  if (!Array.isArray(errors)) return undefined;
  return errors.slice(0, errorsMax).map((raw): QueryError => {
    const { message, path, extensions } = entry.parse(raw);
    const [part] = path ?? [];
    return {
      message: message.length <= messageUnitsMax ? message : safeBeginning(message, messageUnitsMax),
      code: (extensions?.code ?? '').toUpperCase(),
      part: typeof part === 'string' ? part : undefined,
    };
  });
}

/** Codes and messages that services commonly use: the specification gives neither. */
const meanings = {
  unauthorized: {
    code: /^(UNAUTHENTICATED|UNAUTHORIZED|FORBIDDEN|ACCESS_DENIED|AUTHENTICATION_ERROR|INVALID_API_KEY)$/,
    message:
      /\bunauthenticated\b|\bunauthori[sz]ed\b|not authenticated|authentication (failed|required)|access denied|(invalid|expired|revoked|missing|unknown) (api )?key/i,
  },
  rate_limited: {
    code: /RATE_LIMIT|TOO_MANY_REQUESTS|THROTTLED/,
    message: /rate limit|too many requests|throttled/i,
  },
  /** Limits on the cost of a document, as the libraries for them word it. */
  too_costly: {
    code: /TOO_(COMPLEX|EXPENSIVE|LARGE|MANY)|COMPLEXITY|_COST_|_LIMIT(_EXCEEDED)?$/,
    message:
      /\b[Cc]omplexity\b|\btoo (complex|expensive)\b|\b([Aa]lias(es)?|[Cc]ost|[Dd]epth|[Ff]ields) (limit|of \d+ exceeds)/,
  },
  invalid_request: {
    code: /^(GRAPHQL_VALIDATION_FAILED|GRAPHQL_PARSE_FAILED|BAD_USER_INPUT)$/,
    message:
      /^(Cannot query field|Unknown (type|argument|field|fragment)|Variable "|Syntax Error|Validation error|(The )?[Ff]ield ["'`])/,
  },
} as const;

const notFound = {
  code: /^(NOT_FOUND|.*_NOT_FOUND)$/,
  message: /not found|does not exist|doesn't exist|no such|unknown workflow|could not find/i,
};

export function isNotFound(error: QueryError): boolean {
  // graphql-js says of an unknown enum value that it does not exist, which is about the document.
  return means(error, notFound) && !means(error, meanings.invalid_request) && !means(error, meanings.too_costly);
}

/** The wording counts only if there is no code. */
function means({ code, message }: QueryError, { code: codes, message: words }: typeof notFound): boolean {
  return codes.test(code) || (code === '' && words.test(message));
}

/**
 * The fault of an answer with errors and without data.
 * @param status the HTTP status
 * @param scrub removes from a message what must not be logged
 */
export function faultOfErrors(errors: readonly QueryError[], status: number, scrub: (text: string) => string): Fault {
  const [first] = errors;
  const detail = `HTTP ${status}, ${errors.length} errors, the first ${first?.code || 'without a code'}`;
  const find = (meaning: keyof typeof meanings) => errors.find((error) => means(error, meanings[meaning]));
  const unauthorized = find('unauthorized');
  if (unauthorized) return { kind: 'unauthorized', detail, ...reasonIn(unauthorized.message) };
  if (find('rate_limited')) return { kind: 'rate_limited', detail };
  const costly = find('too_costly');
  const refused = costly ?? find('invalid_request');
  if (refused) {
    const words = `${detail}: ${scrub(refused.message)}`;
    return { kind: 'invalid_request', detail: words, ...(costly && { isTooCostly: true }) };
  }
  return { kind: status >= 400 ? 'invalid_request' : 'failed_answer', detail };
}

/** @param text untrusted body of an answer that refused the key @returns why, if it says so */
export function refusalReason(text: string): Pick<Fault, 'reason'> {
  const [, message = ''] = /"message"\s*:\s*"([^"]{1,500})"/.exec(text) ?? [];
  return reasonIn(message);
}

function reasonIn(message: string): Pick<Fault, 'reason'> {
  return /\bexpired\b/i.test(message) ? { reason: 'expired' } : {};
}
