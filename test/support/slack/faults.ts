/** The faults that tests inject into a local Slack, and the calls that it got: by order, by rule, or by the limit of histories. */
import { setTimeout as wait } from 'node:timers/promises';
import { jsonAnswer, textAnswer } from '../../../src/local-slack/server/http.ts';
import type { AppCall, Fault } from '../../../src/local-slack/server/local-slack.ts';
import type { JsonRecord } from '../../../src/shared/json.ts';
import type { Clock } from '../../../src/shared/time/clock.ts';

/** Decides by a call's fields whether and how it fails. */
export type FaultRule = (fields: JsonRecord) => Fault | undefined;

/** @param retryAfterSeconds null leaves the header out */
export function rateLimited(retryAfterSeconds: number | null = 1): Fault {
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  const { body, headers: type } = jsonAnswer({ ok: false, error: 'ratelimited' });
  return { isCarriedOut: false, answer: { status: 429, headers: { ...type, ...headers }, body } };
}

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

/** `ok: false` with any error. */
export function slackError(error: string): Fault {
  return { isCarriedOut: false, answer: jsonAnswer({ ok: false, error }) };
}

/** An HTTP status with a text, also for response_url. */
export function httpStatus(status: number, body = 'upstream trouble'): Fault {
  return { isCarriedOut: false, answer: textAnswer(status, body) };
}

/** A web page where JSON was expected, with status 200. */
export function htmlPage(): Fault {
  const body = '<!doctype html><title>Maintenance</title><p>We will be back soon.';
  return { isCarriedOut: false, answer: { status: 200, headers: { 'content-type': 'text/html' }, body } };
}

/** The call takes effect and gets this reply, such as `{ ok: true }` without a `ts`. */
export function replacedAnswer(body: unknown): Fault {
  return { isCarriedOut: true, answer: jsonAnswer(body) };
}

/** The call takes effect and gets a late reply. */
export function delayed(delayMs: number): Fault {
  return delayedUntil(() => wait(delayMs, undefined, { ref: false }));
}

/** The call takes effect; the reply waits for the promise. */
export function delayedUntil(answeredAfter: () => Promise<unknown>): Fault {
  return { answeredAfter, isCarriedOut: true, answer: 'real' };
}

/** The message becomes visible; the caller gets no reply. */
export function droppedAnswer(): Fault {
  return { isCarriedOut: true, answer: 'drop' };
}

/** The message becomes visible; the connection is reset. */
export function resetAfterwards(): Fault {
  return { isCarriedOut: true, answer: 'reset' };
}

/** The call takes effect although the reply is an error: a refused message is posted. */
export function carriedOutAnyway(fault: Fault): Fault {
  return { ...fault, isCarriedOut: true };
}

/** Slack accepts the message and shows it later, in the channel and its history. */
export function visibleLate(visibleAfter: () => Promise<unknown>, answer: Fault['answer'] = 'real'): Fault {
  return { isCarriedOut: true, answer, visibleAfter };
}

/** The connection breaks before the call takes effect. */
export function brokenConnection(): Fault {
  return { isCarriedOut: false, answer: 'drop' };
}

/** Fails each message with a table or a plan, as Slack did with `internal_error` for a while. */
export function failsOnTables(fault: Fault): FaultRule {
  return failsOn(/"type":"(?:data_)?(?:table|plan)"/, fault);
}

/** Fails each call whose blocks match. */
function failsOn(types: RegExp, fault: Fault): FaultRule {
  return ({ blocks }) => {
    const text = typeof blocks === 'string' ? blocks : JSON.stringify(blocks ?? []);
    return types.test(text) ? fault : undefined;
  };
}

const charts = /"type":"data_visualization"/;
const refusingPosts = failsOn(charts, slackError('invalid_blocks'));

/** The rules of a workspace that does not take charts, by target. */
export const chartRefusals: Readonly<Record<string, FaultRule>> = {
  'chat.postEphemeral': refusingPosts,
  'chat.postMessage': refusingPosts,
  'chat.update': refusingPosts,
  response_url: failsOn(charts, httpStatus(400, 'invalid_blocks')),
};

type RecordedCall = AppCall & {
  /** Epoch milliseconds by the local Slack's clock. */
  readonly at: number;
};

const recordedMax = 1000;
/** Histories of one workspace take one call in this time, of this many messages. */
const historyEveryMs = 60_000;
const historyMax = 15;

/** The calls of the app to one local Slack. */
export class Calls {
  /** The oldest first; drops the oldest in place, because tests hold the list. */
  readonly recorded: RecordedCall[] = [];
  /** Slow and short histories, as for apps outside of the Marketplace, once a test turns them on. */
  limitsHistories = false;
  readonly #clock: Clock;
  readonly #ordered = new Map<string, Fault[]>();
  readonly #rules = new Map<string, FaultRule>();
  /** By method and token. */
  readonly #histories = new Map<string, FaultRule>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param target a method's name, `response_url`, `upload` or `socket` (the upgrade) @param times number of calls that fail */
  order(target: string, fault: Fault, times: number): void {
    const queue = this.#ordered.get(target) ?? [];
    this.#ordered.set(target, [...queue, ...Array.from({ length: times }, () => fault)]);
  }

  /** Applies to every call without an ordered fault; null removes the rule. */
  rule(target: string, rule: FaultRule | null): void {
    if (rule) this.#rules.set(target, rule);
    else this.#rules.delete(target);
  }

  /** Records the call. @returns its fault, which is no longer ordered */
  intercept(call: AppCall): Fault | undefined {
    this.recorded.push({ ...call, at: this.#clock() });
    if (this.recorded.length > recordedMax) this.recorded.shift();
    return this.take(call.name, call.fields) ?? this.#limited(call);
  }

  take(target: string, fields: JsonRecord = {}): Fault | undefined {
    return this.#ordered.get(target)?.shift() ?? this.#rules.get(target)?.(fields);
  }

  #limited({ name, headers, fields }: AppCall): Fault | undefined {
    if (!this.limitsHistories || !['conversations.history', 'conversations.replies'].includes(name)) return undefined;
    const key = `${name} ${headers.authorization}`;
    const rule = this.#histories.get(key) ?? oncePerInterval(historyEveryMs, this.#clock);
    this.#histories.set(key, rule);
    const limit = Math.min(Number(fields['limit'] ?? historyMax), historyMax);
    return rule(fields) ?? { fields: { ...fields, limit }, isCarriedOut: true, answer: 'real' };
  }
}
