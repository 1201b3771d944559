/** The `errors` of an answer, in whatever shape they come, and what they mean. */
import { z } from 'zod';
import { safeBeginning } from '../../../shared/long-text.ts';
import type { Fault } from './fault.ts';

export type QueryError = {
  readonly message: string;
  /** `extensions.code`, upper case; empty where there is none that looks like one. */
  readonly code: string;
  /** The answer's part the error belongs to; undefined where it says nothing. */
  readonly part: string | undefined;
};

const errorsMax = 50;
const messageUnitsMax = 500;

/** It goes to the log, where nothing else of a service's own making goes: words, without the digits that keys have. */
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

/** @returns undefined where `errors` is no list at all */
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

/** Codes and messages as the field words them: the specification gives neither. */
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
  refused_question: {
    code: /^(GRAPHQL_VALIDATION_FAILED|GRAPHQL_PARSE_FAILED|BAD_USER_INPUT|QUERY_TOO_COMPLEX)$/,
    message: /^(Cannot query field|Unknown (type|argument|field|fragment)|Variable "|Syntax Error|Field ")/,
  },
} as const;

const notFound = {
  code: /^(NOT_FOUND|.*_NOT_FOUND)$/,
  message: /not found|does not exist|doesn't exist|no such|unknown workflow|could not find/i,
};

export function isNotFound(error: QueryError): boolean {
  // graphql-js says of an enum's value that it does not exist, which is about the question.
  return means(error, notFound) && !means(error, meanings.refused_question);
}

/** A code that is there says what is meant; the wording counts only where there is none. */
function means({ code, message }: QueryError, { code: codes, message: words }: typeof notFound): boolean {
  return codes.test(code) || (code === '' && words.test(message));
}

/**
 * What the errors of an answer without any data come to.
 * @param status the HTTP status
 * @param scrub takes out of a message what must not be logged
 */
export function faultOfErrors(errors: readonly QueryError[], status: number, scrub: (text: string) => string): Fault {
  const [first] = errors;
  const detail = `HTTP ${status}, ${errors.length} errors, the first ${first?.code || 'without a code'}`;
  for (const kind of ['unauthorized', 'rate_limited', 'refused_question'] as const) {
    const found = errors.find((error) => means(error, meanings[kind]));
    if (found && kind === 'refused_question') return { kind, detail: `${detail}: ${scrub(found.message)}` };
    if (found) return { kind, detail, ...(kind === 'unauthorized' && reasonIn(found.message)) };
  }
  return { kind: status >= 400 ? 'refused_question' : 'failed_answer', detail };
}

/** @param text the body of an answer that refused the key; anything @returns why, where it says so */
export function refusalReason(text: string): Pick<Fault, 'reason'> {
  const [, said = ''] = /"message"\s*:\s*"([^"]{1,500})"/.exec(text) ?? [];
  return reasonIn(said);
}

function reasonIn(message: string): Pick<Fault, 'reason'> {
  return /\bexpired\b/i.test(message) ? { reason: 'expired' } : {};
}
