/** HTTP helpers: reads bodies up to a limit, writes replies, checks the Host header. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord, type JsonRecord, parseJson } from '../../shared/json.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

export function jsonAnswer(body: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

export function textAnswer(status: number, body: string): HttpAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** Allows styles, fonts and pictures of this origin, and what `others` allow. */
export function contentSecurityPolicy(...others: readonly string[]): string {
  const own = ['style', 'font', 'img'].map((kind) => `${kind}-src 'self'`);
  return ["default-src 'none'", ...own, "base-uri 'none'", "frame-ancestors 'none'", ...others].join('; ');
}

/** A reply, or none: the connection is ended or reset. */
export type Answered = HttpAnswer | 'drop' | 'reset';

/** @param answer its headers override the common ones */
export function send(response: ServerResponse, answer: Answered): void {
  if (answer === 'drop') response.destroy();
  else if (answer === 'reset') response.socket?.resetAndDestroy();
  if (typeof answer === 'string' || response.destroyed || response.headersSent) return;
  const { status, headers = {}, body } = answer;
  for (const [name, value] of Object.entries({ ...everyAnswer, ...headers })) response.setHeader(name, value);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status);
  response.end(body);
}

const everyAnswer = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/** A refused request: thrown where it is found, answered as text, and the connection ends. */
export class HttpRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws HttpRefusal if the body is longer than `bytesMax` */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed on return: a body that is too long still gets a reply.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > bytesMax) throw new HttpRefusal(413, 'request_too_large');
    chunks.push(buffer);
  }
  return Buffer.concat(chunks);
}

/** @throws HttpRefusal for a request from a page of another site */
export function refuseOtherSites({ headers }: IncomingMessage): void {
  const isOwn = headers.origin === undefined || headers.origin === `http://${headers.host}`;
  if (!isOwn) throw new HttpRefusal(403, 'forbidden_origin');
}

/**
 * Parses the arguments of a call: form, JSON or multipart.
 * @returns undefined for a body that does not match its content type
 */
export async function parseFields(body: Buffer, contentType: string): Promise<JsonRecord | undefined> {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json') {
    const value = parseJson(body.toString('utf8'));
    return isRecord(value) ? value : undefined;
  }
  if (type === 'multipart/form-data') {
    const form = await readMultipart(body, contentType);
    return form && Object.fromEntries(form);
  }
  return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
}

/** @returns undefined for an invalid form */
export async function readMultipart(body: Buffer, contentType: string): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    return undefined;
  }
}

/** Refuses DNS rebinding: a page of another host name sends that name. */
export function isOwnHost(host: string | undefined, baseUrl: string): boolean {
  const { port } = new URL(baseUrl);
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`].some((own) => own === host?.toLowerCase());
}

/** @returns true for Slack's forms of true: `true`, `"true"`, `1` and `"1"` */
export function flagField(fields: JsonRecord, name: string): boolean {
  return [true, 'true', 1, '1'].some((yes) => fields[name] === yes);
}
