/** Faults: calls fail as Slack and networks fail, by order, by rule, or by the limit of histories. */
import type { JsonRecord } from '../../shared/json.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type Answered, jsonAnswer } from './http.ts';

export type Fault = {
  /** Delay of the reply. */
  readonly delayMs?: number;
  /** Delays the reply until the promise settles. */
  readonly answeredAfter?: () => Promise<unknown>;
  /** True if the call still takes effect. */
  readonly isCarriedOut: boolean;
  /** The reply: another one, the real one, or none. */
  readonly answer: Answered | 'real';
  /** Hides a message that the call posts until the promise settles. */
  readonly visibleAfter?: () => Promise<unknown>;
};

/** @param retryAfterSeconds null leaves the header out */
export function rateLimited(retryAfterSeconds: number | null = 1): Fault {
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  const { body, headers: type } = jsonAnswer({ ok: false, error: 'ratelimited' });
  return { isCarriedOut: false, answer: { status: 429, headers: { ...type, ...headers }, body } };
}

/** Decides by a call's fields whether and how it fails. */
export type FaultRule = (fields: JsonRecord) => Fault | undefined;

/** Allows one call per interval, as Slack limits conversations.history for apps outside the Marketplace. */
export function oncePerInterval(everyMs: number, clock: Clock): FaultRule {
  let nextAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    if (now < nextAt) return rateLimited(Math.ceil((nextAt - now) / 1000));
    nextAt = now + everyMs;
    return undefined;
  };
}

export class Faults {
  readonly #ordered = new Map<string, Fault[]>();
  readonly #rules = new Map<string, FaultRule>();

  /** @param target a method's name, `response_url` or `socket` (the upgrade) @param times number of calls that fail */
  order(target: string, fault: Fault, times: number): void {
    const queue = this.#ordered.get(target) ?? [];
    this.#ordered.set(target, [...queue, ...Array.from({ length: times }, () => fault)]);
  }

  /** Applies to every call without an ordered fault; null removes the rule. */
  rule(target: string, rule: FaultRule | null): void {
    if (rule) this.#rules.set(target, rule);
    else this.#rules.delete(target);
  }

  /** Returns the fault for this call and removes it from the ordered ones. */
  take(target: string, fields: JsonRecord = {}): Fault | undefined {
    return this.#ordered.get(target)?.shift() ?? this.#rules.get(target)?.(fields);
  }
}

/** Histories of one workspace take one call in this time. */
const historyEveryMs = 60_000;

/** Slow and short histories, as for apps outside of the Marketplace, once a test turns them on. */
export class HistoryLimit {
  isOn = false;
  readonly #clock: Clock;
  /** By method and workspace. */
  readonly #rules = new Map<string, FaultRule>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Default and maximum of a page; undefined without the limit. */
  get pageMax(): number | undefined {
    return this.isOn ? 15 : undefined;
  }

  /** @returns the refusal of a history that is read too early */
  take(method: string, teamId: string): Fault | undefined {
    const isHistory = method === 'conversations.history' || method === 'conversations.replies';
    if (!isHistory || !this.isOn) return undefined;
    const key = `${method} ${teamId}`;
    const rule = this.#rules.get(key) ?? oncePerInterval(historyEveryMs, this.#clock);
    this.#rules.set(key, rule);
    return rule({});
  }
}
