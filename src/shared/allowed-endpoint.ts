/** Parses URLs from outside so strictly that every parser agrees on their destination, and allows only listed endpoints. */
import { isIP } from 'node:net';
import { AppError } from './errors.ts';

/** One entry of the configured list. */
export type AllowedOrigin = {
  /** Only its origin counts, for example `https://api.example.com:8443`. */
  readonly url: URL;
  /** True if the origin may be in a private network; its addresses are then not checked. */
  readonly isPrivate: boolean;
};

/** Marks an https origin whose name leads into a private network. */
const privateMark = 'private:';
const localName = /^localhost$|\.(localhost|local|internal|lan|home\.arpa|svc)$|^[^.]+$/;

/**
 * Reads one entry of the list. Entries with `http:`, an address or a local name are taken as written. An `https:` name
 * with dots must lead to public addresses, unless `private:` precedes it.
 * @param entry an origin or a URL
 * @returns undefined if the entry is neither
 */
export function readOrigin(entry: string): AllowedOrigin | undefined {
  const isMarked = entry.startsWith(privateMark);
  const url = readEndpoint(isMarked ? entry.slice(privateMark.length) : entry);
  if (url === undefined) return undefined;
  const isLocal = isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0 || localName.test(url.hostname);
  return { url, isPrivate: isMarked || isLocal || url.protocol === 'http:' };
}

/** @throws AppError `usage` for an entry that is not an origin */
export function readOrigins(entries: readonly string[]): readonly AllowedOrigin[] {
  return entries.map((entry) => {
    const origin = readOrigin(entry);
    if (origin === undefined)
      throw new AppError('usage', 'An origin of the query service must be an http or https address.');
    return origin;
  });
}

/** @throws AppError `forbidden` for any other endpoint, for text that is not a URL, or for a URL with a query */
export function allowedEndpoint(endpoint: string, origins: readonly AllowedOrigin[]): URL {
  const url = readEndpoint(endpoint);
  if (url && origins.some((allowed) => allowed.url.origin === url.origin)) return url;
  throw new AppError('forbidden', 'This workspace’s query service is not on the bot’s list of allowed services.', {
    hint: 'A workspace admin or bot admin can press Connect and enter a key for an allowed service.',
  });
}

/** Refuses a query, which could contain more than an address. */
function readEndpoint(text: string): URL | undefined {
  return text.includes('?') ? undefined : parseStrictUrl(text, ['https:', 'http:']);
}

const urlUnitsMax = 2_000;
/** A scheme, `//`, a host and optionally a port, followed by a path, a query or the end. */
const plain = /^([a-z]+:)\/\/([^/?:[]+|\[[^\]]*\])(?::\d+)?(?:[/?].*)?$/;
/** User info, backslashes and fragments; encoded slashes, backslashes, dots, percent signs and control characters. */
const ambiguous = /[^\x21-\x7e]|[@\\#]|%(?:2[5ef]|5c|[01]|7f)/i;
const dotSegment = /\/\.{1,2}(?:[/?]|$)/;

/**
 * @param protocols such as `https:`
 * @returns the URL, whose whole origin the caller compares; undefined for any other text, for a URL with a user name,
 *   or for a host or path that parsers repair
 */
export function parseStrictUrl(text: string, protocols: readonly string[]): URL | undefined {
  if (text.length > urlUnitsMax || ambiguous.test(text) || dotSegment.test(text)) return undefined;
  const [, protocol, hostname] = plain.exec(text.toLowerCase()) ?? [];
  const url = URL.parse(text);
  if (url === null || hostname !== url.hostname || hostname.endsWith('.')) return undefined;
  return protocol === url.protocol && protocols.includes(protocol) ? url : undefined;
}
