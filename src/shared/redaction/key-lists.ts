/** Finds keys in lists and structures: accounts of build tools, printed keys, arrays of bytes, JSON web keys, SQL inserts. */
import { isSecretValue } from './judge.ts';
import { markEnd, type SecretMatch } from './marks.ts';
import { secretName } from './names.ts';

const hexKey = /(?:0x)?[0-9a-f]{64}(?![0-9a-f])/iy;

/** `accounts: ["0x…"]`, `privateKeys = [`. */
export const accountHints =
  /\b(?:accounts|private_?keys|priv_?keys|secret_?keys|signers|deployers|wallets)["'\\]{0,4}\s{0,3}[:=]\s{0,3}[[{(]/gi;
/** Between the keys of a list. */
const listedGap = /[\s,"'`\\]{0,40}/y;
const listedMax = 100;

export function findAccounts(text: string, hit: RegExpExecArray): readonly SecretMatch[] {
  return keysFrom(text, hit.index + hit[0].length, listedGap);
}

/** 64 hexadecimal digits are a key after `new Wallet('`, `--pk ` or `PK=`; elsewhere they are a hash. */
export const hexKeyHints = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi;
const beforeHexKey =
  /(?:(?:wallet|account|signer|signingkey|from_?key|from_?seed|from_?private_?key|import_?key|private_?key_?to_?\w{1,20})\s?\(\s?\\{0,3}["'`]?|--(?:pk|sk|key|privkey)[ =]["']?|(?:^|[^a-z0-9])pk\s?[:=]\s?["']?)(?:0x)?$/i;
const beforeUnitsMax = 60;

export function findHexKey(text: string, { index, 0: key }: RegExpExecArray): readonly SecretMatch[] {
  const isKey = beforeHexKey.test(text.slice(Math.max(0, index - beforeUnitsMax), index));
  return isKey ? [{ kind: 'private key', start: index, end: index + key.length }] : [];
}

/** `Private Keys`, a line below it, then `(0) 0x…` in each line. */
export const printedKeysHints = /\bprivate keys?\b[\s=:*-]{0,80}(?=\(\d)/gi;
const printedGap = /\s{0,40}\(\d{1,3}\)\s{0,8}/y;

export function findPrintedKeys(text: string, hit: RegExpExecArray): readonly SecretMatch[] {
  return keysFrom(text, hit.index + hit[0].length, printedGap);
}

function keysFrom(text: string, from: number, gap: RegExp): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (let at = from; found.length < listedMax; ) {
    gap.lastIndex = at;
    hexKey.lastIndex = gap.test(text) ? gap.lastIndex : at;
    const start = hexKey.lastIndex;
    if (!hexKey.test(text)) return found;
    found.push({ kind: 'private key', start, end: hexKey.lastIndex });
    at = hexKey.lastIndex;
  }
  return found;
}

const byte = '(?:0x[0-9a-f]{1,2}|\\d{1,3})';
/** Sixteen bytes and more. */
export const byteHints = new RegExp(
  `[[{(]\\s{0,8}(?=${byte}(?:[,\\s]{1,4}${byte}){15})|<Buffer (?=[0-9a-f]{2}(?: [0-9a-f]{2}){15})`,
  'gi',
);
const bytes = new RegExp(`${byte}(?:[,\\s]{1,4}${byte}){15,255}|[0-9a-f]{2}(?: [0-9a-f]{2}){15,255}`, 'iy');
const announcement =
  /(?:secret|priv(?:ate)?|signing|encryption|master|hmac|aes|session|shared|api)[\w ]{0,3}[_ -]?(?:key|seed)|key_?pair|\bseed|\bid\.json|mnemonic|password|passphrase|secret/gi;
const publicWord = /pub(?:lic)?|hash|digest|address|signature|verif/i;
const announcedUnitsMax = 80;

export function findBytes(text: string, { index, 0: opening }: RegExpExecArray): readonly SecretMatch[] {
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
export const importKeyHints = new RegExp(
  `(?<![A-Za-z0-9])(?:5[HJK]${base58}{49}|[KLc]${base58}{51}|S[A-Z2-7]{55}(?:[A-Z2-7]{2})?)(?![A-Za-z0-9])`,
  'g',
);

export function findImportKey(_text: string, { index, 0: key }: RegExpExecArray): readonly SecretMatch[] {
  const isMixed = /\d/.test(key) && /[A-Z]/.test(key.slice(1)) && (key.startsWith('S') || /[a-z]/.test(key));
  return isMixed ? [{ kind: 'private key', start: index, end: index + key.length }] : [];
}

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
