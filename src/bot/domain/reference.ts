/** Parses references to a workflow or an execution: a name, a uuid, 64 hexadecimal characters, the beginning of one, or a link with one. */

export type Reference =
  | { readonly kind: 'uuid'; readonly uuid: string }
  /** An id of 64 digits or the beginning of an id, lower case, without `0x`; or a name that looks so: `text` as typed. */
  | { readonly kind: 'short'; readonly prefix: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const hashPattern = /(?<![0-9a-f])(?:0x)?([0-9a-f]{64})(?![0-9a-f])/i;
const shortPattern = /^(?:(?:0x)?([0-9a-f]{8,64})|([0-9a-f]{8}-[0-9a-f-]{0,26}))$/i;

/**
 * @param pasted what was typed, without surrounding white space
 * @returns the id in it: alone, or anywhere in a link; any other text is a name
 */
export function parseReference(pasted: string): Reference {
  const isLink = /^<?https?:\/\//i.test(pasted);
  const uuid = uuidPattern.exec(pasted)?.[0];
  if (uuid !== undefined && (isLink || uuid.length === pasted.length))
    return { kind: 'uuid', uuid: uuid.toLowerCase() };
  const [, short, shortUuid] = shortPattern.exec(pasted) ?? [];
  const prefix = (isLink ? hashPattern.exec(pasted)?.[1] : short) ?? shortUuid;
  return prefix === undefined
    ? { kind: 'text', text: pasted }
    : { kind: 'short', prefix: prefix.toLowerCase(), text: pasted };
}

/** A transaction as answers show it: whole, its beginning, or both ends. */
const transactionPattern = /^0x[0-9a-f]{6,64}(?:(?:…|\.{3})[0-9a-f]{4,64})?$/i;

/** @returns whether a word is an id, the beginning of one or a link with one; a word of letters alone is a name */
export function isIdLike(word: string): boolean {
  const { kind } = parseReference(word);
  return kind === 'short' ? /\d/.test(word) : kind !== 'text' || transactionPattern.test(word);
}

const everyUuid = new RegExp(uuidPattern, 'g');

/** @returns every uuid in a link, in its order, lower case */
export function uuidsIn(link: string): readonly string[] {
  return link.toLowerCase().match(everyUuid) ?? [];
}
