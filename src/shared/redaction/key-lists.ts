/** Finds keys in lists and structures: accounts of build tools, printed keys, arrays of bytes, JSON web keys, SQL inserts. */
import { one } from './announced.ts';
import { isSecretValue, isTightSecret, type Strength } from './judge.ts';
import { type Finder, markEnd, type SecretMatch } from './marks.ts';
import { secretName } from './names.ts';
import { readValue, skip } from './values.ts';

/** 64 hexadecimal digits are a key after `new Wallet('`, `--pk ` or `PK=`; elsewhere they are a hash. */
const hexKeyHints = /(?<![0-9a-f])[0-9a-f]{64,128}(?![0-9a-f])/gi;
const beforeHexKey =
  /(?:(?:wallet|account|signer|signingkey|from_?key|from_?seed|from_?private_?key|import_?key|private_?key_?to_?\w{1,20})\s?\(\s?\\{0,3}["'`]?|--(?:pk|sk|key|privkey)[ =]["']?|(?:^|[^a-z0-9])(?:pk|sk["'\\]{0,3})\s?[:=]\s?\\{0,3}["']?)(?:0x)?$/i;
const beforeUnitsMax = 60;

function findHexKey(text: string, { index, 0: key }: RegExpExecArray): readonly SecretMatch[] {
  const isKey = beforeHexKey.test(text.slice(Math.max(0, index - beforeUnitsMax), index));
  return isKey ? [{ kind: 'private key', start: index, end: index + key.length }] : [];
}

/** `Private Keys`, a line below it, then `(0) 0x…` in each line. */
const printedKeysHints = /\bprivate keys?\b[\s=:*-]{0,80}(?=\(\d)/gi;
const printedKey = /\s{0,40}\(\d{1,3}\)\s{0,8}((?:0x)?[0-9a-f]{64})(?![0-9a-f])/iy;
const printedMax = 100;

function findPrintedKeys(text: string, hit: RegExpExecArray): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  printedKey.lastIndex = hit.index + hit[0].length;
  for (let key = printedKey.exec(text)?.[1]; key !== undefined; key = printedKey.exec(text)?.[1]) {
    const end = printedKey.lastIndex;
    found.push({ kind: 'private key', start: end - key.length, end });
    if (found.length === printedMax) break;
  }
  return found;
}

const byte = '(?:0x[0-9a-f]{1,2}|\\d{1,3})';
/** Sixteen bytes and more. */
const byteHints = new RegExp(
  `[[{(]\\s{0,8}(?=${byte}(?:[,\\s]{1,4}${byte}){15})|<Buffer (?=[0-9a-f]{2}(?: [0-9a-f]{2}){15})`,
  'gi',
);
const bytes = new RegExp(`${byte}(?:[,\\s]{1,4}${byte}){15,255}|[0-9a-f]{2}(?: [0-9a-f]{2}){15,255}`, 'iy');
const announcement =
  /(?:secret|priv(?:ate)?|signing|encryption|master|hmac|aes|session|shared|api)[\w ]{0,3}[_ -]?(?:key|seed)|key_?pair|\bseed|\bid\.json|mnemonic|password|passphrase|secret/gi;
const publicWord = /pub(?:lic)?|hash|digest|address|signature|verif/i;
const announcedUnitsMax = 80;

function findBytes(text: string, { index, 0: opening }: RegExpExecArray): readonly SecretMatch[] {
  const before = text.slice(Math.max(0, index - announcedUnitsMax), index);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const announced = [...line.matchAll(announcement)].at(-1);
  if (announced === undefined || publicWord.test(line.slice(announced.index))) return [];
  const start = index + opening.length;
  bytes.lastIndex = start;
  const isSecret = bytes.test(text) && markEnd(text, start) === undefined;
  return isSecret ? [{ kind: 'private key', start, end: bytes.lastIndex }] : [];
}

const base58 = '[1-9A-HJ-NP-Za-km-z]';
/** A private key of Bitcoin in its import format, or a seed of Stellar or NATS: the first letter follows from its length. */
const importKeyHints = new RegExp(
  `(?<![A-Za-z0-9])(?:5[HJK]${base58}{49}|[KLc]${base58}{51}|S[A-Z2-7]{55}(?:[A-Z2-7]{2})?)(?![A-Za-z0-9])`,
  'g',
);

function findImportKey(_text: string, { index, 0: key }: RegExpExecArray): readonly SecretMatch[] {
  const isMixed = /\d/.test(key) && /[A-Z]/.test(key.slice(1)) && (key.startsWith('S') || /[a-z]/.test(key));
  return isMixed ? [{ kind: 'private key', start: index, end: index + key.length }] : [];
}

/** `{"kty":"EC","x":"…","d":"…"}`: the other members are before or behind it. */
const webKeyHints = /\\{0,3}"kty\\{0,3}"\s?:/g;
const webKeyUnits = 1500;
const privateMember = /\\{0,3}"(?:d|p|q|dp|dq|qi|k)\\{0,3}"\s?:\s?\\{0,3}"([\w-]{16,1000})/g;

function findInWebKey(text: string, { index }: RegExpExecArray): readonly SecretMatch[] {
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

/** A list or map of secrets, or of the accounts of a build tool: `tokens: ["…", "…"]`, `accounts: ["0x…"]`, also in YAML. */
const memberHints =
  /(?:keys|tokens|secrets|passwords|credentials|stringData|accounts|signers|deployers|wallets)(?:\\*["']{0,4}\s{0,3}[:=]>?\s?(?=[[{(])|:(?=\n\s))/gi;
/** Ends where another list begins, so that no text is read twice. */
const members = /[[{(][^[\]{}()]{0,4000}|(?:\n[ \t-][^\n:]{0,100}(?::[ \t][^\n]{1,300})?(?=\n|$)){1,20}/y;
const memberName = /[\s,[{(]{0,40}(?:- )?(?:\\*["']?[\w.-]{1,60}\\*["']?\s?(?::|=>?)[ \t]{1,4})?/y;
const closing = /\\*["'`]/y;
const membersMax = 100;

function findMembers(text: string, { index, 0: hint }: RegExpExecArray): readonly SecretMatch[] {
  const before = /[\w. -]{0,40}$/.exec(text.slice(Math.max(0, index - 40), index))?.[0] ?? '';
  const name = secretName(before + (/^\w+/.exec(hint)?.[0] ?? ''));
  const isOfSecrets = /^stringData/.test(hint) || (name !== undefined && name.strength !== 'weakest');
  const isOfKeys = /^(?:accounts|signers|deployers|wallets)/i.test(hint) || name?.strength === 'strong';
  const end = skip(members, text, index + hint.length);
  const found: SecretMatch[] = [];
  for (let at = index + hint.length, count = 0; at < end && count < membersMax; count++) {
    const value = readValue(text, skip(memberName, text, at));
    const written = text.slice(value.start, value.end);
    const isKey = isOfKeys && /^(?:0x)?[0-9a-f]{64}$/i.test(written);
    if (isKey || (isOfSecrets && isSecretValue(written, 'weak', false)))
      found.push(...one(isKey ? 'private key' : 'secret', text, value.start, value.end));
    at = Math.max(at + 1, skip(closing, text, value.end));
  }
  return found;
}

/** The end of a line: it may have column names, as in CSV and tables of psql and Markdown, with rows below it. */
const headingHints = /\n/g;
const headingUnitsMax = 400;
const nameInHeading = /pass|pwd|secret|token|key/i;
const rowsMax = 20;

function findInColumns(text: string, { index: end }: RegExpExecArray): readonly SecretMatch[] {
  const heading = text.slice(Math.max(text.lastIndexOf('\n', end - 1) + 1, end - headingUnitsMax), end);
  const delimiter = /[|,;\t]/.exec(heading)?.[0];
  if (delimiter === undefined || !nameInHeading.test(heading)) return [];
  const strengths = heading.split(delimiter).map(strengthIn);
  const found: SecretMatch[] = [];
  let at = end + 1;
  for (const row of text.slice(at, at + rowsMax * headingUnitsMax).split('\n', rowsMax)) {
    const cells = row.split(delimiter);
    const isRow = cells.length === strengths.length && !(nameInHeading.test(row) && cells.some(strengthIn));
    if (!strengths.some(Boolean) || (!isRow && !/^[\s|+:-]*$/.test(row))) break;
    for (const [column, cell] of cells.entries()) {
      const value = readValue(text, at + cell.length - cell.trimStart().length);
      const written = text.slice(value.start, value.end);
      const strength = strengths[column];
      if (strength === 'strong' ? isTightSecret(written) : strength && isSecretValue(written, strength, false))
        found.push(...one('secret', text, value.start, value.end));
      at += cell.length + 1;
    }
  }
  return found;
}

/** @returns the strength of a column's name */
function strengthIn(cell: string): Strength | undefined {
  const strength = /^[\w. "-]{2,60}$/.test(cell) ? secretName(cell)?.strength : undefined;
  return strength === 'weakest' ? undefined : strength;
}

/** `INSERT INTO users (name, password) VALUES ('bob', '…')`. */
const insertHints = /\binsert into [\w."`]{1,80} ?\((?=[\w", `]{1,400}\) ?values ?\()/gi;
const columns = /[\w", `]{1,400}/y;
const values = /\) ?values ?\(/iy;
const value = /\s{0,4}(?:\\{0,3}'([^'\n]{0,400}?)\\{0,3}'|[^',()]{0,100})\s{0,4}(,|\))/y;

function findInInsert(text: string, hit: RegExpExecArray): readonly SecretMatch[] {
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

export const listFinders: readonly Finder[] = [
  { hints: hexKeyHints, find: findHexKey, needs: 'longWord' },
  { hints: printedKeysHints, find: findPrintedKeys },
  { hints: byteHints, find: findBytes },
  { hints: importKeyHints, find: findImportKey, needs: 'longWord' },
  { hints: webKeyHints, find: findInWebKey },
  { hints: insertHints, find: findInInsert },
  { hints: memberHints, find: findMembers },
  { hints: headingHints, find: findInColumns, needs: 'lineBreak' },
];
