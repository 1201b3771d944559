/** Reads the words after a command: which may name a workflow, which are a window of time, and which are neither. */
import { parseWindow, plainWord, type WindowExpression } from '../../domain/window-words.ts';

/** Words of a sentence around a name, which mean nothing here. */
const fillers = new Set(
  [
    'a an the of for in on at to about with from and my our this that',
    'is are was were did do does has have had be been it i me us we you he she',
    'please pls thanks hey hi can could would will show tell give get check see look list',
    "what whats what’s what's how hows how’s how's why when where which who going doing happening happened happen wrong up",
    'now right currently again still just today’s workflow workflows job jobs status state health',
    'fail fails failing failed failure failures broken break breaking down red error errors ok okay fine good bad',
    'run runs running all any every anything everything latest newest recent most tell',
  ]
    .join(' ')
    .split(' '),
);

export type TypedWords = {
  /** All words, without pasted formatting and the punctuation of a sentence. */
  readonly words: readonly string[];
  /** Those that are left if a window and the words of a sentence are taken from both ends; empty if none is left. */
  readonly name: string;
  /** The words beside `name`. */
  readonly left: readonly string[];
};

export function readTyped(text: string): TypedWords {
  const words = text.split(' ').map(plainWord).filter(Boolean);
  const { window, before, after } = readWindow(words);
  const isFirst = window !== null && before.every(isFiller);
  const isLast = window !== null && after.every(isFiller);
  const named = isFirst ? withoutEnds(after) : withoutEnds(isLast ? before : words);
  const from = isFirst ? words.length - after.length + after.indexOf(named[0] ?? '') : words.indexOf(named[0] ?? '');
  const left = [...words.slice(0, Math.max(0, from)), ...words.slice(Math.max(0, from) + named.length)];
  return { words, name: named.join(' '), left };
}

/** @returns the window in the words beside a name, and the words that mean nothing, joined; empty if there are none */
export function readBeside(
  words: readonly string[],
  takesWindow = true,
): { readonly window: WindowExpression | null; readonly unread: string } {
  const { window, before, after } = readWindow(words);
  const isRead = (word: string) => isFiller(word) || (!takesWindow && word.toLowerCase() === 'last');
  const unreadIn = (part: readonly string[]) => part.filter((word) => !isRead(word) && /[\p{L}\p{N}]/u.test(word));
  const windowWords = takesWindow ? [] : words.slice(before.length, words.length - after.length);
  const unread = [...unreadIn(before), ...windowWords, ...unreadIn(after)];
  return { window: takesWindow ? window : null, unread: unread.join(' ') };
}

function isFiller(word: string): boolean {
  return fillers.has(word.toLowerCase());
}

function withoutEnds(words: readonly string[]): readonly string[] {
  const from = words.findIndex((word) => !isFiller(word));
  return from < 0 ? [] : words.slice(from, words.findLastIndex((word) => !isFiller(word)) + 1);
}

/** A window has at most as many words as `between yesterday 22:00 and today at 02:00 utc`. */
const windowWordsMax = 9;
const lineWordsMax = 60;

type WindowAmong = {
  /** Null if no words are a window; all words are then before it. */
  readonly window: WindowExpression | null;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

/** Finds the longest window among the words, the last of equally long ones. */
function readWindow(words: readonly string[]): WindowAmong {
  const count = Math.min(words.length, lineWordsMax);
  for (let length = Math.min(count, windowWordsMax); length > 0; length -= 1) {
    for (let from = count - length; from >= 0; from -= 1) {
      const window = parseWindow(words.slice(from, from + length).join(' '));
      if (window) return { window, before: words.slice(0, from), after: words.slice(from + length) };
    }
  }
  return { window: null, before: words, after: [] };
}
