/** The page read without a browser: its stream of events, and its markup as one string to compare. */
import type { ComponentChildren, VNode } from 'preact';
import { onTestFinished } from 'vitest';

/** @param wanted team, user, channel and since @returns the next event at each call, and `position`, the id of the last one */
export async function pageEvents(url: string, wanted: Readonly<Record<string, string>> = {}) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const response = await fetch(`${url}/page/events?${new URLSearchParams(wanted)}`, { signal: stopping.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let [unread, position] = ['', ''];
  const next = async () => {
    while (!unread.includes('\n\n')) unread += (await reader?.read())?.value ?? '';
    const [event = '', ...rest] = unread.split('\n\n');
    unread = rest.join('\n\n');
    const [id = '', data = ''] = event.split('\ndata: ');
    position = id.replace('id: ', '');
    return JSON.parse(data);
  };
  return Object.assign(next, { position: () => position });
}

/** Only for nodes without components. @returns markup with the attributes a reader or a browser acts on */
export function pageMarkup(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map(pageMarkup).join('');
  if (children === null || children === undefined || typeof children === 'boolean') return '';
  if (typeof children !== 'object') return String(children);
  const { type, props } = children as VNode<Readonly<Record<string, unknown>>>;
  const shown = ['href', 'target', 'rel', 'src'].filter((name) => props[name] !== undefined);
  const attributes = shown.map((name) => ` ${name}="${String(props[name])}"`).join('');
  return `<${String(type)}${attributes}>${pageMarkup(props.children)}</${String(type)}>`;
}
