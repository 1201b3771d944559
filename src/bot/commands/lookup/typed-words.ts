/** Reads the words after a command: which may name a workflow, which are a window of time, and which are neither. */
import { refuseZone } from '../../domain/point-in-time.ts';
import { parseWindow, plainWord, type WindowExpression } from '../../domain/window-words.ts';
import { isZoneSign } from '../../domain/zones.ts';

/** Words of a sentence around a name, which mean nothing here. */
const fillers = new Set(
  [
    'a an the of or for in on at to about with from and my our this that',
    'is are was were did do does has have had be been it i me us we you he she',
    'please pls thanks hey hi can could would will show tell give get check see look list',
    "what whats what’s what's how hows how’s how's why when where which who going doing happening happened happen wrong up",
    'now right currently again still just only today’s workflow workflows job jobs status state health',
    'fail fails failing failed failure failures broken broke break breaking crashed down red error errors ok okay fine good bad',
    'silent paused healthy unstable recovered unhealthy not successful succeed succeeded success green working many much',
    'run runs running executions progress completed unfinished csv json file all any every anything everything last latest newest recent most tell',
    'since and so but then yet already there some come explain details more problem problems issue issues cause reason fixed fire burning',
  ]
    .join(' ')
    .split(' '),
);

/** Words of a question that may also be a part of a name, so they mean nothing only beside one. */
const ambiguousFillers = new Set(
  'start starts started starting begin begins began stop stops stopped long often back ago new same investigate recover rollback roll deploy someone anyone'.split(
    ' ',
  ),
);

const courtesies = new Set(
  'thanks thank thx ty cheers great cool nice hi hello hey bye sorry ok good night morning you so much all got it 👍 🙏'.split(
    ' ',
  ),
);

/** `ok thanks`, `good night!` */
export function isCourtesy(words: readonly string[]): boolean {
  return words.every((each) => courtesies.has(plainWord(each).toLowerCase()));
}

export type TypedWords = {
  /** All words, without pasted formatting and the punctuation of a sentence. */
  readonly words: readonly string[];
  /** Those that are left if windows and the words of a sentence are taken from both ends; empty if none is left. */
  readonly name: string;
  /** The words beside `name`. */
  readonly left: readonly string[];
};

export function readTyped(text: string): TypedWords {
  const words = text.split(' ').map(plainWord).filter(Boolean);
  let [from, to] = [0, words.length];
  for (let windows = 0; windows < windowsMax; windows += 1) {
    const { window, before, after } = readWindow(words.slice(from, to));
    if (window !== null && before.every(isFiller)) from = to - after.length;
    else if (window !== null && after.every(isFiller)) to = from + before.length;
    else break;
  }
  while (from < to && isFiller(words[from] ?? '')) from += 1;
  while (from < to && isFiller(words[to - 1] ?? '')) to -= 1;
  return { words, name: words.slice(from, to).join(' '), left: [...words.slice(0, from), ...words.slice(to)] };
}

/** @returns whether the words are those of a question without a name, such as `why?` and `what happened last night?` */
export function isNameless(words: readonly string[]): boolean {
  const asked = words.map(plainWord).filter((word) => !ambiguousFillers.has(word.toLowerCase()));
  return !/[\p{L}\p{N}]/u.test(readTyped(asked.join(' ')).name);
}

/** Nobody means more. */
const windowsMax = 3;

export type BesideName = {
  readonly window: WindowExpression | null;
  /** A second window, or the window of an answer that takes none; empty if there is none. */
  readonly unusedWindow: string;
  /** All words that are in no window. */
  readonly others: readonly string[];
  /** Those of them that mean nothing, joined; empty if there are none. */
  readonly unread: string;
};

/** @param words beside a name @param flag the value of `--window`, which wins @returns the window in the words, and what was not used */
export function readBeside(
  words: readonly string[],
  { takesWindow = true, flag }: { readonly takesWindow?: boolean; readonly flag?: WindowExpression | undefined } = {},
): BesideName {
  const read = readWindow(words);
  const second = readWindow([...read.before, ...read.after]);
  const others = [...second.before, ...second.after];
  const isRead = (word: string) => isFiller(word) || ambiguousFillers.has(word.toLowerCase());
  const unread = others.filter((word) => !isRead(word) && /[\p{L}\p{N}]/u.test(word)).join(' ');
  const isUsed = takesWindow && flag === undefined;
  const unused = [isUsed ? '' : read.typed, second.typed].filter(Boolean);
  const used = takesWindow ? (flag ?? read.window) : null;
  // Left out, it would move the times.
  const zone = used?.needsZone ? others.find((word) => isZoneSign(word.toLowerCase())) : undefined;
  const window = used && zone !== undefined ? { ...used, bounds: () => refuseZone(zone) } : used;
  return { window, unusedWindow: unused.join(', '), others, unread };
}

/** @returns whether the word is one of a sentence, or an emoji, which means nothing beside a name */
export function isFiller(word: string): boolean {
  return fillers.has(word.toLowerCase()) || /^:[a-z0-9_+-]+:?$/.test(word);
}

/** A window has at most as many words as `between yesterday 22:00 and today at 02:00 utc`. */
const windowWordsMax = 9;
const lineWordsMax = 60;

type WindowAmong = {
  /** Null if no words are a window; all words are then before it. */
  readonly window: WindowExpression | null;
  /** Its words; empty if there is none. */
  readonly typed: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

/** Finds the longest window among the words, the last of equally long ones. */
function readWindow(words: readonly string[]): WindowAmong {
  const count = Math.min(words.length, lineWordsMax);
  for (let length = Math.min(count, windowWordsMax); length > 0; length -= 1) {
    for (let from = count - length; from >= 0; from -= 1) {
      const typed = words.slice(from, from + length).join(' ');
      const window = parseWindow(typed);
      if (window) return { window, typed, before: words.slice(0, from), after: words.slice(from + length) };
    }
  }
  return { window: null, typed: '', before: words, after: [] };
}
