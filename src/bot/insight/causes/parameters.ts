/** Reads parameters in brackets after a message, as ethers writes them: `(action="call", data="0x…", code=CALL_EXCEPTION)`. */
import { endOfBlob, endOfString, isErrorData, whatItSays } from './bodies.ts';
import { fieldKeys, isCodeKey, isMessageKey, squashed } from './vocabulary.ts';

/** Quotes that are escaped belong to the text of a body, which is read first. */
const opening = /\((?=[a-z][\w.]{0,40}=(?![=\\]))/gi;
const nameAt = /[\s,]{0,4}([a-z][\w.]{0,40})=/giy;
const unitsOfTextBefore = 300;

/**
 * @returns the text with each such bracket replaced by the selector, the method, the argument and the code in it, and by
 *   what a body in it says unless the text before says so; also if it is cut; linear
 */
export function readParameters(text: string): string {
  let read = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const { parameters, end, isCut } = readBracket(text, match.index);
    const before = text.slice(Math.max(0, match.index - unitsOfTextBefore), match.index);
    read += `${text.slice(from, match.index)}${saidBy(parameters, before, isCut)}`;
    from = end;
    opening.lastIndex = end;
  }
  return read + text.slice(from);
}

type Parameter = { readonly key: string; readonly name: string; readonly raw: string };

type Bracket = { readonly parameters: readonly Parameter[]; readonly end: number; readonly isCut: boolean };

/** @returns the parameters of the bracket that opens at an index, and its end; a bracket that was cut reaches to the end */
function readBracket(text: string, start: number): Bracket {
  const parameters: Parameter[] = [];
  let at = start + 1;
  while (at < text.length && text[at] !== ')') {
    nameAt.lastIndex = at;
    const match = nameAt.exec(text);
    const valueAt = match === null ? at : nameAt.lastIndex;
    const end = endOfValue(text, valueAt);
    const name = match?.[1] ?? '';
    if (match !== null)
      parameters.push({ key: name.toLowerCase().replace(/[^a-z]/g, ''), name, raw: text.slice(valueAt, end) });
    at = Math.max(end, at + 1);
  }
  return { parameters, end: Math.min(text.length, at + 1), isCut: at >= text.length };
}

function endOfValue(text: string, start: number): number {
  const unit = text[start] ?? '';
  if (unit === '"') return Math.min(text.length, endOfString(text, start) + 1);
  if (unit === '{' || unit === '[') return endOfBlob(text, start);
  let at = start;
  while (at < text.length && !/[,)"{[\n]/.test(text[at] ?? '')) at += 1;
  return at;
}

function saidBy(parameters: readonly Parameter[], before: string, isCut: boolean): string {
  const shown: string[] = [];
  const messages: string[] = [];
  /** The version comes last: it is cut first. */
  const isOfEthers = isCut || parameters.some(({ key }) => key === 'version');
  for (const { key, name, raw } of parameters) {
    const value = raw.replace(/^"|"$/g, '');
    if (value === '' || /^(?:null|nil|none|undefined)$/i.test(value)) continue;
    if (/^(?:error|revert)?data$/.test(key)) addData(value, shown, messages);
    else if (isCodeKey(key)) (!isOfEthers || /\d/.test(value)) && shown.push(`code ${value}`);
    else if (key === 'info') shown.push(...fieldsIn(value));
    else if (fieldKeys.has(key)) shown.push(`${name} ${raw}`);
    else if (isMessageKey(key) || key === 'body') messages.push(saidIn(value));
  }
  const known = squashed(before);
  const told = messages.filter((message) => message !== '' && !known.includes(squashed(message)));
  return `${shown.length > 0 ? `(${shown.join(', ')})` : ''}${[...new Set(told)].map((message) => `: ${message}`).join('')}`;
}

function addData(value: string, shown: string[], messages: string[]): void {
  if (/^0x08c379a0/i.test(value)) return;
  const selector = /^0x[0-9a-f]{8}/i.exec(value)?.[0];
  if (isErrorData(value) || (selector !== undefined && value.length > 10)) shown.push(`selector ${selector}`);
  else if (value.startsWith(': ')) messages.push(value.slice(2));
}

function saidIn(value: string): string {
  const plain = value.replace(/\\(["\\])/g, '$1');
  return /^\s*[{[]/.test(plain) ? whatItSays(plain) : plain;
}

const field = /"(method|key|argument|param|field|event|operation)":\s?("[\w.()$]{1,80}")/g;

function fieldsIn(value: string): readonly string[] {
  return [...value.matchAll(field)].map(([, name = '', of = '']) => `${name} ${of}`);
}
