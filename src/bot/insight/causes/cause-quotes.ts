/** Quoted text inside an error: a value leaves, a message stays without its quotes. */
import { codeWords, messageKeys } from './vocabulary.ts';

const depthMax = 3;
const opening = /["“«`'‘]/g;

/** @returns the text with quoted values as `…` and quoted messages laid open, those inside them too; linear */
export function readQuotes(text: string, depth = 0): string {
  const endOf = createEnds(text);
  let read = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = match.index;
    const end = endOf(start);
    if (end === null) continue;
    const content = text.slice(start + 1, end);
    const isLaidOpen = isMessage(content, text.slice(Math.max(0, start - 40), start));
    read += `${text.slice(from, start)}${isLaidOpen ? (depth < depthMax ? readQuotes(content, depth + 1) : content) : '…'}`;
    from = end + 1;
    opening.lastIndex = from;
  }
  return read + text.slice(from);
}

/** Longer texts between quotes are no quotation. */
const unitsMax = { '"': 1500, '“': 1500, '«': 1500, '`': 400, "`'": 200, "'": 800 } as const;

/**
 * Finds where the quotation that opens at an index closes, on the same line; null where it does not. Each kind of end is
 * searched for once, however many quotes stay open: asked in ascending order, it costs as much as the text is long.
 */
function createEnds(text: string): (start: number) => number | null {
  const lineEnd = createNext(text, /\n/g);
  const double = createNext(text, /"/g);
  const curly = createNext(text, /”/g);
  const angle = createNext(text, /»/g);
  const backtick = createNext(text, /`/g);
  const tick = createNext(text, /'/g);
  /** Between letters it is an apostrophe; before a number nothing is quoted. */
  const single = createNext(text, /['’](?!\p{L})/gu);
  const within = (start: number, end: number, max: number) =>
    end - start - 1 <= max && end < lineEnd(start + 1) ? end : null;
  const ofSingle = (start: number) => {
    const end = within(start, single(start + 1), unitsMax["'"]);
    return end === null || isWord(text, end + 1) || isWordBefore(text, start) ? null : end;
  };
  return (start) => {
    switch (text[start]) {
      case '"':
        return within(start, double(start + 1), unitsMax['"']);
      case '“':
        return within(start, curly(start + 1), unitsMax['“']);
      case '«':
        return within(start, angle(start + 1), unitsMax['«']);
      case '`': {
        const end = backtick(start + 1);
        const other = tick(start + 1);
        return within(start, end, unitsMax['`']) ?? (other < end ? within(start, other, unitsMax["`'"]) : null);
      }
      default:
        return ofSingle(start);
    }
  };
}

/** @returns the next place of a pattern at an index or after it, `Infinity` for none; indexes must not fall */
function createNext(text: string, pattern: RegExp): (from: number) => number {
  let known = -1;
  return (from) => {
    if (known >= from) return known;
    pattern.lastIndex = from;
    known = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    return known;
  };
}

const wordAt = /[\p{L}\p{N}]/uy;
const wordBefore = /[\p{L}\p{N}]$/u;

function isWord(text: string, at: number): boolean {
  wordAt.lastIndex = at;
  return wordAt.test(text);
}

function isWordBefore(text: string, at: number): boolean {
  return wordBefore.test(text.slice(Math.max(0, at - 2), at));
}

/** Names are shorter. */
const sentenceWords = 5;

/** A message is announced by a word such as `reason`, or follows a colon, or is long enough for a sentence. */
function isMessage(content: string, before: string): boolean {
  const announcer = /([\p{L}_]{1,30})\W{0,3}$/u.exec(before)?.[1]?.toLowerCase().replace(/_/g, '') ?? '';
  if (messageKeys.has(announcer) || codeWords.has(announcer)) return /\p{L}{2}/u.test(content);
  const words = content.match(/\p{L}{2,}/gu)?.length ?? 0;
  return words >= sentenceWords || (/(?:^|[:=,(["”])\s{0,3}$/.test(before) && words >= 3);
}
