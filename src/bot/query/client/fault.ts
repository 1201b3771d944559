/** Faults: why there is no answer, and the error that the user reads. */
import { AppError, type RefusalReason } from '../../../shared/errors.ts';

export type FaultKind =
  /** No connection: closed port, unknown name, bad certificate. One kind and one sentence, so that a user learns nothing about a network. */
  | 'unreachable'
  /** The connection broke. */
  | 'reset'
  | 'timeout'
  /** HTTP 5xx, of the service or of a proxy before it. */
  | 'server_error'
  /** The service answered that it failed. */
  | 'failed_answer'
  /** HTML, a redirect, an empty or too large body, or JSON of another shape. */
  | 'bad_answer'
  | 'unauthorized'
  | 'rate_limited'
  /** The service does not accept the document or its variables. */
  | 'invalid_request';

export type Fault = {
  readonly kind: FaultKind;
  /** For the log: the bot's own words and codes, never a body, a header or a variable. */
  readonly detail: string;
  /** As the service asks. */
  readonly retryAfterMs?: number;
  /** Why a key was refused, if the service says so. */
  readonly reason?: RefusalReason;
  /** A momentary failure of a resolver or a network. */
  readonly isTransient?: true;
  /** The answer exceeds the limit; a request for less may succeed. */
  readonly isTooLarge?: true;
  /** The service says that the document asks for too much. */
  readonly isTooCostly?: true;
};

/** A value, or the fault because of which there is none. */
export type Outcome<Value> = { readonly value: Value } | { readonly fault: Fault };

/** There is no answer. The cache and the streams catch it, and make an AppError of it. */
export class NoAnswer extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`${fault.kind}, ${fault.detail}`);
    this.fault = fault;
  }
}

/** @returns the fault of a NoAnswer @throws any other error */
export function faultOf(error: unknown): Fault {
  if (error instanceof NoAnswer) return error.fault;
  throw error;
}

/** Rejects with any error other than a NoAnswer. */
export function outcomeOf<Value>(answer: Promise<Value>): Promise<Outcome<Value>> {
  return answer.then(
    (value) => ({ value }),
    (error: unknown) => ({ fault: faultOf(error) }),
  );
}

/** The error for an answer that was read to its end and makes no sense. */
export function badAnswer(detail: string): NoAnswer {
  return new NoAnswer({ kind: 'bad_answer', detail });
}

export type FaultFacts = {
  /** Noun of the request, such as `the list of workflows`. */
  readonly subject: string;
  /** Since when, as far as this process knows; epoch milliseconds. */
  readonly since: number;
  readonly deadlineMs: number;
};

/** The error that the user reads, with a cause that is safe to log. */
export function appErrorOf(fault: Fault, { subject, since, deadlineMs }: FaultFacts): AppError {
  const cause = new Error(`query service: ${fault.kind}, ${fault.detail}`);
  const request = `The bot asked the query service for ${subject}, but`;
  const unavailable = (what: string) =>
    new AppError('unavailable', `${request} ${what}`, { cause, since, isRetryable: true });
  switch (fault.kind) {
    case 'unreachable':
    case 'reset':
      return unavailable('it cannot be reached.');
    case 'timeout':
      return unavailable(
        deadlineMs < 1000 ? 'it does not answer.' : `it did not answer within ${Math.ceil(deadlineMs / 1000)} s.`,
      );
    case 'server_error':
    case 'failed_answer':
      return unavailable('it answered with an error of its own.');
    case 'bad_answer':
      return unavailable('its answer cannot be read.');
    case 'unauthorized':
      return new AppError(
        'unauthorized',
        `The query service refused this workspace’s API key${fault.reason === 'expired' ? ': it has expired' : ''}.`,
        {
          cause,
          since,
          hint: 'A workspace admin or bot admin can press Connect and enter a new key.',
          ...(fault.reason && { reason: fault.reason }),
        },
      );
    case 'rate_limited':
      return rateLimited(cause, fault.retryAfterMs ?? retryAfterDefaultMs);
    case 'invalid_request':
      return new AppError('internal', `The query service rejected the query for ${subject}.`, {
        cause,
        hint: 'The service may be a version that this bot does not support.',
      });
  }
}

function rateLimited(cause: Error, retryAfterMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const sentence = `The query service is busy. Try again in ${seconds} s.`;
  return new AppError('rate_limited', sentence, { cause, retryAfterMs, isRetryable: true });
}

/** Used if a busy service names no time. */
export const retryAfterDefaultMs = 5000;
/** A longer `Retry-After` is cut to this. */
export const retryAfterMaxMs = 300_000;

/** @param earlier number of earlier faults of this kind @returns the pause before a retry, milliseconds; undefined if a retry cannot help */
export function retryDelayMs(fault: Fault, earlier: number): number | undefined {
  switch (fault.kind) {
    case 'reset':
      return earlier < 1 ? 50 : undefined;
    case 'server_error':
      if (fault.retryAfterMs !== undefined) return earlier < 1 ? fault.retryAfterMs : undefined;
      return earlier < 2 ? 200 * (earlier + 1) : undefined;
    case 'rate_limited':
      return earlier < 1 ? (fault.retryAfterMs ?? retryAfterDefaultMs) : undefined;
    // A closed port, an unknown name and a bad certificate end alike, and after as short a time.
    case 'unreachable':
      return fault.isTransient && earlier < 2 ? 200 * (earlier + 1) : undefined;
    case 'timeout':
    case 'failed_answer':
    case 'bad_answer':
    case 'unauthorized':
    case 'invalid_request':
      return undefined;
  }
}
