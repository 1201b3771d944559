/**
 * Sends Slack's HTTP through one undici dispatcher, so that proxies, private authorities and connection limits are set
 * once.
 */
import type { FetchFunction } from '@slack/web-api';
import { Agent, type Dispatcher, fetch, Headers, Response } from 'undici';
import { parseJson, readRecord, readText } from '../../../../shared/json.ts';
import { unlessAborted } from '../../../../shared/time/timeout.ts';
import { type Measure, measureNothing } from '../../../domain/measure.ts';
import { classifySlackError, classifyStatus, classifyThrown, TokenNotRenewed } from './errors.ts';

/** Slack has one or two hosts; a burst of answers may use this many connections to each. */
const connectionsMax = 128;
const connectTimeoutMs = 5_000;
const answerTimeoutMs = 15_000;
/** An export has up to 32 MiB; nearly every other file has less than one. */
const uploadTimeoutMs = 30_000;

/** A dispatcher for direct connections to Slack. Its creator destroys it. */
export function createSlackAgent(): Agent {
  return new Agent({
    connections: connectionsMax,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
  });
}

/** A token to use. `ended`: there is no other. `later`: it is unknown for now. `none`: the bot is not installed. */
export type Renewed =
  | { readonly kind: 'token'; readonly botToken: string }
  | { readonly kind: 'ended' | 'later'; readonly error: string }
  | { readonly kind: 'none' };

export type SlackFetchHooks = {
  readonly measure?: Measure | undefined;
  /** Called when Slack refuses a call with this token. @param error as Slack names it */
  readonly onRefusal?: ((botToken: string, error: string) => void) | undefined;
  /** Finds another token for one that Slack calls expired; the call is then repeated once. Never rejects. */
  readonly renew?: ((botToken: string) => Promise<Renewed>) | undefined;
  /** Takes the `date` header of each of Slack's answers. */
  readonly onDate?: ((date: string | null) => void) | undefined;
};

/** The SDK's options for undici's fetch. Bodies are texts; `createSendBytes` sends files. */
type SlackFetchInit = NonNullable<Parameters<FetchFunction>[1]>;

/**
 * @returns a fetch for @slack/web-api and for `response_url`. It adds no header: when two clients shared an option
 *   object, one workspace's token went out with the other's calls (@slack/web-api 8.2 writes into the object).
 */
export function createSlackFetch(dispatcher: Dispatcher, hooks: SlackFetchHooks = {}): FetchFunction {
  const { measure = measureNothing, onRefusal, onDate, renew } = hooks;
  return async (url, init: SlackFetchInit = {}) => {
    const { body, ...rest } = init;
    if (body !== undefined && typeof body !== 'string') throw new TypeError('Only texts are sent to Slack.');
    // Each response_url has its own address; a metric label needs a common name.
    const [, method = 'response_url'] = /\/api\/([a-zA-Z.]{1,60})$/.exec(new URL(url).pathname) ?? [];
    const call = async (headers: SlackFetchInit['headers']): Promise<Called> => {
      const sent = {
        redirect: 'manual' as const,
        ...rest,
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
        dispatcher,
      };
      const response = await fetch(url, sent);
      const text = await response.text();
      const error = errorIn(text);
      onDate?.(response.headers.get('date'));
      measure({ kind: 'slack_call', method, outcome: outcomeOf(response.status, error) });
      return { response, text, error };
    };
    try {
      const botToken = /^Bearer (.+)$/.exec(new Headers(rest.headers).get('authorization') ?? '')?.[1];
      let called = await call(rest.headers);
      if (called.error === 'token_expired' && botToken !== undefined && renew) {
        const renewed = await unlessAborted(rest.signal, renew(botToken)).catch(() => later);
        // Slack has done nothing yet, so the same call may be repeated.
        if (renewed.kind === 'later') throw new TokenNotRenewed();
        if (renewed.kind === 'token')
          called = await call({
            ...Object.fromEntries(new Headers(rest.headers)),
            authorization: `Bearer ${renewed.botToken}`,
          });
      }
      const { response, text, error } = called;
      if (error !== undefined && botToken !== undefined) onRefusal?.(botToken, error);
      return new Response(text, { status: response.status, headers: headersOf(response) });
    } catch (error) {
      measure({ kind: 'slack_call', method, outcome: classifyThrown(error).kind });
      throw error;
    }
  };
}

type Called = { readonly response: Response; readonly text: string; readonly error: string | undefined };

const later = { kind: 'later', error: 'call_aborted' } as const;

/** A refusal is short, and a page of a history is long. */
const refusalLengthMax = 50_000;

/** @returns Slack's word in a refusal; texts of people and metadata of other apps deeper in the answer do not count */
function errorIn(text: string): string | undefined {
  if (text.length > refusalLengthMax) return undefined;
  const answer = readRecord(parseJson(text));
  return answer['ok'] === false ? readText(answer, 'error') : undefined;
}

function outcomeOf(status: number, error: string | undefined): string {
  if (status === 429) return 'not_sent';
  if (status < 200 || status > 299) return classifyStatus(status).kind;
  return error === undefined ? 'ok' : classifySlackError(error).kind;
}

/** Without this header the SDK throws a plain Error for a 429; with it, an error that says what happened. */
function headersOf({ status, headers }: Response): [string, string][] {
  const isSilent = status === 429 && !/^\d+$/.test(headers.get('retry-after') ?? '');
  const given = [...headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
  return isSilent ? [['retry-after', '1']] : given;
}

/** Sends a file's bytes to the address that Slack returned for it. @returns the HTTP status */
export type SendBytes = (url: string, bytes: Uint8Array) => Promise<number>;

export function createSendBytes(dispatcher: Dispatcher): SendBytes {
  return async (url, bytes) => {
    const signal = AbortSignal.timeout(uploadTimeoutMs);
    const response = await fetch(url, { method: 'POST', body: bytes, redirect: 'manual', dispatcher, signal });
    await response.body?.cancel();
    return response.status;
  };
}
