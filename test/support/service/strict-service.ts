/** A proxy before a real query service that refuses documents with more aliases than its limit. */
import { startHostileHttp } from './hostile-http.ts';

export type Refusal = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export type StrictService = AsyncDisposable & {
  readonly url: string;
  /** Aliases of every document so far, in order. */
  readonly sizes: readonly number[];
  /** Of these, the refused ones. */
  readonly refused: readonly number[];
};

/** @param upstream address of the real service @param max most aliases of one document; a document without any has one */
export async function startStrictService(
  upstream: string,
  max: number | ((query: string) => number),
  refusal: Refusal,
): Promise<StrictService> {
  const sizes: number[] = [];
  const refused: number[] = [];
  const http = await startHostileHttp(async ({ headers, body }, response) => {
    const { query } = JSON.parse(body) as { readonly query: string };
    const size = Math.max(1, [...query.matchAll(/^ {2}\w+: \w+\(/gm)].length);
    sizes.push(size);
    if (size > (typeof max === 'number' ? max : max(query))) {
      refused.push(size);
      response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers });
      return response.end(JSON.stringify(refusal.body));
    }
    const answer = await fetch(upstream, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', authorization: String(headers.authorization) },
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    return response.end(await answer.text());
  });
  return { url: http.url, sizes, refused, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() };
}
