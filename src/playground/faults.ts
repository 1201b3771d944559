/** Faults that a test orders: the next calls of a method fail as Slack and networks fail. */
import type { HttpAnswer } from './http.ts';
import { jsonAnswer, textAnswer } from './http.ts';

export type Fault = {
  /** Wait before anything is answered. */
  readonly delayMs?: number;
  /** Whether the call takes effect all the same. */
  readonly isCarriedOut: boolean;
  /** What comes back: an answer instead of the real one, the real one (`real`), or nothing and a broken connection (`drop`). */
  readonly answer: HttpAnswer | 'real' | 'drop';
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
export function oddAnswer(body: unknown): Fault {
  return { isCarriedOut: true, answer: jsonAnswer(body) };
}

/** The call takes effect and is answered late. */
export function delayed(delayMs: number): Fault {
  return { delayMs, isCarriedOut: true, answer: 'real' };
}

/** The message becomes visible; the caller never learns. */
export function droppedAnswer(): Fault {
  return { isCarriedOut: true, answer: 'drop' };
}

/** The connection breaks before anything happened. */
export function brokenConnection(): Fault {
  return { isCarriedOut: false, answer: 'drop' };
}

export type Faults = {
  /** @param target a method's name, `response_url` or `socket` (the upgrade) @param times how many calls fail */
  readonly order: (target: string, fault: Fault, times: number) => void;
  /** @returns the fault for this call, used up by one */
  readonly take: (target: string) => Fault | undefined;
};

export function createFaults(): Faults {
  const ordered = new Map<string, Fault[]>();
  return {
    order: (target, fault, times) => {
      const queue = ordered.get(target) ?? [];
      ordered.set(target, [...queue, ...Array.from({ length: times }, () => fault)]);
    },
    take: (target) => ordered.get(target)?.shift(),
  };
}
