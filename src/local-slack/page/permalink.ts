/** Addresses of messages, as `chat.getPermalink` of the local Slack gives them: the page opens them in itself. */

export type MessageAddress = {
  readonly channel: string;
  readonly ts: string;
  /** The thread it stands in. */
  readonly threadTs: string | null;
};

const path = /^\/archives\/([A-Z0-9]+)\/p(\d{6,})(\d{6})$/;

/** @param origin of the page @returns null for an address of anything else */
export function readPermalink(address: string, origin: string): MessageAddress | null {
  const url = URL.parse(address, origin);
  if (!url || url.origin !== origin) return null;
  const [, channel, seconds, micros] = path.exec(url.pathname) ?? [];
  if (channel === undefined || seconds === undefined || micros === undefined) return null;
  return { channel, ts: `${seconds}.${micros}`, threadTs: url.searchParams.get('thread_ts') };
}
