/** Reads quotations: a message loses its quotes, a name of something is kept as it is, a value becomes a placeholder. */
import { markedName, placeholder } from './placeholders.ts';
import { isErrorData } from './structures.ts';
import { isLabelled } from './variables.ts';
import { codeWords, letterIdPattern, messageKeys, nameNouns, phraseNouns, valueNouns } from './vocabulary.ts';

const depthMax = 3;
/** Quotations on one line, by their marks. */
const quotation =
  /"[^"\n]{0,1500}"|“[^“”\n]{0,1500}”|„[^„“”\n]{0,1500}[“”]|«[^«»\n]{0,1500}»|»[^«»\n]{0,1500}«|`[^`'\n]{0,400}[`']|(?<![\p{L}\p{N}])['‘][^'‘’\n]{0,800}['’](?![\p{L}\p{N}])/gu;
/** Stands for an apostrophe, which is no quotation mark. */
const apostrophe = '\ue005';

/** @returns the text with quoted values as `…` and quoted messages without their quotes, also nested ones; linear */
export function readQuotes(text: string, depth = 0): string {
  const marked = text.replace(/(?<=\p{L})['’](?=\p{L})/gu, apostrophe);
  const read = marked.replace(quotation, (all, start: number) => {
    const before = marked.slice(Math.max(0, start - 60), start);
    const after = marked.slice(start + all.length, start + all.length + 29);
    return readQuoted(all.slice(1, -1), { quote: all[0] ?? '', before, after, depth });
  });
  return read.replaceAll(apostrophe, "'");
}

type Quoted = { readonly quote: string; readonly before: string; readonly after: string; readonly depth: number };

function readQuoted(content: string, quoted: Quoted): string {
  const plain = content.trim();
  if (isPath(plain)) return plain;
  if (/\b(?:data|signature|selector|error|reverted)\W{0,3}$/i.test(quoted.before) && isErrorData(plain))
    return plain.slice(0, 10);
  const announcer = announcerOf(quoted.before);
  if (codeWords.has(announcer) && /^-?\d{1,6}$/.test(plain)) return plain;
  if (/^(?!…)[\p{P}\p{S}]{1,3}$/u.test(plain) || (announcer === 'token' && plain.length === 1))
    return markedName(plain, quoted.quote);
  if (isMessage(content, quoted.before, announcer)) {
    const said = quoted.depth < depthMax ? readQuotes(content, quoted.depth + 1) : content;
    return /[\ue002"'`]\s?$/.test(quoted.before) ? `: ${said}` : said;
  }
  // A name of several words, after its noun: the quota `Read requests`.
  const isPhrase = phraseNouns.has(announcer) && /^\p{L}{2,30}(?: \p{L}{2,30}){1,4}$/u.test(plain);
  if (isPhrase || isProperty(plain, quoted.after)) return markedName(plain, quoted.quote);
  return isName(plain, quoted) ? markedName(plain, quoted.quote) : placeholder.value;
}

/** An address or a file: its ids are found where words are read. */
function isPath(content: string): boolean {
  return (
    content.includes('/') &&
    /^(?:\/(?=\S)|\.{1,2}\/(?=\S)|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\/(?=\S|$)|@[\w-]{1,63}\/|[\w-]{1,63}:\/\/)\S{0,400}$/.test(
      content,
    )
  );
}

/** Quoted names have fewer words. */
const sentenceWords = 5;

/** A sentence that says what is wrong with a value. */
const reason = /\b(?:not|cannot|failed)\b/;
const reasonWords = 8;

/** A message is announced by a word such as `reason`, or follows a colon, or is long enough for a sentence. */
function isMessage(content: string, before: string, announcer: string): boolean {
  if (valueNouns.has(announcer) && !/\s/.test(content)) return false;
  if (messageKeys.has(announcer) || codeWords.has(announcer)) return /\p{L}{2}/u.test(content);
  const words = content.match(/\p{L}{2,}/gu)?.length ?? 0;
  if (announcer === 'value' && words >= reasonWords && reason.test(content)) return true;
  if (valueNouns.has(announcer)) return false;
  return words >= sentenceWords || (/\s/.test(content) && /(?:^|[:=,(["”])\s{0,3}$/.test(before) && words >= 3);
}

const announcerUnitsMax = 30;

/** The word before a quotation, at most three other units apart. */
function announcerOf(before: string): string {
  let end = before.length;
  while (end > 0 && before.length - end < 3 && !wordUnit.test(before[end - 1] ?? '')) end -= 1;
  let start = end;
  while (start > 0 && end - start < announcerUnitsMax && wordUnit.test(before[start - 1] ?? '')) start -= 1;
  return before.slice(start, end).toLowerCase().replaceAll('_', '');
}

const wordUnit = /[\p{L}_]/u;

/** A property as a validator writes it: `'Creditor Bic' must not be empty`. */
function isProperty(content: string, after: string): boolean {
  return (
    /^\p{Lu}\p{Ll}{1,20}(?: \p{Lu}\p{Ll}{1,20}){1,3}$/u.test(content) && /^ (?:must|should|is required)\b/.test(after)
  );
}

/** One word without an id in it. */
const nameShape = /^[\p{L}_$@][\p{L}\p{M}\p{N}_$.:@#*()-]{0,79}$/u;

/** A name says which thing is at fault: a column, a secret, a method. Values that a person or a program sent are no names. */
function isName(content: string, { before, after }: Quoted): boolean {
  if (!nameShape.test(content) || isId(content, before) || valueNouns.has(announcerOf(before))) return false;
  if (/[a-z][A-Z]|\p{L}[_.-]\p{L}|\(/u.test(content)) return true;
  const near = [...(before.match(/\p{L}{2,}/gu) ?? []).slice(-3), ...(after.match(/\p{L}{2,}/gu) ?? []).slice(0, 2)];
  if (near.some((word) => nameNouns.has(word.toLowerCase()))) return true;
  return /^(?:\p{Ll}|\p{Ll}{3,})$/u.test(content);
}

/** More digits than a name has, or the noun that an id belongs to before them. */
function isId(content: string, before: string): boolean {
  if (letterIdPattern.test(content)) return true;
  const digits = content.match(/\d/g)?.length ?? 0;
  if (digits === 0) return false;
  return (
    digits > 3 ||
    /^(?:\p{L}{2,12}[-_])?[\da-f]{8,64}$/iu.test(content) ||
    (isLabelled(content) && !/\bindex $/.test(before)) ||
    /-\d|\d[.-]/.test(content) ||
    !/\p{L}{3}/u.test(content)
  );
}
