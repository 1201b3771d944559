/** The bot behind its HTTP receiver, and requests that a separate implementation signs like Slack. */

import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { HttpReceiver, type HttpReceiverDeps } from '../../../src/bot/slack/inbound/receivers/http-receiver.ts';
import type { Clock } from '../../../src/shared/time/clock.ts';
import { createTestBot, type TestBot, type TestBotOptions } from '../bot/bot.ts';
import { testRuntime } from '../bot/runtime.ts';
import { secret } from '../runner/canaries.ts';
import { createMemoryLog } from '../runner/memory-log.ts';
import { type FakeSlack, startFakeSlack } from './fake-slack.ts';

export const signingSecret = secret('a-signing-secret-of-the-tests');
/** The bot's time, in seconds. */
export const httpNow = 1_763_700_000;
const form = 'application/x-www-form-urlencoded';

export type SignedParts = {
  readonly body: string;
  readonly at?: number | string;
  readonly secret?: string;
};

/** Slack's two headers. */
export function signatureOf({ body, at = httpNow, secret = signingSecret }: SignedParts) {
  const digest = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex');
  return { 'x-slack-signature': `v0=${digest}`, 'x-slack-request-timestamp': String(at) };
}

export type HttpAnswer = { readonly status: number; readonly type: string; readonly text: string };

type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type HttpBot = TestBot & {
  readonly receiver: HttpReceiver;
  /** Sends exactly this request. */
  readonly send: (request: Sent) => Promise<HttpAnswer>;
  /** A form, signed now. */
  readonly post: (fields: Readonly<Record<string, unknown>>, at?: number) => Promise<HttpAnswer>;
  /** A JSON body, signed now. */
  readonly postJson: (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<HttpAnswer>;
};

export type HttpBotOptions = TestBotOptions & {
  readonly http?: Partial<HttpReceiverDeps> & { readonly clock?: Clock };
  readonly prepare?: (slack: FakeSlack) => void;
};

/** Starts both; disposing of it stops both. */
export async function startHttpBot(options: HttpBotOptions = {}): Promise<HttpBot & AsyncDisposable> {
  const { http, prepare, ...rest } = options;
  const slack = await startFakeSlack();
  prepare?.(slack);
  const log = createMemoryLog();
  const clock = http?.clock ?? (() => httpNow * 1000);
  const served = { signingSecret, runtime: testRuntime(clock, log.log), host: '127.0.0.1', port: 0, ...http };
  const receivers: HttpReceiver[] = [];
  const createReceiver = (routes: HttpReceiverDeps['routes']) => {
    const receiver = new HttpReceiver({ ...served, routes: { ...routes, ...http?.routes } });
    receivers.push(receiver);
    return receiver;
  };
  const test = createTestBot(slack, {
    clock: () => httpNow * 1000,
    log: log.log,
    ...rest,
    createReceiver,
  });
  const [receiver] = receivers;
  if (!receiver) throw new Error('The bot made no receiver.');
  await test.bot.start();
  const send = (request: Sent) => exchange(receiver.origin(), request);
  return {
    ...test,
    log,
    slack,
    receiver,
    send,
    post: (fields, at = httpNow) => {
      const body = formBody(fields);
      return send({ body, headers: { 'content-type': form, ...signatureOf({ body, at }) } });
    },
    postJson: (value, headers = {}) => {
      const body = JSON.stringify(value);
      return send({ body, headers: { 'content-type': 'application/json', ...signatureOf({ body }), ...headers } });
    },
    [Symbol.asyncDispose]: async () => {
      await test.bot.stop();
      await slack.close();
    },
  };
}

export function formBody(fields: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/** Sends with node:http, which does not correct a path or add a header. */
export function exchange(origin: string, { method = 'POST', path = '/slack/events', headers = {}, body }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const { hostname, port } = new URL(origin);
  const request = httpRequest({ hostname, port, method, path, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    const { statusCode: status = 0, headers: answered } = response;
    response.once('end', () => resolve({ status, type: answered['content-type'] ?? '', text }));
  });
  request.once('error', reject);
  request.end(body);
  return promise;
}
