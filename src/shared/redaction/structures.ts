/** Finds secrets by their place in a structure: private members of a JSON web key, columns of an SQL statement. */
import { isSecretValue } from './judge.ts';
import { markEnd, type SecretMatch } from './marks.ts';
import { secretName } from './names.ts';

/** `{"kty":"EC","x":"…","d":"…"}`: the other members are before or behind it. */
export const webKeyHints = /\\{0,3}"kty\\{0,3}"\s?:/g;
const webKeyUnits = 1500;
const privateMember = /\\{0,3}"(?:d|p|q|dp|dq|qi|k)\\{0,3}"\s?:\s?\\{0,3}"([\w-]{16,1000})/g;

export function findInWebKey(text: string, { index }: RegExpExecArray): readonly SecretMatch[] {
  const near = text.slice(Math.max(0, index - webKeyUnits), index + webKeyUnits);
  const at = index - Math.max(0, index - webKeyUnits);
  const from = Math.max(0, near.lastIndexOf('{', at));
  const closing = near.indexOf('}', at);
  const members = near.slice(from, closing === -1 ? undefined : closing);
  return [...members.matchAll(privateMember)].map(({ 0: whole, 1: value = '', index: found }) => {
    const end = index - at + from + found + whole.length;
    return { kind: 'private key', start: end - value.length, end };
  });
}

/** `INSERT INTO users (name, password) VALUES ('bob', '…')`. */
export const insertHints = /\binsert into [\w."`]{1,80} ?\((?=[\w", `]{1,400}\) ?values ?\()/gi;
const columns = /[\w", `]{1,400}/y;
const values = /\) ?values ?\(/iy;
const value = /\s{0,4}(?:\\{0,3}'([^'\n]{0,400}?)\\{0,3}'|[^',()]{0,100})\s{0,4}(,|\))/y;

export function findInInsert(text: string, hit: RegExpExecArray): readonly SecretMatch[] {
  columns.lastIndex = hit.index + hit[0].length;
  const names = columns.exec(text)?.[0].split(',') ?? [];
  values.lastIndex = hit.index + hit[0].length + names.join(',').length;
  const found: SecretMatch[] = [];
  let at = values.test(text) ? values.lastIndex : text.length;
  for (const name of names) {
    value.lastIndex = at;
    const [whole = '', written, last] = value.exec(text) ?? [];
    const known = written === undefined ? undefined : secretName(name);
    if (written !== undefined && known && isSecretValue(written, known.strength, true)) {
      const start = at + whole.indexOf(written);
      if (markEnd(text, start) === undefined) found.push({ kind: 'secret', start, end: start + written.length });
    }
    if (last !== ',') break;
    at += whole.length;
  }
  return found;
}
