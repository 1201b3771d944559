/** Parses references to a workflow or an execution: a name, a uuid, 64 hexadecimal characters, the beginning of one, or a link with one. */

export type Reference =
  | { readonly kind: 'uuid'; readonly uuid: string }
  /** A workflow id or an execution id, lower case, without `0x`. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** The beginning of an id, lower case, without `0x`; or a name that looks so: `text` as typed. */
  | { readonly kind: 'short'; readonly prefix: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const hashPattern = /(?<![0-9a-f])(?:0x)?([0-9a-f]{64})(?![0-9a-f])/i;
const shortPattern = /^(?:(?:0x)?([0-9a-f]{8,63})|([0-9a-f]{8}-[0-9a-f-]{0,26}))$/i;

/**
 * @param pasted what was typed, without surrounding white space
 * @returns the id in it: alone, or anywhere in a link; any other text is a name
 */
export function parseReference(pasted: string): Reference {
  const isLink = /^<?https?:\/\//i.test(pasted);
  const uuid = uuidPattern.exec(pasted)?.[0];
  if (uuid !== undefined && (isLink || uuid.length === pasted.length))
    return { kind: 'uuid', uuid: uuid.toLowerCase() };
  const match = hashPattern.exec(pasted);
  const hash = match?.[1];
  if (match && hash !== undefined && (isLink || match[0].length === pasted.length)) {
    return { kind: 'hash', hash: hash.toLowerCase() };
  }
  const [, short, shortUuid] = shortPattern.exec(pasted) ?? [];
  const prefix = short ?? shortUuid;
  return prefix === undefined
    ? { kind: 'text', text: pasted }
    : { kind: 'short', prefix: prefix.toLowerCase(), text: pasted };
}
