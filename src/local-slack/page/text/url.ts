/** Checks every address of a message before it becomes an attribute of the page, and recognises permalinks. */
const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop these from a scheme, so `java\tscript:` must not pass
const invisible = /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** @returns the address as a browser reads it; null unless its scheme is http, https or mailto */
export function safeUrl(address: string): string | null {
  const trimmed = address.trim();
  if (invisible.test(trimmed)) return null;
  const url = URL.parse(trimmed);
  return url && schemes.has(url.protocol) ? url.href : null;
}

export type MessageAddress = {
  readonly channel: string;
  readonly ts: string;
  /** The thread of the message. */
  readonly threadTs: string | null;
};

const path = /^\/archives\/([A-Z0-9]+)\/p(\d{6,})(\d{6})$/;

/** @param origin of the page @returns null for any other address */
export function readPermalink(address: string, origin: string): MessageAddress | null {
  const url = URL.parse(address, origin);
  if (!url || url.origin !== origin) return null;
  const [, channel, seconds, micros] = path.exec(url.pathname) ?? [];
  if (channel === undefined || seconds === undefined || micros === undefined) return null;
  return { channel, ts: `${seconds}.${micros}`, threadTs: url.searchParams.get('thread_ts') };
}
