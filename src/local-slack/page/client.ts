/** The page's HTTP client: requests to its server and the event stream. */
import type { PageEvent, PageRequests, PageResult, PageSuggestions } from './protocol.ts';

/** Names this browser window to the server. */
export const windowId: string = crypto.randomUUID();

type Answer<Name> = Name extends 'suggest' ? PageSuggestions : PageResult;
type Refused = PageResult & { readonly ok: false };

/** Resolves after the app has taken the request. Never throws: an unreachable server becomes an error result. */
export async function post<Name extends keyof PageRequests>(
  name: Name,
  body: PageRequests[Name],
): Promise<Answer<Name> | Refused> {
  try {
    const headers = { 'Content-Type': 'application/json', 'X-Window': windowId };
    const response = await fetch(`/page/${name}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.headers.get('content-type')?.includes('json')) {
      return { ok: false, error: `The local Slack answered ${response.status}.` };
    }
    return (await response.json()) as Answer<Name>;
  } catch {
    return { ok: false, error: 'The local Slack did not answer. Is it still running?' };
  }
}

type Listeners = {
  readonly onEvents: (events: readonly PageEvent[]) => void;
  readonly onLost: () => void;
};

const retryMs = 2000;

/** One frame: events that arrive within it are drawn together. */
const gatherMs = 16;

/** The server's position in its events; empty before the first. */
let position = '';

/** @param wanted team, user and channel; empty for the server's default @returns the function that stops it */
export function listen(wanted: Readonly<Record<string, string>>, { onEvents, onLost }: Listeners): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let received: PageEvent[] = [];
  const deliver = () => {
    onEvents(received);
    received = [];
  };
  const open = () => {
    source = new EventSource(`/page/events?${new URLSearchParams({ ...wanted, since: position })}`);
    source.addEventListener('message', ({ data, lastEventId }) => {
      position = lastEventId;
      if (received.length === 0) setTimeout(deliver, gatherMs);
      received.push(JSON.parse(String(data)) as PageEvent);
    });
    source.addEventListener('error', () => {
      onLost();
      // A browser reconnects by itself unless the reply was an error.
      if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs);
    });
  };
  open();
  return () => {
    clearTimeout(retry);
    received = [];
    source?.close();
  };
}
