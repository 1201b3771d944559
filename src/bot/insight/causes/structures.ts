/** Reads structures inside an error: JSON, objects as Node, Python and Rust print them, and parameters as ethers adds them. */
import { markedName, placeholder } from './placeholders.ts';
import { fieldKeys, isCodeKey, isMessageKey, serverErrorCodes, squashed } from './vocabulary.ts';
import { weightOfText } from './words.ts';

type Field = {
  readonly name: string;
  /** The name in lower case, letters only; empty for an item of a list. */
  readonly key: string;
  /** Empty for a structure. */
  readonly value: string;
  readonly isList: boolean;
  /** The key of the outermost field around it; empty at the top. */
  readonly root: string;
  readonly depth: number;
};
type Structure = { readonly fields: readonly Field[]; readonly end: number; readonly isCut: boolean };

/** JSON, `{'a': 1}`, `Os { code: 111 }` and `(action="call", data="0x…")`. */
const opening =
  /[{[](?=\s{0,40}["{])|(,? ?\b[A-Z]\w{1,40} )?\{(?=\s{0,40}(?:'[^'\n]{1,60}'|[$A-Za-z_][\w$]{0,30}): )|[([](?=[A-Za-z][\w.]{0,40}=(?![=\\])|code: -?\d)/g;

/** @returns the text with each structure replaced by its codes, messages and fields, or by a placeholder if it has none; linear */
export function readStructures(text: string): string {
  const apart = text.replace(/[,{]\s{0,40}(?:\[(?:cause|errors)\]:\s{0,4}|cause: (?=[A-Z]\w{1,60}: ))/g, (all) =>
    all.startsWith(',') ? ' }\ncaused by: ' : '\ncaused by: ',
  );
  let read = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(apart); match !== null; match = opening.exec(apart)) {
    const [{ length }, type = ''] = match;
    const start = match.index + length - 1;
    const structure = structureAt(apart, start);
    const before = apart.slice(Math.max(0, match.index - unitsBefore), match.index);
    const shown = shownStructure(structure, apart.slice(start, structure.end), before, type);
    read += apart.slice(from, match.index) + (shown ?? apart.slice(match.index, structure.end));
    closingAt.lastIndex = structure.end;
    closingAt.test(apart);
    from = closingAt.lastIndex;
    opening.lastIndex = from;
  }
  return read + apart.slice(from);
}

/** The rest of the structures around one that was read. */
const closingAt = /(?:\s{1,40}\}){0,8}/y;
/** Text before a structure that is read with it. */
const unitsBefore = 300;
/** Precedes data that was sent, as opposed to received. */
const sentBefore =
  /(?<!bad )\b(?:request|request body|payload|params|parameters|input|args|arguments|data|call|tx|transaction|headers|receipt)\W{0,3}$/i;

/** @param type the name before it, as Rust prints it @returns null for a structure that stays */
function shownStructure(structure: Structure, raw: string, before: string, type: string): string | null {
  if (/^[([][A-Za-z]/.test(raw)) return besides(structure, before);
  if (/^\{\s{0,40}[$\w]/.test(raw) || type !== '') return printed(structure, before, type);
  const found = sentBefore.test(before.slice(-30)) ? '' : whatItSays(structure.fields);
  if (found === '') return placeholder.data;
  if (squashed(before).endsWith(squashed(found))) return '';
  if (before.endsWith('=')) return `"${found.replace(/["\n\\]/g, ' ')}"`;
  return /[\p{L}\d] $/u.test(before) && !found.startsWith('(') ? `: ${found}` : found;
}

const nameAt =
  /(?:"((?:[^"\\]|\\.){1,60})"|'([^'\\\n]{1,60})'|([$a-z_][\w.$]{0,40}))\s{0,8}(?::(?!:)|=>|=(?!=))\s{0,40}/iy;
const valueAt = {
  '"': /"((?:[^"\\]|\\.){0,4000})"?/sy,
  "'": /'((?:[^'\\\n]|\\.){0,4000})'/y,
  '[': /\[([^[\]{}]{0,300})\]/y,
  bare: /([^,(){}[\]"\n]{1,1000})/y,
} as const;

/** Reads a structure and those in it; one that was cut reaches to the end. Linear. */
function structureAt(text: string, start: number): Structure {
  const fields: Field[] = [];
  const roots: string[] = [];
  let at = start;
  let name = '';
  const add = (value: string, isList: boolean) => {
    fields.push({ name, key: keyOf(name), value, isList, root: roots[1] ?? '', depth: roots.length });
    name = '';
  };
  while (at < text.length) {
    const unit = text[at] ?? '';
    const named = name === '' && roots.length > 0 ? matchAt(nameAt, text, at) : null;
    const kind = unit === '"' || unit === "'" || (unit === '[' && name !== '') ? unit : 'bare';
    const value = named === null && (kind !== 'bare' || name !== '') ? matchAt(valueAt[kind], text, at) : null;
    at += (named ?? value)?.[0].length ?? 1;
    if (named !== null) name = unescaped(named[1] ?? named[2] ?? named[3] ?? '');
    else if (value !== null) add(kind === '"' ? unescaped(value[1] ?? '') : (value[1] ?? '').trim(), kind === '[');
    else if ('{[('.includes(unit)) {
      roots.push(keyOf(name));
      if (name !== '') add('', false);
    } else if ('}])'.includes(unit)) roots.pop();
    if (roots.length === 0) return { fields, end: at, isCut: false };
  }
  return { fields, end: text.length, isCut: true };
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function unescaped(value: string): string {
  try {
    return String(JSON.parse(`"${value.replaceAll('\n', '\\n')}"`));
  } catch {
    return value;
  }
}

/** Less specific messages, as `VM execution error`, say only that there was an error. */
const weightOfMessage = 1.25;

/** Holds what was sent, or where a logger was called. */
const sentRoot = /^(?:source|request|requestbody|payload|params|headers|variables|config)$/;
/** A code that divides the faults of another code: it belongs to the message. */
const finerKey = /^(?:decline|reason|failure|(?:error)?sub)code$|^issue$|^statusdetail$/;

/** @returns the codes, messages and places of a body */
function whatItSays(fields: readonly Field[]): string {
  const of = (key: string) => fields.find((field) => field.key === key)?.value ?? '';
  /** An error of a JSON schema, as ajv lists it; its text says the same of `data/price`. */
  if (fields.some(({ key }) => key === 'instancepath') && of('message') !== '')
    return `data${of('instancepath')} ${of('message')}`;
  const received = fields.filter(({ root }) => !sentRoot.test(root));
  const codes = new Set<string>();
  const messages = new Set<string>();
  const places = new Set<string>();
  const finer = new Set<string>();
  for (const { key, value, isList } of received.toSorted((one, other) => one.depth - other.depth)) {
    if (finerKey.test(key) && /^[\w.-]{2,60}$/.test(value)) finer.add(value);
    else if (fieldKeys.has(key)) addPlace(places, key, value);
    else if (key === 'data' && isErrorData(value)) codes.add(`selector ${value.slice(0, 10)}`);
    else if (isMessageKey(key)) messages.add(isList ? firstItem(value) : value);
    else if (isCodeKey(key) && /^[^/\s]{1,80}$/.test(value) && !/^about:|^null$/.test(value))
      codes.add(`code ${value}`);
  }
  for (const nothing of ['', 'None', 'null', 'nil']) messages.delete(nothing);
  if ([...messages].every((message) => weightOfText(message) < weightOfMessage)) addData(messages, codes, received);
  if (messages.size > 0) for (const code of serverErrorCodes) codes.delete(`code ${code}`);
  const ordered = [...messages].toSorted((one, other) => Number(/\s/.test(one)) - Number(/\s/.test(other)));
  const said = [...codes, [...finer, ...ordered].join(finer.size > 0 ? ', ' : ': ')].filter(Boolean).join(': ');
  const lower = said.toLowerCase();
  const further = [...places].filter((place) => !lower.includes(lastPart(place)));
  return [said, ...further].filter((part) => part !== '').join(' ');
}

const failureLine = /\b(?:fail|error|exceed|panic|insufficient|invalid|denied|reverted)/i;
/** `{"TxExecutionError":{"InvalidTxError":"Expired"}}`: a variant of Rust is a key, or a value below one. */
const variant = /^[A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){0,8}$/;

/** The words of a body with a vague message in other places: its data, any sentence, the last line of a log, the names of its variants. */
function addData(messages: Set<string>, codes: Set<string>, fields: readonly Field[]): void {
  const text = fields.find(({ key, value }) => key === 'data' && value.length > 3)?.value ?? '';
  const selector = /\b0x[0-9a-f]{8}\b/i.exec(text)?.[0];
  const sentences = fields
    .filter(({ key, value, isList }) => key !== '' && !isList && isSentence(value))
    .map(({ value }) => value);
  const line = fields.findLast(({ key, value }) => key === '' && failureLine.test(value))?.value;
  const named = fields.filter(({ name, value, isList }) => name !== '' && isList && phrase.test(value));
  const variants = fields.flatMap(({ name, value }) => [name, value]).filter((word) => variant.test(word));
  if (selector !== undefined) codes.add(`selector ${selector}`);
  else if (phrase.test(text)) messages.add(text);
  else if (sentences.length > 0) for (const sentence of sentences) messages.add(sentence);
  else if (named.length > 0) for (const { name, value } of named) messages.add(`${name} ${firstItem(value)}`);
  else if (variants.length > 1) messages.add(variants.slice(-8).join(' '));
  else if (line !== undefined && messages.size + codes.size === 0) messages.add(`: ${line}`);
}

const phrase = /\p{L}{2} \p{L}{2}/u;

function firstItem(list: string): string {
  return /"((?:[^"\\]|\\.){1,300})"|'((?:[^'\\]|\\.){1,300})'/.exec(list)?.slice(1).find(Boolean) ?? '';
}

function isSentence(text: string): boolean {
  return (text.match(/(?<![\p{L}\p{N}/_.-])\p{L}{2,30}(?![\p{L}\p{N}/_-])/gu)?.length ?? 0) >= 3;
}

function lastPart(place: string): string {
  return (place.match(/[\p{L}\p{N}_]+/gu)?.at(-1) ?? place).toLowerCase();
}

/** Four bytes that name a contract's error, then its arguments of 32 bytes each. */
export function isErrorData(hex: string): boolean {
  return hex.length >= 10 && (hex.length - 10) % 64 === 0 && /^0x[0-9a-f]{8,4000}$/i.test(hex);
}

/** `$.payouts[3].iban` and `["payouts", 3, "iban"]` are one field whatever the index. */
function addPlace(places: Set<string>, key: string, value: string): void {
  const path = value
    .replace(/\[\d{1,9}\]|["'\s]/g, '')
    .replace(/[,/]{1,2}/g, '.')
    .replace(/^[$.#]{1,3}/, '')
    .replace(/(?<=^|\.)\d{1,9}(?=\.|$)/g, '')
    .replace(/\.{2,9}/g, '.');
  if (/^[\p{L}_][\p{L}_.$()-]{0,80}$/u.test(path)) places.add(`(${key} ${markedName(path)})`);
}

/** Parameters beside a message: the selector, the method, the argument and the code, and messages that the text before does not say. */
function besides({ fields, isCut }: Structure, before: string): string {
  const shown: string[] = [];
  const messages: string[] = [];
  /** The version comes last: it is cut first. */
  const isOfEthers = isCut || fields.some(({ key }) => key === 'version');
  for (const { key, name, value, root } of fields) {
    if (root === '' ? /^(?:null|nil|none|undefined|)$/i.test(value) : root !== 'info' || !fieldKeys.has(key)) continue;
    if (/^(?:error|revert)?data$/.test(key)) !namedRevert.test(before) && addRevert(value, shown, messages);
    else if (isCodeKey(key)) (!isOfEthers || /\d/.test(value)) && shown.push(`code ${value}`);
    else if (fieldKeys.has(key)) shown.push(`${name} "${value}"`);
    else if (isMessageKey(key) || key === 'body')
      messages.push(/^\s*[{[]/.test(value) ? whatItSays(structureAt(value, 0).fields) : value);
  }
  messages.push(whatItSays(fields.filter(({ root }) => isMessageKey(root))));
  const known = squashed(before);
  const told = new Set(messages.filter((message) => message !== '' && !known.includes(squashed(message))));
  return `${shown.length > 0 ? `(${shown.join(', ')})` : ''}${[...told].map((message) => `: ${message}`).join('')}`;
}

/** The name says what the selector encodes: `execution reverted: ERC20InsufficientBalance("0x7f3c…", 100, 9900000)`. */
const namedRevert = /\breverted: [A-Z]\w{2,60}\([^()]{0,200}\)\s?$/;

function addRevert(value: string, shown: string[], messages: string[]): void {
  const selector = /^0x(?!08c379a0)[0-9a-f]{8}/i.exec(value)?.[0];
  if (selector !== undefined && (isErrorData(value) || value.length > 10)) shown.push(`selector ${selector}`);
  else if (value.startsWith(': ')) messages.push(value.slice(2));
}

/** An object as Node prints it after an error says its code; a structure of Rust with a message says the message. */
function printed({ fields }: Structure, before: string, type: string): string | null {
  const phrases = fields.filter(({ value }) => phrase.test(value));
  const message =
    (
      phrases.findLast(({ key }) => (type === '' ? key === 'message' : isMessageKey(key))) ??
      phrases.findLast(() => type !== '')
    )?.value ?? '';
  const kind = fields.find(({ key }) => key === 'kind')?.value ?? '';
  const short = type === '' && fields.findLast(({ key }) => key === 'message')?.value;
  if (message !== '' && (type !== '' || /(?:^|[:\n]\s?)$/.test(before))) return type === '' ? message : `: ${message}`;
  if (type !== '') return `${type}${kind}${placeholder.data}`;
  const code = fields.find(({ name }) => name === 'code')?.value ?? '';
  if (short && /^\s*$/.test(before)) return short;
  return type + (code === '' || (before + type).includes(code) ? '' : `\ncode ${code}`);
}

const xmlHint = /<\?xml|<\/(?:[\w.-]{1,30}:)?(?:error|fault|faultstring|message|code|envelope)>/i;
const xmlLeaf = /<([\w:.-]{1,60})(?:\s[^<>]{0,500})?>([^<>]{1,4000})<\/\1\s{0,4}>/g;

/** @returns the text with an XML body replaced by its codes and messages; linear */
export function readXml(text: string): string {
  if (!text.includes('<') || !xmlHint.test(text)) return text;
  const codes = new Set<string>();
  const messages = new Set<string>();
  for (const [, name = '', content = ''] of text.matchAll(xmlLeaf)) {
    const key = keyOf(name.split(':').at(-1) ?? '');
    const [line = ''] = content.trim().split('\n');
    if (key === 'faultcode' || isCodeKey(key)) codes.add(`code ${line.split(':').at(-1)}`);
    else if (isMessageKey(key)) messages.add(line);
  }
  const said = [...codes, ...messages].join(': ');
  if (said === '') return text;
  return `${text.slice(0, text.indexOf('<'))}${said}${text.slice(text.lastIndexOf('>') + 1)}`;
}
