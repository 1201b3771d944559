/** What stands between `<` and `>` in mrkdwn: links, mentions, dates. */
import { type Inline, textNode } from './inline.ts';
import { safeUrl } from './safe-url.ts';

const angled = /<([^<>\n]+)>/g;
const dateCommand = /^!date\^(-?\d{1,12})\^([^^]*)(?:\^(.*))?$/;

/** Only `&amp;`, `&lt;` and `&gt;` are Slack's; each is decoded once. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '');
}

/** Text in which nothing but the tokens is read: code. */
export function parseTokens(source: string): readonly Inline[] {
  const nodes: Inline[] = [];
  let end = 0;
  for (const match of source.matchAll(angled)) {
    nodes.push(...literal(source.slice(end, match.index)), parseToken(match[1] ?? ''));
    end = match.index + match[0].length;
  }
  return [...nodes, ...literal(source.slice(end))];
}

function literal(text: string): readonly Inline[] {
  return text === '' ? [] : [textNode(decodeEntities(text))];
}

/** @param inner without the angle brackets; what is none of Slack's forms is given back as text, brackets and all */
export function parseToken(inner: string): Inline {
  const bar = inner.indexOf('|');
  const head = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : decodeEntities(inner.slice(bar + 1));
  const found = mention(head, label) ?? command(head, label) ?? link(head, label);
  return found ?? textNode(`<${decodeEntities(inner)}>`);
}

function mention(head: string, label: string): Inline | null {
  const [, sign, id = ''] = /^([@#])([A-Z0-9]{2,})$/.exec(head) ?? [];
  if (sign === undefined) return null;
  return { kind: sign === '@' ? 'user' : 'channel', id, label };
}

function command(head: string, label: string): Inline | null {
  if (!head.startsWith('!')) return null;
  const [, range] = /^!(here|channel|everyone)$/.exec(head) ?? [];
  if (range !== undefined) return { kind: 'broadcast', range };
  const [, id] = /^!subteam\^([A-Z0-9]+)$/.exec(head) ?? [];
  if (id !== undefined) return { kind: 'usergroup', id, label };
  return date(head, label) ?? (label === '' ? null : textNode(label));
}

function date(head: string, label: string): Inline | null {
  const [, timestamp, format, url] = dateCommand.exec(head) ?? [];
  if (timestamp === undefined || format === undefined) return null;
  const address = url === undefined ? null : safeUrl(decodeEntities(url));
  const token = { timestamp: Number(timestamp), format: decodeEntities(format), url: address, fallback: label };
  return { kind: 'date', date: token };
}

function link(head: string, label: string): Inline | null {
  const decoded = decodeEntities(head);
  const url = safeUrl(decoded);
  if (url === null) return null;
  const text = label === '' ? decoded.replace(/^mailto:/, '') : label;
  return { kind: 'link', url, children: [textNode(text)] };
}
