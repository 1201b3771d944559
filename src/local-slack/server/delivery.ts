/** Delivers envelopes to the app: signed, and in Slack's encodings, to its request URL. */
import { createHmac, randomBytes } from 'node:crypto';
import { isRecord, type JsonRecord, parseJson } from '../../shared/json.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { Emitter } from '../state/emitter.ts';

export type Retry = {
  readonly attempt: number;
  readonly reason: '' | 'timeout' | 'connection_failed' | 'http_error';
};

/** The outcome of a delivery. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged'; readonly payload: unknown; readonly afterMs: number }
  | { readonly kind: 'timed_out' }
  /** The app could not be reached. */
  | { readonly kind: 'undelivered' }
  /** The app replied with an error status; `isFinal` if it refuses retries. */
  | { readonly kind: 'refused'; readonly status: number; readonly isFinal: boolean };

export type Envelope = {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: JsonRecord;
  readonly acceptsResponsePayload: boolean;
  /** Events are delivered again until they are acknowledged; a first delivery has attempt 0 and no reason. */
  readonly retry?: Retry;
};

/** A way to the app. */
export type AppLink = { readonly deliver: (envelope: Envelope) => Promise<Acknowledgement> };

export type HttpApp = {
  /** Receives all deliveries; plain http, because the app is on this machine. */
  readonly requestUrl: string;
  readonly signingSecret: string;
};

type DeliveryDeps = {
  readonly clock: Clock;
  /** Timeout of an acknowledgement. */
  readonly ackTimeoutMs: number;
  /** Slack's legacy verification token, part of every payload. */
  readonly verificationToken: string;
};

type Change = (payload: JsonRecord) => JsonRecord;
type Sent = { readonly type: string; readonly body: string; readonly headers?: Readonly<Record<string, string>> };
type Received = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Ten times Slack's limit: the app may have just started, on a busy machine. */
const verifyTimeoutMs = 30_000;

export class Delivery {
  /** Emits true or false each time the app becomes reachable or unreachable. */
  readonly connection = new Emitter<boolean>();
  readonly #deps: DeliveryDeps;
  readonly #changes: Change[] = [];
  #link: AppLink | null = null;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  isConnected(): boolean {
    return this.#link !== null;
  }

  async deliver(envelope: Envelope): Promise<Acknowledgement> {
    const change = this.#changes.shift();
    const sent = change ? { ...envelope, payload: change(envelope.payload) } : envelope;
    return this.#link ? this.#link.deliver(sent) : { kind: 'undelivered' };
  }

  /** Delivers to this request URL from now on. @throws Error if the URL verification fails */
  async register(app: HttpApp): Promise<void> {
    await this.#verifyUrl(app);
    this.use({ deliver: (envelope) => this.#post(app, envelope) });
  }

  /** Delivers in this way from now on; null if the app cannot be reached. */
  use(link: AppLink | null): void {
    this.#link = link;
    this.connection.emit(this.isConnected());
  }

  /** Changes the next payload before it is sent. */
  tamper(change: Change): void {
    this.#changes.push(change);
  }

  async #post(app: HttpApp, envelope: Envelope): Promise<Acknowledgement> {
    const sentAt = performance.now();
    const received = await this.#send(app, encode(envelope), this.#deps.ackTimeoutMs);
    if (typeof received === 'string') return { kind: received };
    const { status, headers, text } = received;
    const isFinal = headers.get('x-slack-no-retry') === '1';
    if (status < 200 || status > 299) return { kind: 'refused', status, isFinal };
    return { kind: 'acknowledged', payload: readAnswer(text), afterMs: performance.now() - sentAt };
  }

  /** Sends Slack's `url_verification` for a new request URL. @throws Error if the challenge does not come back */
  async #verifyUrl(app: HttpApp): Promise<void> {
    const challenge = randomBytes(18).toString('base64url');
    const body = JSON.stringify({ token: this.#deps.verificationToken, challenge, type: 'url_verification' });
    const received = await this.#send(app, { type: 'application/json', body }, verifyTimeoutMs);
    const text = typeof received === 'string' ? received : received.text;
    const answered = parseJson(text);
    const echoed = isRecord(answered) ? answered['challenge'] : text.trim();
    if (echoed !== challenge) throw new Error(`Your URL didn't respond with the challenge: ${text.slice(0, 80)}`);
  }

  /** https://docs.slack.dev/authentication/verifying-requests-from-slack */
  async #send(app: HttpApp, sent: Sent, timeoutMs: number): Promise<Received | 'timed_out' | 'undelivered'> {
    const at = String(Math.floor(this.#deps.clock() / 1000));
    const digest = createHmac('sha256', app.signingSecret).update(`v0:${at}:${sent.body}`).digest('hex');
    const headers = {
      ...sent.headers,
      accept: '*/*',
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'content-type': sent.type,
      'x-slack-request-timestamp': at,
      'x-slack-signature': `v0=${digest}`,
    };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const options = { method: 'POST', headers, body: sent.body, redirect: 'manual', signal } as const;
      const response = await fetch(app.requestUrl, options);
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch {
      return signal.aborted ? 'timed_out' : 'undelivered';
    }
  }
}

/** https://docs.slack.dev/interactivity: forms for actions of people, JSON for events. */
function encode({ type, payload, retry }: Envelope): Sent {
  if (type === 'events_api') {
    return { type: 'application/json', body: JSON.stringify(payload), headers: retryHeaders(retry) };
  }
  const fields = Object.entries(payload).map(([name, value]) => [name, String(value)]);
  const form = new URLSearchParams(type === 'interactive' ? { payload: JSON.stringify(payload) } : fields);
  return { type: 'application/x-www-form-urlencoded', body: form.toString() };
}

function retryHeaders(retry: Envelope['retry']): Readonly<Record<string, string>> {
  if (!retry || retry.attempt === 0) return {};
  const reason = retry.reason === 'timeout' ? 'http_timeout' : retry.reason;
  return { 'x-slack-retry-num': String(retry.attempt), 'x-slack-retry-reason': reason };
}

/** The payload of the acknowledgement; plain text becomes `{ text }`. */
function readAnswer(text: string): JsonRecord | undefined {
  if (text.trim() === '') return undefined;
  const parsed = parseJson(text);
  return isRecord(parsed) ? parsed : { text };
}
