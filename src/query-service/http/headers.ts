/** Request headers that the service reads: Accept, Authorization, Content-Type and X-Request-Id. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The media types of GraphQL over HTTP. With `application/graphql-response+json` the status shows whether a document ran; with `application/json` it is always 200. */
export type MediaType = 'application/graphql-response+json' | 'application/json';

/** @param accept the Accept header @returns the type that the client prefers; `application/json` if it names neither */
export function mediaTypeFor(accept: string | undefined): MediaType {
  if (accept === undefined) return 'application/json';
  const wanted = accept.split(',').flatMap(wantedType);
  wanted.sort((a, b) => b.quality - a.quality);
  return wanted[0]?.mediaType ?? 'application/json';
}

function wantedType(range: string): { mediaType: MediaType; quality: number }[] {
  const [name = '', ...parameters] = range.split(';').map((word) => word.trim().toLowerCase());
  const quality = Number(parameters.find((word) => word.startsWith('q='))?.slice(2) ?? 1);
  if (!(quality > 0)) return [];
  if (name === 'application/graphql-response+json') return [{ mediaType: name, quality }];
  const isOlder = name === 'application/json' || name === 'application/*' || name === '*/*';
  return isOlder ? [{ mediaType: 'application/json', quality }] : [];
}

/** @returns true if a body of this Content-Type is JSON in UTF-8 */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [name, ...parameters] = (contentType ?? '').split(';').map((word) => word.trim().toLowerCase());
  const charset = parameters
    .find((word) => word.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  return name === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
}

/** Accepts what proxies and tracing send, but nothing that a terminal or a browser would interpret. */
const safeRequestId = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,63}$/;

export const requestIdHeader = 'x-request-id';

/** @returns the caller's id if it is safe to log, otherwise a new one; the reply contains it too */
export function requestIdOf({ headers }: IncomingMessage): string {
  // Several are joined by a comma, which no safe id has.
  const given = headers[requestIdHeader];
  return typeof given === 'string' && safeRequestId.test(given) ? given : randomUUID();
}

/** @returns the Authorization header; undefined if there is none, or several, of which `headers` has only the first */
export function authorizationOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) count += Number(isAuthorization(rawHeaders[index]));
  return count === 1 ? headers.authorization : undefined;
}

const authorizationHeader = 'authorization';

function isAuthorization(name = ''): boolean {
  return name.length === authorizationHeader.length && name.toLowerCase() === authorizationHeader;
}
