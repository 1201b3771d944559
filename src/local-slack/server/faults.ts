/** Faults that a test orders: the next calls of a method fail as Slack and networks fail. */
import type { Clock } from '../../shared/time/clock.ts';
import { type HttpAnswer, jsonAnswer, textAnswer } from './http.ts';
import type { Fields } from './json.ts';

export type Fault = {
  /** Wait before anything is answered. */
  readonly delayMs?: number;
  /** The same, until this settles. */
  readonly answeredAfter?: () => Promise<unknown>;
  /** Whether the call takes effect all the same. */
  readonly isCarriedOut: boolean;
  /** What comes back: an answer instead of the real one, the real one (`real`), or nothing: a connection that ends (`drop`) or is torn down (`reset`). */
  readonly answer: HttpAnswer | 'real' | 'drop' | 'reset';
  /** A message that the call posts stands in no channel, and nobody sees it, until this settles. */
  readonly visibleAfter?: () => Promise<unknown>;
};

/** @param retryAfterSeconds null leaves the header out */
export function rateLimited(retryAfterSeconds: number | null = 1): Fault {
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  const { body, headers: type } = jsonAnswer({ ok: false, error: 'ratelimited' });
  return { isCarriedOut: false, answer: { status: 429, headers: { ...type, ...headers }, body } };
}

/** `ok: false` with any error. */
export function slackError(error: string): Fault {
  return { isCarriedOut: false, answer: jsonAnswer({ ok: false, error }) };
}

/** An HTTP status with a text; for response_url too. */
export function httpStatus(status: number, body = 'upstream trouble'): Fault {
  return { isCarriedOut: false, answer: textAnswer(status, body) };
}

/** A web page where JSON was expected, with status 200. */
export function htmlPage(): Fault {
  const body = '<!doctype html><title>Maintenance</title><p>We will be back soon.';
  return { isCarriedOut: false, answer: { status: 200, headers: { 'content-type': 'text/html' }, body } };
}

/** The call takes effect and is answered with this instead, such as `{ ok: true }` without a `ts`. */
export function replacedAnswer(body: unknown): Fault {
  return { isCarriedOut: true, answer: jsonAnswer(body) };
}

/** The call takes effect and is answered late. */
export function delayed(delayMs: number): Fault {
  return { delayMs, isCarriedOut: true, answer: 'real' };
}

/** The call takes effect and is answered once this settles. */
export function delayedUntil(answeredAfter: () => Promise<unknown>): Fault {
  return { answeredAfter, isCarriedOut: true, answer: 'real' };
}

/** The message becomes visible; the caller never learns. */
export function droppedAnswer(): Fault {
  return { isCarriedOut: true, answer: 'drop' };
}

/** The same, torn down instead of ended. */
export function resetAfterwards(): Fault {
  return { isCarriedOut: true, answer: 'reset' };
}

/** The call takes effect whatever is answered: a message stands there that was refused. */
export function carriedOutAnyway(fault: Fault): Fault {
  return { ...fault, isCarriedOut: true };
}

/** Slack takes the message and shows it later, in the channel and in its history. */
export function visibleLate(visibleAfter: () => Promise<unknown>, answer: Fault['answer'] = 'real'): Fault {
  return { isCarriedOut: true, answer, visibleAfter };
}

/** The connection breaks before anything happened. */
export function brokenConnection(): Fault {
  return { isCarriedOut: false, answer: 'drop' };
}

/** Whether a call fails, and how, by what it carries. */
export type FaultRule = (fields: Fields) => Fault | undefined;

/** One call in so long, as apps that are distributed outside of the Marketplace may read a history once a minute. */
export function oncePerInterval(everyMs: number, clock: Clock): FaultRule {
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    if (now < nextAt) return rateLimited(Math.ceil((nextAt - now) / 1000));
    nextAt = now + everyMs;
    return undefined;
  };
}

export type Faults = {
  /** @param target a method's name, `response_url` or `socket` (the upgrade) @param times how many calls fail */
  readonly order: (target: string, fault: Fault, times: number) => void;
  /** From now on every call that no order is for is judged by this; nothing judges any more where it is null. */
  readonly rule: (target: string, rule: FaultRule | null) => void;
  /** @returns the fault for this call; of those that were ordered one is used up */
  readonly take: (target: string, fields?: Fields) => Fault | undefined;
};

export function createFaults(): Faults {
  const ordered = new Map<string, Fault[]>();
  const rules = new Map<string, FaultRule>();
  return {
    order: (target, fault, times) => {
      const queue = ordered.get(target) ?? [];
      ordered.set(target, [...queue, ...Array.from({ length: times }, () => fault)]);
    },
    rule: (target, rule) => {
      if (rule) rules.set(target, rule);
      else rules.delete(target);
    },
    take: (target, fields = {}) => ordered.get(target)?.shift() ?? rules.get(target)?.(fields),
  };
}
