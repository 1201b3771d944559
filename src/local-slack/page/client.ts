/** The page's HTTP client: requests to its server and the event stream. */
import type {
  PageAction,
  PageClose,
  PageDeletion,
  PageDetails,
  PageEvent,
  PageHome,
  PageMessage,
  PageQuery,
  PageResult,
  PageSend,
  PageShortcut,
  PageState,
  PageSubmit,
  PageSuggestions,
  PageSwitching,
  PageUnarchive,
  PageUninstall,
} from './protocol.ts';

/** @param team empty for the workspace of the channel @throws Error for an error status */
export async function loadState(team: string, channel: string): Promise<PageState> {
  return (await getJson(`/page/state?${new URLSearchParams({ team, channel })}`)) as PageState;
}

/** Resolves after the app has received the events. */
export function uninstall(team: string): Promise<PageResult> {
  return post('/page/uninstall', { team });
}

/** Resolves after the workspace was added; a state event follows. */
export function addWorkspace(): Promise<PageResult> {
  return post('/page/workspace', {});
}

/** Resolves after an organization with two workspaces was added; a state event follows. */
export function addOrganization(): Promise<PageResult> {
  return post('/page/organization', {});
}

/** Resolves after the switch was set; a state event follows. */
export function setSwitch(body: PageSwitching): Promise<PageResult> {
  return post('/page/switch', body);
}

/** Resolves after the app has received the event. */
export function addToWorkspace(team: string): Promise<PageResult> {
  return post('/page/access', { team });
}

/** @returns the visible messages of a channel, oldest first */
export async function loadMessages(user: string, channel: string): Promise<readonly PageMessage[]> {
  const query = new URLSearchParams({ user, channel });
  return (await getJson(`/page/messages?${query}`)) as readonly PageMessage[];
}

export function send(body: PageSend): Promise<PageResult> {
  return post('/page/send', body);
}

export function act(body: PageAction): Promise<PageResult> {
  return post('/page/action', body);
}

export function pickShortcut(body: PageShortcut): Promise<PageResult> {
  return post('/page/shortcut', body);
}

export function deleteMessage(body: PageDeletion): Promise<PageResult> {
  return post('/page/delete', body);
}

export function openLinkDetails(body: PageDetails): Promise<PageResult> {
  return post('/page/details', body);
}

export function submitView(body: PageSubmit): Promise<PageResult> {
  return post('/page/submit', body);
}

export function openHome(body: PageHome): Promise<PageResult> {
  return post('/page/home', body);
}

export function closeView(body: PageClose): Promise<PageResult> {
  return post('/page/close', body);
}

export function unarchive(body: PageUnarchive): Promise<PageResult> {
  return post('/page/unarchive', body);
}

export function suggest(body: PageQuery): Promise<PageSuggestions> {
  return post('/page/suggest', body);
}

type Listeners = {
  readonly onEvents: (events: readonly PageEvent[]) => void;
  readonly onStream: (now: 'open' | 'lost') => void;
};

const retryMs = 2000;

/** One frame: events that arrive within it are drawn together. */
const gatherMs = 16;

/** Subscribes to one person's events. @returns the function that stops it */
export function listen(user: string, { onEvents, onStream }: Listeners): () => void {
  let source: EventSource | null = null;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let received: PageEvent[] = [];
  const deliver = () => {
    onEvents(received);
    received = [];
  };
  const open = () => {
    source = new EventSource(`/page/events?${new URLSearchParams({ user })}`);
    source.addEventListener('open', () => onStream('open'));
    source.addEventListener('message', ({ data }) => {
      if (received.length === 0) setTimeout(deliver, gatherMs);
      received.push(JSON.parse(String(data)) as PageEvent);
    });
    source.addEventListener('error', () => {
      onStream('lost');
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

async function getJson(path: string): Promise<unknown> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The local Slack answered ${response.status}.`);
  return response.json();
}

type Body =
  | PageSend
  | PageAction
  | PageShortcut
  | PageQuery
  | PageSubmit
  | PageClose
  | PageDeletion
  | PageHome
  | PageUnarchive
  | PageSwitching
  | PageUninstall
  | Readonly<Record<string, never>>;
type Refused = { readonly ok: false; readonly error: string };

/** Never throws: an unreachable server becomes an error result. */
async function post<Answer extends PageResult>(path: string, body: Body): Promise<Answer | Refused> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.headers.get('content-type')?.includes('json')) {
      return { ok: false, error: `The local Slack answered ${response.status}.` };
    }
    return (await response.json()) as Answer;
  } catch {
    return { ok: false, error: 'The local Slack did not answer. Is it still running?' };
  }
}
