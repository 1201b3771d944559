/** Faults: calls fail as Slack and networks fail, by order, by rule, or by a limit that a person of the page turns on. */
import type { JsonRecord } from '../../shared/json.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { PageSwitches } from '../page/protocol.ts';
import { type Answered, jsonAnswer, textAnswer } from './http.ts';

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

/** `ok: false` with any error. */
export function slackError(error: string): Fault {
  return { isCarriedOut: false, answer: jsonAnswer({ ok: false, error }) };
}

/** An HTTP status with a text, also for response_url. */
export function httpStatus(status: number, body = 'upstream trouble'): Fault {
  return { isCarriedOut: false, answer: textAnswer(status, body) };
}

/** Decides by a call's fields whether and how it fails. */
export type FaultRule = (fields: JsonRecord) => Fault | undefined;

/** Fails each call whose blocks match. */
export function failsOn(types: RegExp, fault: Fault): FaultRule {
  return ({ blocks }) => {
    const text = typeof blocks === 'string' ? blocks : JSON.stringify(blocks ?? []);
    return types.test(text) ? fault : undefined;
  };
}

const charts = /"type":"data_visualization"/;
const refusingPosts = failsOn(charts, slackError('invalid_blocks'));

/** Rules of a workspace that does not take charts, by target. */
const chartRefusals: Readonly<Record<string, FaultRule>> = {
  'chat.postEphemeral': refusingPosts,
  'chat.postMessage': refusingPosts,
  'chat.update': refusingPosts,
  response_url: failsOn(charts, httpStatus(400, 'invalid_blocks')),
};

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

type SwitchesDeps = {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly onChange: () => void;
};

/** Histories of one workspace take one call in this time. */
const historyEveryMs = 60_000;
/** Default and maximum of a page of a limited history. */
const historyPageMax = 15;

/** Limits of Slack that a person of the page turns on and off: slow histories, and no charts. */
export class Switches {
  readonly #deps: SwitchesDeps;
  #states: PageSwitches = { hasHistoryLimit: false, refusesCharts: false };
  /** By method and workspace. */
  #historyRules = new Map<string, FaultRule>();

  constructor(deps: SwitchesDeps) {
    this.#deps = deps;
  }

  get states(): PageSwitches {
    return this.#states;
  }

  /** Undefined while histories are not limited. */
  get historyPageMax(): number | undefined {
    return this.#states.hasHistoryLimit ? historyPageMax : undefined;
  }

  set(name: keyof PageSwitches, isOn: boolean): void {
    if (this.#states[name] === isOn) return;
    this.#states = { ...this.#states, [name]: isOn };
    if (name === 'hasHistoryLimit') this.#historyRules = new Map();
    else for (const [target, rule] of Object.entries(chartRefusals)) this.#deps.faults.rule(target, isOn ? rule : null);
    this.#deps.onChange();
  }

  /** @returns the refusal of a history that is read too early */
  takeHistory(method: string, teamId: string): Fault | undefined {
    const isHistory = method === 'conversations.history' || method === 'conversations.replies';
    if (!isHistory || !this.#states.hasHistoryLimit) return undefined;
    const key = `${method} ${teamId}`;
    const rule = this.#historyRules.get(key) ?? oncePerInterval(historyEveryMs, this.#deps.clock);
    this.#historyRules.set(key, rule);
    return rule({});
  }
}
