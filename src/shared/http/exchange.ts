/** Reads a request's body within limits, and writes the kinds of answers: JSON, a page, a short text. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Slack sends a few kilobytes; its largest request is a modal of 250 kB. */
const bodyBytesMax = 256 * 1024;

const neutralWords = {
  400: 'bad request',
  401: 'not authorized',
  404: 'not found',
  405: 'method not allowed',
  413: 'too large',
  415: 'unsupported content type',
  421: 'unknown host name; add it to METRICS_HOSTS',
  500: 'something went wrong',
} as const;

export type NeutralStatus = keyof typeof neutralWords;

/**
 * Uses events, because leaving a loop over the request would close the connection before the answer.
 * @returns undefined if the body is too long
 * @throws Error if the connection breaks before the end
 */
export function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  if (Number(request.headers['content-length']) > bodyBytesMax) resolve(undefined);
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= bodyBytesMax) chunks.push(chunk);
    else resolve(undefined);
  });
  request.once('end', () => resolve(Buffer.concat(chunks)));
  request.once('error', reject);
  return promise;
}

/** @param json undefined for an empty body */
export function writeAnswer(response: ServerResponse, json?: string | Buffer): void {
  if (json === undefined) write(response, 200, {}, '');
  else write(response, 200, { 'content-type': 'application/json; charset=utf-8' }, json);
}

export function writeText(
  response: ServerResponse,
  status: 200 | 503,
  text: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  write(response, status, { 'content-type': contentType, 'cache-control': 'no-store' }, text);
}

/** Keeps the connection open for another request. */
export function keepConnection(response: ServerResponse): void {
  response.removeHeader('connection');
}

/** Writes a page for a person's browser. */
export function writePage(
  response: ServerResponse,
  status: 200 | 302 | 400 | 503,
  html: string,
  headers: Readonly<Record<string, string>>,
): void {
  write(response, status, { 'content-type': 'text/html; charset=utf-8', ...headers }, html);
}

export function writeRefusal(
  response: ServerResponse,
  status: NeutralStatus,
  headers: Readonly<Record<string, string>> = {},
): void {
  write(response, status, { 'content-type': 'text/plain; charset=utf-8', ...headers }, neutralWords[status]);
}

/** Writes nothing if the client has disconnected or was answered already. */
function write(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
