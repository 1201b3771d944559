/** Rich text elements. Rich text is literal, so it is used for all text from outside. */
import type { RichTextBlock, RichTextDate, RichTextElement, RichTextSection, RichTextText } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { outsideError, outsideLine } from '../format/outside-text.ts';
import { type DateFormat, dateFallback, dateFormats } from '../format/time.ts';

/** A sentence, or a part of one. */
export type Words = readonly RichTextElement[];

/** Length at which a value in a sentence is truncated. */
const valueUnitsMax = 300;

/** Text from the bot itself, unchanged. Text from outside goes through `plain`. */
export function trusted(text: string): RichTextText {
  return { type: 'text', text };
}

/** @param text one line from anywhere, at most `max` units of it shown */
export function plain(text: string, max = valueUnitsMax): RichTextText {
  return { type: 'text', text: outsideLine(text, max) };
}

/** An error; a long one keeps both ends, since the reason is at the end. */
export function errorEnds(text: string, max = valueUnitsMax): RichTextText {
  return trusted(outsideError(text, max));
}

export function bold(text: string, max = valueUnitsMax): RichTextText {
  return { ...plain(text, max), style: { bold: true } };
}

export function code(text: string, max = valueUnitsMax): RichTextText {
  return { ...plain(text, max), style: { code: true } };
}

/**
 * An address from outside. Only a plain https address becomes a link, with the address itself as its text: it
 * contains no user name or password, and nothing in it was masked. Every other address is text.
 */
export function address(url: string): RichTextElement {
  const parsed = URL.parse(url);
  const isPlain = parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '';
  const isWhole = isPlain && outsideLine(parsed.href, limits.button.urlUnitsMax) === parsed.href;
  return isWhole ? { type: 'link', url: parsed.href, text: outsideLine(parsed.href, valueUnitsMax) } : plain(url);
}

/** A mention of a user by id. Slack notifies the user in a message. */
export function user(userId: string): RichTextElement {
  return { type: 'user', user_id: userId };
}

/** A link to a channel by id. Slack hides the name from readers without access. */
export function channel(channelId: string): RichTextElement {
  return { type: 'channel', channel_id: channelId };
}

/** The first few, and how many more there are. */
export function several(elements: Words, max: number): Words {
  const shown = elements.slice(0, max).flatMap((element, index) => [...(index > 0 ? [trusted(', ')] : []), element]);
  const left = elements.length - max;
  return left > 0 ? [...shown, trusted(` and ${left} more`)] : shown;
}

const adminsMax = 5;

/** @param adminIds the admins of the bot whom it knows; every admin of the Slack workspace is one, too */
export function anAdmin(adminIds: readonly string[] = []): Words {
  const known = adminIds.length === 0 ? [] : rich` (${several(adminIds.map(user), adminsMax)})`;
  return rich`a workspace admin or bot admin${known}`;
}

/** @param name Slack's name of the emoji, without colons */
export function emoji(name: string): RichTextElement {
  return { type: 'emoji', name };
}

/** An instant in the reader's own time. @param at epoch milliseconds */
export function date(at: number, format: DateFormat = 'moment'): RichTextDate {
  const fallback = dateFallback(at, format);
  return { type: 'date', timestamp: Math.floor(at / 1000), format: dateFormats[format], fallback };
}

/** Template tag for a sentence with elements; empty text elements are dropped. The type refuses bare strings: wrap them in `trusted` or `plain`. */
export function rich(parts: TemplateStringsArray, ...values: readonly (number | RichTextElement | Words)[]): Words {
  return parts.flatMap((part, index) => {
    const value = values[index];
    const literal: Words = part === '' ? [] : [trusted(part)];
    return [...literal, ...asElements(value)];
  });
}

function asElements(value: number | RichTextElement | Words | undefined): Words {
  if (value === undefined) return [];
  if (typeof value === 'number') return [trusted(String(value))];
  if (!('type' in value)) return value;
  return value.type === 'text' && value.text === '' ? [] : [value];
}

function richSection(elements: Words): RichTextSection {
  return { type: 'rich_text_section', elements: [...elements] };
}

/** One paragraph. */
export function paragraph(elements: Words): RichTextBlock {
  return { type: 'rich_text', elements: [richSection(elements)] };
}

/** A heading line with a bulleted list under it. */
export function bulleted(heading: Words, items: readonly Words[]): RichTextBlock {
  return listed('bullet', heading, items);
}

/** As `bulleted`, but numbered from 1. */
export function numbered(heading: Words, items: readonly Words[]): RichTextBlock {
  return listed('ordered', heading, items);
}

function listed(style: 'bullet' | 'ordered', heading: Words, items: readonly Words[]): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [
      richSection(heading),
      { type: 'rich_text_list', style, elements: items.map((item) => richSection(item)) },
    ],
  };
}

/** Fixed-width lines under a heading. @param lines already clean and masked */
export function preformatted(heading: Words, lines: readonly string[]): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [richSection(heading), { type: 'rich_text_preformatted', elements: [trusted(lines.join('\n'))] }],
  };
}
