/** Reads a request's body: bounded while it arrives, then JSON of the shape that GraphQL over HTTP asks for. */
import type { IncomingMessage } from 'node:http';
import type { DocumentRequest } from '../graphql/documents.ts';
import { bodyLengthMax, type HttpRefusal, httpRefusals } from './reply.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @returns the body's text, or why it is not read @throws Error when the connection breaks before its end */
export async function readBody(request: IncomingMessage): Promise<string | HttpRefusal> {
  const bytes = await readBytes(request);
  if (bytes === null) return httpRefusals.tooLong;
  try {
    return utf8.decode(bytes);
  } catch {
    return httpRefusals.badJson;
  }
}

/** By events: leaving a loop over the request would close the connection before it was answered. @returns null for too many */
function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  // Whoever left while their key was looked up sends nothing more, not even that they left.
  if (request.destroyed) return Promise.reject(new Error('The sender left before the body was read.'));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>();
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length <= bodyLengthMax) {
      chunks.push(chunk);
      return;
    }
    // What is refused is not kept; the rest is read, and thrown away, by whoever answers.
    chunks.length = 0;
    request.off('data', take);
    resolve(null);
  };
  request.on('data', take);
  request.once('end', () => resolve(Buffer.concat(chunks)));
  request.once('error', reject);
  return promise;
}

/** @returns the request, or why it is none; members that are null are as good as missing */
export function parseBody(text: string): DocumentRequest | HttpRefusal {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return httpRefusals.badJson;
  }
  if (!isObject(body)) return httpRefusals.badShape;
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== 'string' || !isOptionalObject(variables) || !isOptionalObject(extensions)) {
    return httpRefusals.badShape;
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    return httpRefusals.badShape;
  }
  return { query, variables: variables ?? {}, operationName: operationName ?? null };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOptionalObject(value: unknown): value is Record<string, unknown> | null | undefined {
  return value === undefined || value === null || isObject(value);
}
