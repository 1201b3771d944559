/** Parses URLs from outside strictly enough that every parser agrees where they lead. */

const urlUnitsMax = 2_000;
/** A scheme, `//`, a host, perhaps a port, before a path, a query or the end. */
const plain = /^([a-z]+:)\/\/([^/?:[]+|\[[^\]]*\])(?::\d+)?(?:[/?].*)?$/;
/** User info, backslashes and fragments; encoded slashes, backslashes, dots, percent signs and control characters. */
const ambiguous = /[^\x21-\x7e]|[@\\#]|%(?:2[5ef]|5c|[01]|7f)/i;
const dotSegment = /\/\.{1,2}(?:[/?]|$)/;

/**
 * @param protocols such as `https:`
 * @returns the URL, to be compared by its whole origin; undefined for text that is no such URL, that carries a user name,
 *   or whose host or path is written in a way that parsers repair
 */
export function parseStrictUrl(text: string, protocols: readonly string[]): URL | undefined {
  if (text.length > urlUnitsMax || ambiguous.test(text) || dotSegment.test(text)) return undefined;
  const [, protocol, hostname] = plain.exec(text.toLowerCase()) ?? [];
  const url = URL.parse(text);
  if (url === null || hostname !== url.hostname || hostname.endsWith('.')) return undefined;
  return protocol === url.protocol && protocols.includes(protocol) ? url : undefined;
}
