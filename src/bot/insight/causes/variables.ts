/** Replaces the variables of an error (ids, addresses, numbers, times, machine names) and keeps error codes. */
import { capabilityMark, isPlaceholder, nameOpening, placeholder } from './placeholders.ts';
import {
  calendarWords,
  capitalUnits,
  codePattern,
  codeWords,
  httpPhrase,
  labelNouns,
  letterIdPattern,
  termPattern,
  unitWords,
  weakCodeWords,
} from './vocabulary.ts';

export type MarkedText = {
  /** With a placeholder for each variable. */
  readonly text: string;
  /** Error codes and selectors in the text, in order. */
  readonly codes: readonly string[];
};

const chunk =
  /\ue001[^\ue001\ue002]{0,200}\ue002|[^\ue001\s"'`()[\]{}<>,;|=“”«»…\ue010-\ue018（）：，。、「」；]{1,4000}/gu;
/** Scripts without spaces: Latin words and numbers between them are read separately. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
const wordUnitsMax = 120;

/** @param text without quotes, URLs and JSON */
export function markVariables(text: string): MarkedText {
  const codes: string[] = [];
  const isRevert = /revert|selector|custom ?error|return(?:ed)? data/i.test(text);
  let previous = '';
  const marked = text.replace(chunk, (found, offset: number) => {
    if (found.startsWith(nameOpening)) {
      previous = '';
      return found;
    }
    const { lead, word, trail } = trimmed(found);
    if (word === '') return found;
    const after = text.slice(offset + found.length - trail.length, offset + found.length + 40);
    const before = text.slice(Math.max(0, offset - 4), offset + lead.length);
    const marked = unspaced.test(word) ? readUnspaced(word) : read(word, { previous, before, after, isRevert });
    const isCode = marked === word || (isRevert && marked === word.slice(0, 10));
    if (isCode && /\d/.test(word) && !termPattern.test(word)) codes.push(marked);
    previous = isPlaceholder(marked) ? '…' : word.toLowerCase();
    return isPlaceholder(marked) ? `${marked}${trail.replace(/%/g, '')}` : `${lead}${marked}${trail}`;
  });
  return { text: marked, codes };
}

function trimmed(found: string) {
  let start = 0;
  let end = found.length;
  while (start < end && !/[\p{L}\p{N}-]/u.test(found[start] ?? '')) start += 1;
  while (end > start && !/[\p{L}\p{N}]/u.test(found[end - 1] ?? '')) end -= 1;
  return { lead: found.slice(0, start), word: found.slice(start, end), trail: found.slice(end) };
}

function readUnspaced(word: string): string {
  return word.replace(/[\p{sc=Latin}\p{N}_.:/-]+/gu, (part) => (/\p{N}/u.test(part) ? kindOf(part) : part));
}

function read(word: string, context: WordContext): string {
  if (word.length > wordUnitsMax && !isSelector(word, context)) return placeholder.data;
  if (/^0x[0-9a-f]{40}::/i.test(word)) return `${placeholder.address}${word.slice(42)}`;
  if (/^0x/i.test(word)) return readHex(word, context);
  if (!/\p{N}/u.test(word)) return readLetters(word, context);
  if (termPattern.test(word)) return word;
  if (word === '0' && context.previous === 'than') return word;
  if (!/\p{L}/u.test(word)) return isNumberCode(word, context) ? word : kindOf(word);
  return readMixed(word, context);
}

function readHex(word: string, context: WordContext): string {
  if (isSelector(word, context)) return word.slice(0, 10);
  const isCode = /^0x[0-9a-f]{1,4}$/i.test(word) && /^(?:code|error|panic)$/.test(context.previous);
  return isCode ? word : kindOf(word);
}

function readLetters(word: string, { previous, before, after }: WordContext): string {
  const lower = word.toLowerCase();
  const isAfterNumber = previous === '…' && /[\d%\ue010]\s{0,2}$/.test(before);
  if (isAfterNumber && (isUnitHere(lower, before, after) || capitalUnits.has(word))) return placeholder.number;
  if (calendarWords.has(lower) && isDate(lower, isAfterNumber, after)) return placeholder.time;
  if (letterIdPattern.test(word)) return isLabelled(word) ? labelOf(word) : placeholder.id;
  return isMailAddress(word) ? placeholder.email : word;
}

const singularUnits = /^(?:second|minute|hour|day|week|month|year|gas|eth|point)$/;

/** `30 second timeout` and `1 day old` count a time; in `swap 7 day count` the word belongs to what follows. */
function isUnitHere(word: string, before: string, after: string): boolean {
  if (!unitWords.has(word)) return false;
  if (!singularUnits.test(word) || /(?:^|\D)1\s{1,2}$/.test(before)) return true;
  return !/^ (?!timeout|limit|window|period|interval|delay|deadline|ago|old|used|left|for|in|of|to|and|or|is|was|at|but|too)\p{L}/u.test(
    after,
  );
}

/** Months and days that are ordinary words too. */
const calendarVerbs = /^(?:may|march|mar|sun|sat|mon|wed|dec|second)$/;

/** `12 May 2026`, `Thu, 20 Nov`; in `order 12 may not` it is a verb. */
function isDate(word: string, isAfterNumber: boolean, after: string): boolean {
  if (/^[\s,.]{1,3}(?:\p{L}{2,9}\s)?\d/u.test(after))
    return (
      !calendarVerbs.test(word) || /^[\s,.]{1,3}(?:\p{L}{2,9}\s)?\d{1,4}\b(?! (?:times|orders?|attempts?))/u.test(after)
    );
  return isAfterNumber && (!calendarVerbs.test(word) || /^\s{0,2}(?:$|[,.;:)\]])/.test(after));
}

function isMailAddress(word: string): boolean {
  const at = word.indexOf('@');
  return at >= 0 && word.lastIndexOf('.', word.length - 2) > at + 1;
}

/** `s3:PutObject`: a term and a name. */
function isAction(word: string): boolean {
  const [service = '', name = '', ...rest] = word.split(':');
  return rest.length === 0 && termPattern.test(service) && /^[A-Za-z]{3,60}\*?$/.test(name);
}

/** Letters and digits in one word: a variable, unless it is a name or a code. */
function readMixed(word: string, context: WordContext): string {
  const versioned = /^(\p{L}[\p{L}\p{N}_:/.-]{0,80})@v?\d[\w.+-]{0,40}$/u.exec(word);
  if (versioned) return `${versioned[1]}${capabilityMark}`;
  const located = /^(\p{L}[^:]{0,80}):\d{1,5}$/u.exec(word);
  if (located && !/[./]/.test(located[1] ?? '')) return read(located[1] ?? '', context);
  if (isWordCode(word, context) || isAction(word)) return word;
  if (/[/\\]/.test(word)) return readPath(word, context);
  if (/^[\p{L}_][\p{L}_$]{2,}(?:\.[\p{L}\p{N}_$]{1,60}){1,8}$/u.test(word)) return readParts(word, '.', context);
  return readCompound(word);
}

/** Words, which an encoded token does not contain: the name before a version, as in `feed-signer/2745eb93…`. */
const hyphenated = /^\p{L}{2,30}(?:[-_]\p{L}{2,30}){1,6}$/u;

function readPath(word: string, context: WordContext): string {
  const parts = word.split(/[/\\]/);
  if (/^(?:[A-Z]\w{0,60}\.){1,8}[a-z_]\w{0,60}[!?]?\/\d{1,2}$/.test(word)) return word;
  const [name = '', version = ''] = parts;
  if (parts.length === 2 && hyphenated.test(name) && /^[0-9a-f-]{16,64}$/i.test(version))
    return `${name}/${placeholder.id}`;
  if (parts.length <= 2 && parts.some((part) => part.length >= 16 && /\d/.test(part) && /^[\w+=-]+$/.test(part)))
    return placeholder.id;
  return parts.map((part) => readPathPart(part, context)).join('/');
}

function readPathPart(part: string, context: WordContext): string {
  if (part === '') return '';
  if (!/\p{N}/u.test(part)) return readLetters(part, context);
  return /^\p{L}[\p{L}_]{2,40}(?:\.[\p{L}\d_]{1,40}){1,6}$/u.test(part)
    ? readParts(part, '.', context)
    : readNamed(part);
}

function readNamed(part: string): string {
  const tagged = /^(\p{L}[\p{L}_-]{2,60})[:@]v?\d[\w.+-]{0,40}$/u.exec(part);
  if (tagged) return tagged[1] ?? part;
  return termPattern.test(part) ? part : kindOf(part);
}

function readParts(word: string, separator: string, context: WordContext): string {
  return word
    .split(separator)
    .map((part) =>
      /\p{N}/u.test(part)
        ? /\p{L}/u.test(part)
          ? termPattern.test(part)
            ? part
            : readCompound(part)
          : placeholder.number
        : readLetters(part, context),
    )
    .join(separator);
}

/** `node-7` becomes `node-…`; a constant such as `ERR_HTTP2_STREAM` and a name such as `UniswapV3Pool` stay. */
function readCompound(word: string): string {
  const parts = word.split(/[-_]/);
  if (
    parts.some((part) => termPattern.test(part) || (parts.length > 1 && period.test(part))) &&
    parts.every((part) => readNamed(part) === part || period.test(part) || !/\p{N}/u.test(part))
  ) {
    return word;
  }
  if (isLabelled(word)) return labelOf(word);
  return isName(word) || /^[A-Z]{3,6}\d$/.test(word) ? word : kindOf(word);
}

/** `volume_24h`. */
const period = /^\d{1,2}[hdw]$/;

/** `batch-17` names a batch, as `batch 17` does; the prefix of `bch_8f3a` is a part of the id. */
function labelOf(word: string): string {
  const noun = /^\p{L}{4,20}(?=[-#.:\p{N}])/u.exec(word)?.[0];
  return noun === undefined ? placeholder.id : `${noun}-${placeholder.id}`;
}

/** Camel case with words of three letters and more, and one or two digits. */
function isName(word: string): boolean {
  if (!/^[A-Za-z]{2}[A-Za-z\d]{4,60}$/.test(word) || (word.match(/\d/g)?.length ?? 0) > 2) return false;
  const humps = word.match(/[A-Z][a-z]+/g) ?? [];
  return humps.length >= 1 && humps.join('').length / humps.length >= 3 && !isLabelled(word);
}

const timeShape = /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}:\d{2}|\d{1,2}\.\d{1,2}\.\d{4})/;

/** @returns the placeholder of a variable, by its shape */
function kindOf(word: string): string {
  if (/^0x/i.test(word)) return word.length === 42 ? placeholder.address : hexKind(word);
  if (timeShape.test(word)) return placeholder.time;
  if (/^\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?$/.test(word)) return placeholder.host;
  return /^[-+]?[\p{N}.,:_x×/%-]{1,100}\p{L}{0,5}$/u.test(word) ? placeholder.number : placeholder.id;
}

function hexKind(word: string): string {
  if (word.length === 66) return placeholder.hash;
  return word.length <= 18 ? placeholder.number : placeholder.data;
}

/** The context of a word. */
export type WordContext = {
  /** The word before, lower case; `…` after a variable, empty at the beginning. */
  readonly previous: string;
  readonly before: string;
  readonly after: string;
  readonly isRevert: boolean;
};

/** A selector alone, or with arguments of 32 bytes each. */
export function isSelector(word: string, { isRevert, previous }: WordContext): boolean {
  return isRevert && !labelNouns.has(previous) && /^0x[0-9a-f]{8,}$/i.test(word) && (word.length - 10) % 64 === 0;
}

export function isNumberCode(word: string, context: WordContext): boolean {
  if (isHttpStatus(word, context)) return true;
  const announcer = announcerOf(context);
  const isCounted = /^\s{1,3}(?:of|out of)\b/i.test(context.after) || isUnit(context.after);
  if (isCounted || !codeWords.has(announcer)) return false;
  if (weakCodeWords.has(announcer)) return /^[1-5]\d\d$/.test(word);
  return /^-?\d{1,6}(?:[_-]\d{1,5})?$/.test(word);
}

function announcerOf({ previous }: WordContext): string {
  return previous.replace(/^.*[^\p{L}]/u, '');
}

/** Before a reason phrase, at the very beginning, after an arrow, or after an address. */
function isHttpStatus(word: string, { previous, before, after }: WordContext): boolean {
  const isLabel = after.startsWith(':') && (labelNouns.has(previous) || previous.endsWith('id'));
  if (!/^[3-5]\d\d$/.test(word) || isLabel) return false;
  if (/(?:->|=>|→)\s?$/.test(before)) return true;
  if (before.endsWith('(') && after.startsWith(')')) return true;
  const isAlone = previous === '' || /[./]/.test(previous);
  return httpPhrase.test(after) || (isAlone && /^\s*(?:$|[,;:.\n)\]])/.test(after));
}

function isUnit(after: string): boolean {
  const unit = /^[^\S\n]{1,2}(\p{L}{1,8}|%)/u.exec(after)?.[1] ?? '';
  return unitWords.has(unit.toLowerCase()) || capitalUnits.has(unit);
}

/** @param word of letters and digits */
export function isWordCode(word: string, context: WordContext): boolean {
  return isCode(word) || isAnnouncedCode(word, context) || isLeadingCode(word, context);
}

/** `e1a2b3` may be a code or an id; the only longer code is MongoDB's `E11000`. */
function isCode(word: string): boolean {
  return codePattern.test(word) && (!/^[0-9a-f]{6,}$/i.test(word) || /^E\d{5}$/.test(word));
}

function isAnnouncedCode(word: string, context: WordContext): boolean {
  return (
    codeWords.has(announcerOf(context)) &&
    /^(?:[a-z]{1,8}[-_]?\d{1,6}|[0-9a-z]{5}|[\da-f]{3,4})$/i.test(word) &&
    !isLabelled(word)
  );
}

/** A capital prefix and a number alone before a colon: `LEDGER-4021: account closed`. */
function isLeadingCode(word: string, { before, after }: WordContext): boolean {
  if (isLabelled(word)) return false;
  if (!/(?:^|[:;\n(]\s?)$/.test(before)) return false;
  if (/^[A-Z]{2,10}[-_#]?\d{3,5}$/.test(word) && /^:|^$/.test(after)) return true;
  return (
    /^[A-Z]{2}\d{2,3}$/.test(word) &&
    /^(?:[:).,;\n]|$| (?!is |was |did |does |has |had |not |never |at |timed |lost |went |fail|down|unreach|offline)[a-z])/.test(
      after,
    )
  );
}

/** Returns true if it begins with the noun that an id belongs to, as `batch-17` does. */
export function isLabelled(word: string): boolean {
  return labelNouns.has(/^\p{L}*/u.exec(word)?.[0]?.toLowerCase() ?? '');
}
