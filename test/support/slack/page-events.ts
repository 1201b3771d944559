/** The event stream of the page, read one event at a time. */
import { onTestFinished } from 'vitest';

/** @param wanted team, user and channel @returns the next event at each call */
export async function pageEvents(url: string, wanted: Readonly<Record<string, string>> = {}) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const response = await fetch(`${url}/page/events?${new URLSearchParams(wanted)}`, { signal: stopping.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  return async () => {
    while (!unread.includes('\n\n')) unread += (await reader?.read())?.value ?? '';
    const [event = '', ...rest] = unread.split('\n\n');
    unread = rest.join('\n\n');
    return JSON.parse(event.replace(/^data: /, ''));
  };
}
