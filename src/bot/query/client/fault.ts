/** Faults: why there is no answer, and the error that the user reads. */
import { AppError, type RefusalReason } from '../../../shared/errors.ts';

export type FaultKind =
  /** No connection: closed port, unknown name, bad certificate. One kind and one sentence, so that nothing about a network can be learned. */
  | 'unreachable'
  /** The connection was there and broke. */
  | 'reset'
  | 'timeout'
  /** HTTP says that the service or something before it is at fault. */
  | 'server_error'
  /** The service answered that it failed. */
  | 'failed_answer'
  /** HTML, a redirect, nothing, too much, or JSON of another shape. */
  | 'bad_answer'
  | 'unauthorized'
  | 'rate_limited'
  /** The service does not accept the question. */
  | 'refused_question';

export type Fault = {
  readonly kind: FaultKind;
  /** For the log: our own words and codes, never a body, a header or a variable. */
  readonly detail: string;
  /** How long the service asks us to wait. */
  readonly retryAfterMs?: number;
  /** Why a key was refused, where the service says so. */
  readonly reason?: RefusalReason;
  /** It passes by itself: a resolver or a network that fails at the moment. */
  readonly isTransient?: true;
  /** The answer was longer than was read of it: less may be asked for. */
  readonly isTooLarge?: true;
};

/** A value, or the reason why there is none. */
export type Outcome<Value> = { readonly value: Value } | { readonly fault: Fault };

/** An answer that was read to its end and makes no sense. */
export function badAnswer(detail: string): { readonly fault: Fault } {
  return { fault: { kind: 'bad_answer', detail } };
}

export type FaultFacts = {
  /** What was asked for, such as `the list of workflows`. */
  readonly subject: string;
  /** Epoch milliseconds since when this has been so, as far as this process knows. */
  readonly since: number;
  readonly deadlineMs: number;
};

/** The named error, with the sentence of the design and a cause that is safe to log. */
export function appErrorOf(fault: Fault, { subject, since, deadlineMs }: FaultFacts): AppError {
  const cause = new Error(`query service: ${fault.kind}, ${fault.detail}`);
  const asked = `I asked the query service for ${subject}, but`;
  const unavailable = (what: string) =>
    new AppError('unavailable', `${asked} ${what}`, { cause, since, isRetryable: true });
  switch (fault.kind) {
    case 'unreachable':
    case 'reset':
      return unavailable('it cannot be reached.');
    case 'timeout':
      return unavailable(`it did not answer within ${Math.ceil(deadlineMs / 1000)} s.`);
    case 'server_error':
    case 'failed_answer':
      return unavailable('it has a problem of its own.');
    case 'bad_answer':
      return unavailable('what came back is not an answer I can read.');
    case 'unauthorized':
      return new AppError('unauthorized', 'The query service refused this workspace’s API key.', {
        cause,
        since,
        hint: fault.reason === 'expired' ? 'It has expired. An admin can renew it.' : 'An admin can renew it.',
        ...(fault.reason && { reason: fault.reason }),
      });
    case 'rate_limited':
      return rateLimited(cause, fault.retryAfterMs ?? retryAfterDefaultMs);
    case 'refused_question':
      return new AppError('internal', `The query service did not accept the question for ${subject}.`, {
        cause,
        hint: 'It may be of another version than this bot was made for.',
      });
  }
}

function rateLimited(cause: Error, retryAfterMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const sentence = `The query service is busy. Please try again in ${seconds} s.`;
  return new AppError('rate_limited', sentence, { cause, retryAfterMs, isRetryable: true });
}

/** What to wait where a busy service does not say. */
export const retryAfterDefaultMs = 5000;
/** A longer `Retry-After` counts as this. */
export const retryAfterMaxMs = 300_000;

/** The pause before asking the same again, milliseconds; undefined where a repeat cannot help. @param earlier how often this kind has come already */
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
    case 'refused_question':
      return undefined;
  }
}
