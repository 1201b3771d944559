/** Reads bodies inside an error: JSON, objects as Node prints them, XML. Keeps codes, messages and the field at fault. */
import { markedName, placeholder } from './placeholders.ts';
import { fieldKeys, isCodeKey, isMessageKey, serverErrorCodes } from './vocabulary.ts';
import { weightOfText } from './words.ts';

/** The possible start of a JSON object or list of objects. */
const blobOpening = /[{[](?=\s{0,40}["{[])/g;

/** Precedes data that was sent, as opposed to received. */
const sentPattern =
  /(?<!bad )\b(?:request|request body|payload|params|parameters|input|args|arguments|data|call|tx|transaction|headers|receipt)\W{0,3}$/i;

/** @returns the text with each piece of JSON replaced by its codes, messages and fields, or by a placeholder if it has none; linear */
export function readBlobs(text: string): string {
  let read = '';
  let from = 0;
  blobOpening.lastIndex = 0;
  for (let match = blobOpening.exec(text); match !== null; match = blobOpening.exec(text)) {
    const end = endOfBlob(text, match.index);
    const before = text.slice(Math.max(0, match.index - 30), match.index);
    const found = sentPattern.test(before) ? '' : whatItSays(text.slice(match.index, end));
    read += `${text.slice(from, match.index)}${shownBlob(found, before)}`;
    from = end;
    blobOpening.lastIndex = end;
  }
  return read + text.slice(from);
}

/** After `error=` it stays one value. */
function shownBlob(found: string, before: string): string {
  if (found === '') return placeholder.data;
  if (before.endsWith('=')) return `"${found.replace(/["\n\\]/g, ' ')}"`;
  return /[\p{L}\d] $/u.test(before) && !found.startsWith('(') ? `: ${found}` : found;
}

/** A truncated blob reaches to the end. */
export function endOfBlob(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === '"') at = endOfString(text, at);
    else if (unit === '{' || unit === '[') depth += 1;
    else if (unit === '}' || unit === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

const pairPattern =
  /"((?:[^"\\]|\\.){1,60})"\s{0,8}:\s{0,8}(?:"((?:[^"\\]|\\.){0,4000})"?|(-?\d{1,12})(?![\d.])|\[([^[\]{}]{0,300})\])/gs;

/** An error of a JSON schema, as ajv lists it; its text says the same of `data/price`. */
const instancePath = /"instancePath"\s{0,8}:\s{0,8}"([^"\\]{0,200})"/;
const instanceMessage = /"message"\s{0,8}:\s{0,8}"((?:[^"\\]|\\.){1,500})"/;

/** @returns the codes, messages and fields of JSON */
export function whatItSays(blob: string): string {
  const invalid = instancePath.exec(blob);
  const complaint = invalid === null ? undefined : instanceMessage.exec(blob)?.[1];
  if (complaint !== undefined) return `data${invalid?.[1] ?? ''} ${unescapeJson(complaint)}`;
  const codes = new Set<string>();
  const messages = new Set<string>();
  const fields = new Set<string>();
  for (const [, name = '', value, number, list] of blob.matchAll(pairPattern)) {
    const key = name.toLowerCase().replace(/[^a-z]/g, '');
    const text = unescapeJson(value ?? '');
    if (fieldKeys.has(key)) addField(fields, key, list ?? text);
    else if (key === 'data' && isErrorData(text)) codes.add(`selector ${text.slice(0, 10)}`);
    else if (list !== undefined) isMessageKey(key) && messages.add(firstText(list));
    else if (isCodeKey(key)) isCodeText(number ?? text) && codes.add(`code ${number ?? text}`);
    else if (isMessageKey(key) && value) messages.add(text);
  }
  if (isVague(messages)) addData(messages, codes, blob);
  if (messages.size > 0) for (const code of serverErrorCodes) codes.delete(`code ${code}`);
  if (messages.size === 0 && codes.size === 0) addLine(messages, blob);
  const said = [...codes, ...messages].filter((part) => part !== '').join(': ');
  const lower = said.toLowerCase();
  const further = [...fields].filter((field) => !lower.includes(lastPart(field)));
  return [said, ...further].filter((part) => part !== '').join(' ');
}

/** Less specific messages, as `VM execution error`, say only that there was an error. */
const weightOfMessage = 1.25;

function isVague(messages: ReadonlySet<string>): boolean {
  return [...messages].every((message) => weightOfText(message) < weightOfMessage);
}

const dataText = /"data"\s{0,8}:\s{0,8}"((?:[^"\\]|\\.){4,2000})"/;
const anyText = /"(?:[^"\\]|\\.){1,60}"\s{0,8}:\s{0,8}"((?:[^"\\]|\\.){8,600})"/g;
const isSentence = (text: string) =>
  (text.match(/(?<![\p{L}\p{N}/_.-])\p{L}{2,30}(?![\p{L}\p{N}/_-])/gu)?.length ?? 0) >= 3;
/** `{"TxExecutionError":{"InvalidTxError":"Expired"}}`: a variant of Rust is a key, or a value below one. */
const variant = /"([A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){0,8})"(?=\s{0,8}[:}])/g;

/** The words of a body with a vague message in other places: in its data, in any sentence, or in the names of its variants. */
function addData(messages: Set<string>, codes: Set<string>, blob: string): void {
  const text = unescapeJson(dataText.exec(blob)?.[1] ?? '');
  const selector = /\b0x[0-9a-f]{8}\b/i.exec(text)?.[0];
  if (selector !== undefined) codes.add(`selector ${selector}`);
  else if (/\p{L}{2} \p{L}{2}/u.test(text)) messages.add(text);
  else {
    for (const [, said = ''] of blob.matchAll(anyText)) if (isSentence(said)) messages.add(unescapeJson(said));
    const variants = [...blob.matchAll(variant)].map(([, name = '']) => name);
    if (variants.length > 1) messages.add(variants.slice(-8).join(' '));
  }
}

function lastPart(field: string): string {
  return (
    field
      .match(/[\p{L}\p{N}]+/gu)
      ?.at(-1)
      ?.toLowerCase() ?? field
  );
}

/** The type of a problem is often a web page. */
function isCodeText(text: string): boolean {
  return text !== '' && !/[/\s]|^about:/.test(text);
}

const failureLine =
  /"((?:[^"\\]|\\.){0,400}\b(?:fail|error|exceed|panic|insufficient|invalid|denied|reverted)(?:[^"\\]|\\.){0,400})"(?=\s{0,8}[,\]])/gi;

/** The last line of a log that names a fault. */
function addLine(messages: Set<string>, blob: string): void {
  const line = /^\[\s{0,40}"/.test(blob) ? [...blob.matchAll(failureLine)].at(-1)?.[1] : undefined;
  if (line !== undefined) messages.add(`: ${unescapeJson(line)}`);
}

/** Four bytes that name a contract's error, then its arguments of 32 bytes each. */
export function isErrorData(hex: string): boolean {
  return hex.length >= 10 && (hex.length - 10) % 64 === 0 && /^0x[0-9a-f]{8,4000}$/i.test(hex);
}

function firstText(list: string): string {
  return /"((?:[^"\\]|\\.){1,300})"/.exec(list)?.[1] ?? '';
}

/** `$.payouts[3].iban` and `["payouts", 3, "iban"]` are one field whatever the index. */
function addField(fields: Set<string>, key: string, value: string): void {
  const path = value
    .replace(/\[\d{1,9}\]|["\s]/g, '')
    .replace(/[,/]{1,2}/g, '.')
    .replace(/^[$.#]{1,3}/, '')
    .replace(/(?<=^|\.)\d{1,9}(?=\.|$)/g, '')
    .replace(/\.{2,9}/g, '.');
  if (/^[\p{L}_][\p{L}_.$()-]{0,80}$/u.test(path)) fields.add(`(${key} ${markedName(path)})`);
}

function unescapeJson(value: string): string {
  try {
    return String(JSON.parse(`"${value.replaceAll('\n', '\\n')}"`));
  } catch {
    return value;
  }
}

/** An object as Node prints it: `{ errno: -111, code: 'ECONNREFUSED', … }`. */
const printedOpening = /\{(?=\s{0,40}['"]?[$a-z][\w$]{0,30}['"]?: )/gi;
const printedHint = /errno: |code: |syscall: |\$metadata|codeName: |severity: |statusCode: |command: \{/i;
/** Fields of an error follow the last frame of its stack: `at run (/app/main.js:3:9) {`. */
const frameBefore = /\n\s{0,12}at [^\n]{1,290}\{\n/;
const frameEnd = /\n\s{0,12}at [^\n]{1,290}$/;
const printedCode = /(?<![\w$])code: ['"]?([\w-]{1,60})/;

/** @returns the text with each cause on a line of its own, and printed objects replaced by their code; linear */
export function readPrinted(text: string): string {
  if (!/\[(?:cause|errors)\]/.test(text) && !printedHint.test(text) && !frameBefore.test(text)) return text;
  const apart = text
    .replace(/,\s{0,40}\[(?:cause|errors)\]:\s{0,4}/g, ' }\ncaused by: ')
    .replace(/\{\s{0,40}\[(?:cause|errors)\]:\s{0,4}/g, '\ncaused by: ');
  let read = '';
  let from = 0;
  printedOpening.lastIndex = 0;
  for (let match = printedOpening.exec(apart); match !== null; match = printedOpening.exec(apart)) {
    const end = endOfBlob(apart, match.index);
    const block = apart.slice(match.index, end);
    printedOpening.lastIndex = end;
    if (!printedHint.test(block) && !frameEnd.test(apart.slice(Math.max(0, match.index - 300), match.index))) continue;
    const code = printedCode.exec(block)?.[1];
    const said = code === undefined || apart.slice(from, match.index).includes(code) ? '' : `\ncode ${code}`;
    read += apart.slice(from, match.index) + said;
    from = end;
  }
  return (read + apart.slice(from)).replace(/\s\}(?=[\s},]|$)/g, ' ');
}

const xmlHint = /<\?xml|<\/(?:[\w.-]{1,30}:)?(?:error|fault|faultstring|message|code|envelope)>/i;
const xmlLeaf = /<([\w:.-]{1,60})(?:\s[^<>]{0,500})?>([^<>]{1,4000})<\/\1\s{0,4}>/g;

/** @returns the text with an XML body replaced by its codes and messages; linear */
export function readXml(text: string): string {
  if (!text.includes('<') || !xmlHint.test(text)) return text;
  const codes = new Set<string>();
  const messages = new Set<string>();
  for (const [, name = '', content = ''] of text.matchAll(xmlLeaf)) {
    const key = (name.split(':').at(-1) ?? '').toLowerCase().replace(/[^a-z]/g, '');
    const [line = ''] = content.trim().split('\n');
    if (key === 'faultcode' || isCodeKey(key)) codes.add(`code ${line.split(':').at(-1)}`);
    else if (isMessageKey(key)) messages.add(line);
  }
  const said = [...codes, ...messages].join(': ');
  if (said === '') return text;
  return `${text.slice(0, text.indexOf('<'))}${said}${text.slice(text.lastIndexOf('>') + 1)}`;
}
