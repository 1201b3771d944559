/** One guarded HTTP exchange with a query service: no redirects, a deadline, a size limit, faults for HTTP and network errors. */
import type { Dispatcher } from 'undici';
import { readNetworkFailure } from '../../../shared/http/network-failure.ts';
import { parseRetryAfter } from '../../../shared/retry.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { createYielder } from '../../../shared/time/cooperative.ts';
import { badAnswer, type Fault, NoAnswer, retryAfterMaxMs } from './fault.ts';
import { refusalReason } from './reply.ts';

export type Exchange = {
  readonly pool: Dispatcher;
  readonly url: URL;
  readonly apiKey: string;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Longest answer; 5 MiB if left out. */
  readonly bytesMax: number | undefined;
};

export type HttpAnswer = { readonly status: number; readonly text: string };

const mebibyte = 1024 * 1024;
const bytesDefaultMax = 5 * mebibyte;
/** This much of an unwanted answer is read, so that its connection can be reused. */
const discardedBytesMax = 16 * 1024;

/** @throws NoAnswer, also for a status that says what is wrong */
export async function exchange(request: Exchange): Promise<HttpAnswer> {
  const { pool, url, apiKey, body, signal, clock, bytesMax = bytesDefaultMax } = request;
  try {
    const response = await pool.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        authorization: `Apikey ${apiKey}`,
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json;q=0.9',
      },
      body,
      signal,
    });
    const refusal = refusalOf(response, clock(), bytesMax);
    if (
      refusal?.kind === 'unauthorized' &&
      /^application\/([a-z-]+\+)?json\b/i.test(singleHeader(response.headers['content-type']) ?? '')
    ) {
      const text = await readText(response, discardedBytesMax).catch(() => '');
      throw new NoAnswer({ ...refusal, ...refusalReason(text) });
    }
    if (refusal) {
      response.body.dump({ limit: discardedBytesMax, signal }).catch(() => undefined);
      throw new NoAnswer(refusal);
    }
    return { status: response.statusCode, text: await readText(response, bytesMax) };
  } catch (error) {
    throw error instanceof NoAnswer ? error : new NoAnswer(networkFault(error, signal.aborted));
  }
}

function refusalOf({ statusCode, headers }: Dispatcher.ResponseData, now: number, bytesMax: number): Fault | undefined {
  const detail = `HTTP ${statusCode}`;
  const retryAfter = parseRetryAfter(singleHeader(headers['retry-after']), now, retryAfterMaxMs);
  const waiting = retryAfter === undefined ? {} : { retryAfterMs: retryAfter };
  if (statusCode === 401 || statusCode === 403) return { kind: 'unauthorized', detail };
  if (statusCode === 429) return { kind: 'rate_limited', detail, ...waiting };
  if (statusCode >= 500) return { kind: 'server_error', detail, ...waiting };
  if (statusCode < 200 || (statusCode >= 300 && statusCode < 400)) {
    return { kind: 'bad_answer', detail: `${detail}, not followed` };
  }
  const encoding = singleHeader(headers['content-encoding']) ?? 'identity';
  if (encoding !== 'identity') {
    return { kind: 'bad_answer', detail: 'compressed, although the bot accepts no compression' };
  }
  if (Number(singleHeader(headers['content-length']) ?? 0) > bytesMax) return tooLarge(bytesMax);
  return undefined;
}

function singleHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value;
}

function tooLarge(bytesMax: number): Fault {
  return { kind: 'bad_answer', detail: `larger than ${bytesMax / mebibyte} MiB`, isTooLarge: true };
}

/** JSON is parsed in one go: a million numbers take as long as 100 MiB of text. */
const valuesMax = 1_000_000;
const tooManyValues: Fault = { kind: 'bad_answer', detail: `more than ${valuesMax} values`, isTooLarge: true };

const [quote, backslash, ...marks] = [...'"\\,:[{'].map((mark) => mark.charCodeAt(0));
const isMark = Uint8Array.from({ length: 256 }, (_, byte) => Number(marks.includes(byte)));

/** Counts the marks between the values of a JSON text that comes in chunks. */
function createValueCount() {
  let [total, isInText, isEscaped] = [0, false, false];
  return {
    /** @returns the count so far */
    count: (chunk: Uint8Array): number => {
      let [found, inText, escaped] = [0, isInText, isEscaped];
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] ?? 0;
        if (escaped) escaped = false;
        else if (byte === quote) inText = !inText;
        else if (inText) escaped = byte === backslash;
        else found += isMark[byte] ?? 0;
      }
      [total, isInText, isEscaped] = [total + found, inText, escaped];
      return total;
    },
  };
}

async function readText({ statusCode, body }: Dispatcher.ResponseData, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  const values = createValueCount();
  const pause = createYielder();
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new NoAnswer(tooLarge(bytesMax));
    if (values.count(chunk) > valuesMax) throw new NoAnswer(tooManyValues);
    chunks.push(chunk);
    await pause();
  }
  if (bytes === 0) throw badAnswer(`HTTP ${statusCode} with an empty body`);
  const text = Buffer.concat(chunks, bytes).toString('utf8');
  await pause();
  return text;
}

/**
 * @param error thrown by undici; only its code is used, since messages of libraries repeat what was sent
 * @param isOverdue whether the deadline ended it
 */
export function networkFault(error: unknown, isOverdue: boolean): Fault {
  const { code = 'no code', kind, isTransient } = readNetworkFailure(error);
  if (isOverdue || kind === 'timeout') return { kind: 'timeout', detail: 'the deadline passed' };
  if (kind === 'cut') return { kind: 'reset', detail: code };
  if (code.startsWith('HPE_')) return { kind: 'bad_answer', detail: `not HTTP (${code})` };
  return { kind: 'unreachable', detail: code, ...(isTransient && { isTransient }) };
}
