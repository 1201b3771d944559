/** Dates, rich text and addresses as the page draws them. */
import type { RichTextBlock, RichTextElement } from '@slack/types';
import { describe, expect, it } from 'vitest';
import type { Viewer } from '../../../src/local-slack/page/model/viewer.ts';
import { formatDate } from '../../../src/local-slack/page/text/date-format.ts';
import { drawRichText, emojiCharacter } from '../../../src/local-slack/page/text/rich-text.ts';
import { readPermalink, safeUrl } from '../../../src/local-slack/page/text/url.ts';
import { pageMarkup } from '../../support/slack/page-reading.ts';

const now = Date.parse('2026-11-20T10:04:05Z');
const user = { isAdmin: false, isBot: false, isExternal: false, guest: null, timeZone: 'Europe/Berlin' };
const viewer: Viewer = {
  userId: 'U1',
  users: new Map([['U2', { ...user, id: 'U2', name: 'ben', realName: 'Ben Carter' }]]),
  channels: new Map([
    ['C1', { id: 'C1', name: 'general', kind: 'public', memberIds: [], isArchived: false, isShared: false }],
  ]),
  origin: 'http://127.0.0.1:3000',
  openChannel: () => undefined,
  openMessage: () => undefined,
  timeZone: 'Europe/Berlin',
  now,
};

function show(format: string, at = now, timeZone = 'Europe/Berlin'): string | null {
  return formatDate({ timestamp: at / 1000, format }, { now, timeZone });
}

describe('date tokens', () => {
  it.each([
    ['{date_short}', 'Nov 20'],
    ['{date_short_pretty} at {time}', 'Today at 11:04 AM'],
    ['posted {date_short_pretty}', 'Posted today'],
    ['{time_secs}', '11:04:05 AM'],
  ])('writes %s as %s', (format, expected) => {
    expect(show(format)).toBe(expected);
  });

  it('writes the year of a day more than six months away', () => {
    expect(show('{date_short_pretty}', Date.parse('2014-02-18T14:39:42Z'))).toBe('Feb 18, 2014');
  });

  it('takes the day from the reader’s zone', () => {
    const late = Date.parse('2026-11-19T23:30:00Z');
    expect(show('{date_short_pretty}, {time}', late, 'Europe/Berlin')).toBe('Today, 12:30 AM');
    expect(show('{date_short_pretty}, {time}', late, 'America/New_York')).toBe('Yesterday, 6:30 PM');
    expect(show('{date_short_pretty}', now + 86_400_000)).toBe('Tomorrow');
  });

  it('writes the fallback for an invalid format, time or zone', () => {
    expect(show('{unknown}')).toBeNull();
    expect(show('no token')).toBeNull();
    expect(show('{date_short}', Number.NaN)).toBeNull();
    expect(show('{date_short}', 1e17)).toBeNull();
    expect(show('{date_short}', now, 'Mars/Olympus')).toBeNull();
  });
});

function draw(...elements: RichTextBlock['elements']): string {
  return pageMarkup([...drawRichText(elements, viewer)]);
}

function drawLeaf(...elements: RichTextElement[]): string {
  return draw({ type: 'rich_text_section', elements }).replace(/^<div>(.*)<\/div>$/s, '$1');
}

describe('rich text', () => {
  it('is literal: its texts have no markup', () => {
    const text = '*a* <@U2> &amp; <b> :fire: https://a.example';
    expect(drawLeaf({ type: 'text', text })).toBe(text);
  });

  it('draws every style, and several at once', () => {
    expect(drawLeaf({ type: 'text', text: 'x', style: { bold: true, italic: true, code: true } })).toBe(
      '<code><i><b>x</b></i></code>',
    );
    expect(drawLeaf({ type: 'text', text: 'x', style: { strike: true } })).toBe('<s>x</s>');
  });

  it('draws every leaf', () => {
    expect(drawLeaf({ type: 'link', url: 'https://a.example', text: 'a' })).toBe(
      '<a href="https://a.example/" target="_blank" rel="noopener noreferrer">a</a>',
    );
    expect(drawLeaf({ type: 'user', user_id: 'U2' })).toBe('<span>@Ben Carter</span>');
    expect(drawLeaf({ type: 'channel', channel_id: 'C1' })).toBe('<button>#general</button>');
    expect(drawLeaf({ type: 'channel', channel_id: 'C9' })).toBe('<span>#private channel</span>');
    expect(drawLeaf({ type: 'broadcast', range: 'here' })).toBe('[broadcast]');
    expect(drawLeaf({ type: 'emoji', name: 'warning' })).toBe('<span>⚠️</span>');
    expect(drawLeaf({ type: 'emoji', name: 'our_logo' })).toBe(':our_logo:');
    expect(drawLeaf({ type: 'color', value: '#ff0000' })).toBe('[color]');
    expect(drawLeaf({ type: 'date', timestamp: now / 1000, format: '{time}' })).toBe('<time>11:04 AM</time>');
    expect(drawLeaf({ type: 'date', timestamp: 0, format: '{x}', fallback: 'then' })).toBe('then');
  });

  it('draws lists, quotes and code', () => {
    const section = { type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text: 'a' }] };
    expect(draw({ type: 'rich_text_list', style: 'bullet', elements: [section, section] })).toBe(
      '<ul><li>a</li><li>a</li></ul>',
    );
    expect(draw({ type: 'rich_text_list', style: 'ordered', indent: 2, elements: [section] })).toBe(
      '<ol><li>a</li></ol>',
    );
    expect(draw({ ...section, type: 'rich_text_quote' })).toBe('<blockquote><div>a</div></blockquote>');
    expect(draw({ type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a\n b' }] })).toBe(
      '<pre>a\n b</pre>',
    );
  });

  it('draws a link of another scheme as its text', () => {
    expect(drawLeaf({ type: 'link', url: 'javascript:alert(1)', text: 'click' })).toBe('click');
  });
});

describe('addresses', () => {
  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://a.example/x',
    'slack://open',
    '/relative',
    'https://',
    '',
  ])('refuses %j', (address) => {
    expect(safeUrl(address)).toBeNull();
  });

  it.each(['http://a.example/', 'https://a.example/x?y#z', 'mailto:a@b.example'])('accepts %s', (address) => {
    expect(safeUrl(address)).toBe(address);
  });
});

it('knows a message’s address on the page, and no other', () => {
  const { origin } = viewer;
  expect(readPermalink(`${origin}/archives/C1/p1700000000000100?thread_ts=1700000000.000000&cid=C1`, origin)).toEqual({
    channel: 'C1',
    ts: '1700000000.000100',
    threadTs: '1700000000.000000',
  });
  expect(readPermalink(`${origin}/archives/C1/p1700000000000100`, origin)).toMatchObject({ threadTs: null });
  expect(readPermalink('https://acme.slack.com/archives/C1/p1700000000000100', origin)).toBeNull();
  expect(readPermalink(`${origin}/archives/C1`, origin)).toBeNull();
});

it('knows the emoji that the bot writes, and returns none for unknown names', () => {
  const written = [
    'warning',
    'information_source',
    'mag',
    'large_blue_circle',
    'white_circle',
    'white_check_mark',
    'x',
  ];
  expect(written.map(emojiCharacter)).not.toContain(undefined);
  expect(['', 'constructor', '__proto__', 'our_logo'].map(emojiCharacter)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
