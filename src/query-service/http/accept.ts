/** Which of GraphQL's two media types a client wants its answer in. */

/** The newer one says with the HTTP status whether a document ran; the older one says 200 to every well-formed request. */
export type MediaType = 'application/graphql-response+json' | 'application/json';

/** @param accept the Accept header @returns what the client prefers of the two; the older where it names neither */
export function mediaTypeFor(accept: string | undefined): MediaType {
  const wanted = (accept ?? '').split(',').flatMap(wantedType);
  wanted.sort((a, b) => b.quality - a.quality);
  return wanted[0]?.mediaType ?? 'application/json';
}

function wantedType(part: string): { mediaType: MediaType; quality: number }[] {
  const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
  const quality = Number(parameters.find((word) => word.startsWith('q='))?.slice(2) ?? 1);
  if (!(quality > 0)) return [];
  if (name === 'application/graphql-response+json') return [{ mediaType: name, quality }];
  const isOlder = name === 'application/json' || name === 'application/*' || name === '*/*';
  return isOlder ? [{ mediaType: 'application/json', quality }] : [];
}

/** @returns whether a body of this Content-Type is JSON in UTF-8 */
export function isJsonType(contentType: string | undefined): boolean {
  const [name, ...parameters] = (contentType ?? '').split(';').map((word) => word.trim().toLowerCase());
  const charset = parameters
    .find((word) => word.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  return name === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
}
