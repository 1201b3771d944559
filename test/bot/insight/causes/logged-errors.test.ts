/** Errors that a logger flattened, escaped, wrapped or cut have the cause and the title of the error itself. */
import { describe, expect, it } from 'vitest';
import { normaliseError } from '../../../../src/bot/insight/causes/normalize-error.ts';

const read = (error: string) => normaliseError(error, 8_000);

const viem = [
  'HttpRequestError: HTTP request failed.',
  '',
  'Status: 429',
  'URL: https://rpc.polygon.example.com/',
  'Request body: {"method":"eth_blockNumber"}',
  '',
  'Details: Too Many Requests',
  'Version: viem@2.57.20',
].join('\n');
const undici = [
  'TypeError: fetch failed',
  '    at node:internal/deps/undici/undici:14976:13',
  '    at async fetchQuote (/app/dist/quote.js:41:15) {',
  '  [cause]: Error: connect ECONNREFUSED 10.42.0.17:8080',
  '      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {',
  "    errno: -111, code: 'ECONNREFUSED', syscall: 'connect' } }",
].join('\n');
const python = [
  'Traceback (most recent call last):',
  '  File "/app/feed.py", line 8, in tick',
  '    return prices[symbol]',
  "KeyError: 'settlementCurrency'",
].join('\n');

describe('an error that was logged', () => {
  it.each([
    { name: 'viem', error: viem },
    { name: 'undici', error: undici },
    { name: 'Python', error: python },
  ])('on one line keeps its cause and its title: $name', ({ error }) => {
    expect(read(error.replace(/\s*\n\s*/g, ' '))).toEqual(read(error));
    expect(read(error.replaceAll('\n', '\\n')).key).toBe(read(error).key);
    expect(read(JSON.stringify({ level: 'error', step: 'publish', err: error })).key).toBe(read(error).key);
  });

  it('in a line that was cut is read as far as it goes', () => {
    const line = JSON.stringify({
      level: 'error',
      err: 'relation "price_snapshots" does not exist',
      step: 'aggregate',
    });
    expect(read(line.slice(0, -12)).key).toBe(read('relation "price_snapshots" does not exist').key);
  });

  it('with other secrets or hosts is another cause', () => {
    const missing = (name: string) => JSON.stringify({ level: 'error', err: `secret "${name}" not found` });
    expect(read(missing('oracle-signer')).key).not.toBe(read(missing('smtp-password')).key);
  });

  it('keeps a time after “at”, which is no frame of a stack', () => {
    expect(read('token expired at 2026-11-20T09:58:11Z').key).toBe(read('token expired').key);
  });
});

describe('the place in a workflow before an error', () => {
  it('is no part of its cause, also if the error is common', () => {
    const keys = ['', 'step read-block: ', 'price step: ', 'task publish: '].map(
      (before) => read(`${before}context deadline exceeded`).key,
    );
    expect(new Set(keys).size).toBe(1);
  });

  it('stays if the error is a single vague word, and so does an action on something', () => {
    expect(read('load markets: timeout').key).not.toBe(read('post payouts: timeout').key);
  });
});

describe('a message that lost its end', () => {
  it('inside a bracket of values keeps its cause', () => {
    const error = 'duplicate key value violates unique constraint "feeds_slug_key"';
    expect(read(`${error} (SQLSTATE 23`).key).toBe(read(`${error} (SQLSTATE 23505)`).key);
    const ethers = 'insufficient funds (action="estimateGas", transaction={ "to": "0x2a8f" }, code=INSUFFICIENT_FUNDS';
    expect(read(ethers.slice(0, -6)).key).toBe(read(`${ethers}, version=6.13.0)`).key);
  });
});
