/** Slack's mrkdwn, for fields that accept nothing else: a message's top-level `text` and a section's fields. */
import { outsideLine } from './outside-text.ts';

/** Text that is already mrkdwn, such as a date token. */
export type Markup = { readonly mrkdwn: string };

/** Length of an outside value in a sentence; longer texts have their own blocks. */
const valueUnitsMax = 300;

/**
 * Template tag for mrkdwn: every string value is escaped; `Markup` values stay unchanged.
 * @example say`${name} failed ${count} times since ${dateToken(at)}`
 */
export function markup(literals: TemplateStringsArray, ...values: readonly (string | number | Markup)[]): Markup {
  const filled = literals.map((literal, index) => literal + (index < values.length ? inert(values[index] ?? '') : ''));
  return { mrkdwn: filled.join('') };
}

/** Escapes Slack's control characters: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export function escapeEntities(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param line one line that is already clean and masked; spaces are preserved */
export function literalLine(line: string): Markup {
  return { mrkdwn: escapeEntities(withoutFormatting(line)) };
}

function inert(value: string | number | Markup): string {
  if (typeof value === 'object') return value.mrkdwn;
  if (typeof value === 'number') return String(value);
  return literalLine(outsideLine(value, valueUnitsMax)).mrkdwn;
}

/** mrkdwn has no escape for these, so look-alikes replace them at the edge of a word, where they would format. */
const lookAlikes: Readonly<Record<string, string>> = { '*': '∗', _: '＿', '~': '∼', '`': 'ˋ' };

/** Two digits between colons are a time of day, not an emoji. */
function withoutFormatting(text: string): string {
  if (!/[*_~`:]|^>/.test(text)) return text;
  return text
    .replace(/(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/gu, (mark) => lookAlikes[mark] ?? mark)
    .replace(/:(?!\d\d:)(?=[a-z0-9_+'-]+:)/gi, '∶')
    .replace(/^>/, '›');
}
