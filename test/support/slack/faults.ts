/** The faults that tests inject into a local Slack. */
import type { Fault, FaultRule } from '../../../src/local-slack/server/faults.ts';
import { jsonAnswer, textAnswer } from '../../../src/local-slack/server/http.ts';

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
  return { delayMs, isCarriedOut: true, answer: 'real' };
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
