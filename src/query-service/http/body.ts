/** Reads a request body with a size limit, and parses it as a GraphQL request over HTTP. */
import type { IncomingMessage } from 'node:http';
import { isRecord, type JsonRecord, parseJson } from '../../shared/json.ts';
import type { DocumentRequest } from '../graphql/documents.ts';
import { bodyLengthMax, type HttpRefusal, httpRefusals } from './reply.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Uses events: leaving an async loop would close the connection before the reply.
 * @returns the text of the body, or the refusal
 * @throws Error if the connection breaks before the end
 */
export function readBody(request: IncomingMessage): Promise<string | HttpRefusal> {
  return new Promise((resolve, reject) => {
    // A client that disconnected during authentication sends no further event.
    if (request.destroyed) return reject(new Error('The sender left before the body was read.'));
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyLengthMax) {
        chunks.push(chunk);
        return;
      }
      // Drops a refused body; the request handler reads and discards the rest.
      chunks.length = 0;
      request.off('data', take);
      resolve(httpRefusals.tooLong);
    };
    request.on('data', take);
    request.on('end', () => resolve(textOf(chunks)));
    request.on('error', reject);
  });
}

function textOf(chunks: readonly Buffer[]): string | HttpRefusal {
  const [only, ...others] = chunks;
  try {
    return utf8.decode(only && others.length === 0 ? only : Buffer.concat(chunks));
  } catch {
    return httpRefusals.badJson;
  }
}

/** Parses a body. Null members count as missing. @returns the request, or the refusal */
export function parseBody(text: string): DocumentRequest | HttpRefusal {
  const body = parseJson(text);
  if (body === undefined) return httpRefusals.badJson;
  if (!isRecord(body)) return httpRefusals.badShape;
  const { query, variables, operationName, extensions } = body;
  if (typeof query !== 'string' || !isOptionalObject(variables) || !isOptionalObject(extensions)) {
    return httpRefusals.badShape;
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    return httpRefusals.badShape;
  }
  return { query, variables: variables ?? {}, operationName: operationName ?? null };
}

function isOptionalObject(value: unknown): value is JsonRecord | null | undefined {
  return value === undefined || value === null || isRecord(value);
}
