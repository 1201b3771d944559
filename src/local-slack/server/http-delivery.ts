/** Delivers to an app's request URL: signed, in Slack's encodings, with a timeout of three seconds. */
import { createHmac, randomBytes } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { isRecord, type JsonRecord, parseJson } from '../../shared/json.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Acknowledgement, Envelope } from './envelope.ts';

export type HttpApp = {
  /** Receives all deliveries; plain http, because the app is on this machine. */
  readonly requestUrl: string;
  readonly signingSecret: string;
};

export type HttpDeliveryDeps = {
  readonly clock: Clock;
  /** Timeout of an acknowledgement. */
  readonly ackTimeoutMs: number;
  /** Slack's legacy verification token, part of every payload. */
  readonly verificationToken: string;
};

type HttpDelivery = {
  readonly post: (app: HttpApp, envelope: Envelope) => Promise<Acknowledgement>;
  /** Sends Slack's `url_verification` for a new request URL. @throws Error if the challenge does not come back */
  readonly verifyUrl: (app: HttpApp) => Promise<void>;
  readonly close: () => void;
};

type Sent = { readonly type: string; readonly body: string; readonly headers?: Readonly<Record<string, string>> };
type Received = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

const answerBytesMax = 1_048_576;
const handshakeTimeoutMs = 3000;

export function createHttpDelivery(deps: HttpDeliveryDeps): HttpDelivery {
  const agent = new Agent({ keepAlive: true });
  const send = (app: HttpApp, sent: Sent, timeoutMs: number) =>
    exchange(app, signed(app, sent, deps), agent, timeoutMs);
  return {
    post: async (app, envelope) => {
      const sentAt = performance.now();
      const received = await send(app, encode(envelope), deps.ackTimeoutMs);
      if (typeof received === 'string') return { kind: received };
      const { status, headers, text } = received;
      if (status < 200 || status > 299) {
        return { kind: 'refused', status, isFinal: headers['x-slack-no-retry'] === '1' };
      }
      return { kind: 'acknowledged', payload: readAnswer(text), afterMs: performance.now() - sentAt };
    },
    verifyUrl: async (app) => {
      const challenge = randomBytes(18).toString('base64url');
      const body = JSON.stringify({ token: deps.verificationToken, challenge, type: 'url_verification' });
      const received = await send(app, { type: 'application/json', body }, handshakeTimeoutMs);
      const text = typeof received === 'string' ? received : received.text;
      const answered = parseJson(text);
      const echoed = isRecord(answered) ? answered['challenge'] : text.trim();
      if (echoed !== challenge) throw new Error(`Your URL didn't respond with the challenge: ${text.slice(0, 80)}`);
    },
    close: () => agent.destroy(),
  };
}

/** https://docs.slack.dev/interactivity: forms for actions of people, JSON for events. */
function encode({ type, payload, retry }: Envelope): Sent {
  const form = (fields: Readonly<Record<string, string>>) => ({
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(fields).toString(),
  });
  switch (type) {
    case 'slash_commands':
      return form(Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)])));
    case 'interactive':
      return form({ payload: JSON.stringify(payload) });
    case 'events_api':
      return { type: 'application/json', body: JSON.stringify(payload), headers: retryHeaders(retry) };
  }
}

function retryHeaders(retry: Envelope['retry']): Readonly<Record<string, string>> {
  if (!retry || retry.attempt === 0) return {};
  const reason = retry.reason === 'timeout' ? 'http_timeout' : retry.reason;
  return { 'x-slack-retry-num': String(retry.attempt), 'x-slack-retry-reason': reason };
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function signed({ signingSecret }: HttpApp, sent: Sent, { clock }: HttpDeliveryDeps): Sent {
  const at = String(Math.floor(clock() / 1000));
  const digest = createHmac('sha256', signingSecret).update(`v0:${at}:${sent.body}`).digest('hex');
  const headers = {
    ...sent.headers,
    accept: '*/*',
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    'content-type': sent.type,
    'x-slack-request-timestamp': at,
    'x-slack-signature': `v0=${digest}`,
  };
  return { ...sent, headers };
}

function exchange(
  { requestUrl }: HttpApp,
  { body, headers }: Sent,
  agent: Agent,
  timeoutMs: number,
): Promise<Received | 'timed_out' | 'undelivered'> {
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(requestUrl, { method: 'POST', agent, signal, headers: { ...headers, ...length } });
    const fail = () => resolve(signal.aborted ? 'timed_out' : 'undelivered');
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > answerBytesMax) response.destroy(new Error('too large an answer'));
      });
      response.on('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    outgoing.end(body);
  });
}

/** The payload of the acknowledgement; plain text becomes `{ text }`. */
function readAnswer(text: string): JsonRecord | undefined {
  if (text.trim() === '') return undefined;
  const parsed = parseJson(text);
  return isRecord(parsed) ? parsed : { text };
}
