/** Placeholders: one private character for each kind of variable while a text is read, and its name in titles. */

export const placeholder = {
  number: '\ue010',
  address: '\ue011',
  hash: '\ue012',
  id: '\ue013',
  time: '\ue014',
  value: '\ue015',
  host: '\ue016',
  data: '\ue017',
  email: '\ue018',
} as const;

type Kind = keyof typeof placeholder;

const kinds = Object.keys(placeholder) as readonly Kind[];
const written = new RegExp(`<(${kinds.join('|')})>`, 'g');

/** Any placeholder, also the unnamed one of a text that was cut. */
export const anyPlaceholder = /[…\ue010-\ue018]/;

/** @returns true for a placeholder, also the unnamed one of a text that was cut */
export function isPlaceholder(text: string): boolean {
  return text.length === 1 && /[…\ue010-\ue018]/.test(text);
}

/** Around a name that was quoted: a column, a secret, a method. It is compared and shown as it is; its first unit is the quote. */
export const nameOpening = '\ue001';
const nameEnd = '\ue002';

/** @param quote of the text; a quote of another script is shown as a double one */
export function markedName(name: string, quote = '"'): string {
  return `${nameOpening}${"'`".includes(quote) ? quote : '"'}${name}${nameEnd}`;
}

/** Follows the name of a capability: `http-actions@1.0.0`. */
export const capabilityMark = '\ue004';

/** Removes private characters of the text itself, and reads `<number>` as the placeholder that it is. */
export function withPlaceholders(text: string): string {
  const plain = /[\ue000-\ue01f]/.test(text) ? text.replace(/[\ue000-\ue01f]/g, ' ') : text;
  return plain.includes('<') ? plain.replace(written, (_all, kind: Kind) => placeholder[kind]) : plain;
}

/** @returns the text as people read it: `payout <id> refused by "bank-a"` */
export function namedPlaceholders(text: string): string {
  return text
    .replace(/\ue001(.)([^\ue001\ue002]{0,200})\ue002/g, '$1$2$1')
    .replace(/[\ue010-\ue018]/g, (mark) => `<${kinds[mark.charCodeAt(0) - 0xe010] ?? 'value'}>`);
}

/** @param title with named placeholders @returns the title with `…` for each of them */
export function withoutPlaceholders(title: string): string {
  return title.replace(written, '…');
}
