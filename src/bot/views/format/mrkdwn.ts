/** Slack's mrkdwn, for places that take nothing else: a message's top-level `text` and a section's fields. */
import { outsideLine } from './outside-text.ts';

/** Text that is already mrkdwn: made by this module, a date token for instance. */
export type Markup = { readonly mrkdwn: string };

/** One outside value in a sentence is cut here; longer texts have their own blocks. */
const valueUnitsMax = 300;

/**
 * Template tag for mrkdwn: every string value is escaped; `Markup` values stay unchanged.
 * @example say`${name} failed ${count} times since ${dateToken(at)}`
 */
export function markup(literals: TemplateStringsArray, ...values: readonly (string | number | Markup)[]): Markup {
  const filled = literals.map((literal, index) => literal + (index < values.length ? inert(values[index] ?? '') : ''));
  return { mrkdwn: filled.join('') };
}

/** Escapes what Slack's grammar reads as markup: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export function escapeEntities(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param line one line that is clean and masked already; its spaces stay */
export function literalLine(line: string): Markup {
  return { mrkdwn: escapeEntities(withoutFormatting(line)) };
}

function inert(value: string | number | Markup): string {
  if (typeof value === 'object') return value.mrkdwn;
  if (typeof value === 'number') return String(value);
  return literalLine(outsideLine(value, valueUnitsMax)).mrkdwn;
}

/** mrkdwn has no escape for these, so look-alikes replace them where they would format: at the edge of a word. */
const lookAlikes: Readonly<Record<string, string>> = { '*': '∗', _: '＿', '~': '∼', '`': 'ˋ' };

/** Two digits between colons are a time of day, and no emoji. */
function withoutFormatting(text: string): string {
  if (!/[*_~`:]|^>/.test(text)) return text;
  return text
    .replace(/(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/gu, (mark) => lookAlikes[mark] ?? mark)
    .replace(/:(?!\d\d:)(?=[a-z0-9_+'-]+:)/gi, '∶')
    .replace(/^>/, '›');
}
