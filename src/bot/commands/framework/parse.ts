/** Parses a command line into its first word and raw arguments, and detects secrets among typed words. */
import { AppError } from '../../../shared/errors.ts';
import { holdsSecret } from '../../../shared/redaction/redact.ts';
import { windowHint } from '../../domain/window.ts';
import { parseWindow, type WindowExpression } from '../../domain/window-words.ts';

/** Longer lines are refused before parsing; Slack's own limit is far higher. */
const lineUnitsMax = 2000;

/** The keys of a command's schema. A switch has no value: it arrives as `true`. */
export type Accepted = ReadonlyMap<string, 'value' | 'switch'>;

/** `--page-size 5` arrives as `pageSize: '5'`. */
export type RawArguments = {
  /** The words that are no flag, joined by single spaces; absent if there are none. */
  readonly text?: string;
  /** The value of `--window`. */
  readonly window?: WindowExpression;
  readonly [flag: string]: unknown;
};

export type ParsedLine = { readonly word: string; readonly words: readonly string[] };

/**
 * @param line as typed, or a button's value
 * @returns the first word in lower case (empty for an empty line) and the rest
 * @throws AppError `usage` if the line is too long
 */
export function splitLine(line: string): ParsedLine {
  if (line.length > lineUnitsMax) {
    throw new AppError('usage', `That command has ${line.length} characters; the limit is ${lineUnitsMax}.`, {
      hint: 'Shorten it and type it again.',
    });
  }
  const [word = '', ...words] = tokenize(normalize(line));
  return { word: word.toLowerCase(), words };
}

/** Most lines: printable ASCII without quotes, in words with single spaces between them. */
const plainLine = /^[!#-&(-~]+(?: [!#-&(-~]+)*$/;

/** Normalizes text typed on phones: composed letters, odd spaces, long dashes for `--`, curly quotes. */
function normalize(line: string): string {
  if (plainLine.test(line)) return line;
  return line
    .normalize('NFC')
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .replace(/(^| )[\u2013\u2014](?=[a-z])/gi, '$1--')
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/(?<=^| )['\u2018\u2019]([^'\u2018\u2019 ]+)['\u2018\u2019](?=$| )/g, '$1')
    .trim();
}

/** Words are split at spaces; double quotes keep spaces inside one word. */
function tokenize(line: string): readonly string[] {
  const tokens = line.match(/(?<![\w-])--?[\w-]+="[^"]*"|"[^"]*"|[^ ]+/g) ?? [];
  return tokens.map((token) => token.replace(/^(--?[\w-]+=)?"([^"]*)"$/, '$1$2'));
}

/**
 * @throws AppError `usage` for an unknown flag, a flag without a value, or words that the command does not take
 */
export function readArguments(words: readonly string[], accepted: Accepted): RawArguments {
  const flags: Record<string, unknown> = {};
  const plain: string[] = [];
  const pending = [...words];
  while (pending.length > 0) {
    const word = pending.shift() ?? '';
    const isBare = accepted.has(word) && (bareOptions[word]?.test(pending[0] ?? '') ?? false);
    const match = isBare ? [word, word] : /^--([^=]+)(?:=(.*))?$/.exec(word);
    if (!match) {
      plain.push(word);
      continue;
    }
    const key = flagKey(match[1] ?? '', accepted);
    if (accepted.get(key) === 'switch') {
      if (match[2] !== undefined) throw new AppError('usage', `--${match[1]} takes no value.`);
      flags[key] = true;
      continue;
    }
    const value = match[2] ?? pending.shift();
    const rest = key === 'status' && value !== undefined ? restOfStatus(value, pending) : [];
    if (value === undefined || value === '') throw new AppError('usage', `--${match[1]} needs a value.`);
    flags[key] = [value, ...rest].join(' ');
  }
  return { ...flags, ...readWords(plain, accepted, flags) };
}

/** Options that people type without dashes, with what may follow them: `executions payments page 2`. */
const bareOptions: Readonly<Record<string, RegExp>> = { page: /^\d+$/, grep: /./, node: /^(?:node-)?\d+$/ };

/** Displayed statuses of several words. */
const statusPhrases = ['completed with errors', 'deployment failed', 'in progress', 'no end reported'];

/** Takes the words that continue a status or a list of statuses from the pending ones. */
function restOfStatus(first: string, pending: string[]): readonly string[] {
  const taken: string[] = [];
  let last = lastPart(first);
  for (let next = pending[0]; next !== undefined && continuesStatus(last, next); next = pending[0]) {
    taken.push(next);
    pending.shift();
    last = next.includes(',') ? lastPart(next) : `${last} ${next}`.trim().toLowerCase();
  }
  return taken;
}

function lastPart(text: string): string {
  return text.slice(text.lastIndexOf(',') + 1).toLowerCase();
}

function continuesStatus(last: string, next: string): boolean {
  if (last === '') return !next.startsWith('--');
  const [word = ''] = next.toLowerCase().split(',', 1);
  return statusPhrases.some((phrase) => phrase === `${last} ${word}` || phrase.startsWith(`${last} ${word} `));
}

function flagKey(name: string, accepted: Accepted): string {
  const key = name.toLowerCase().replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (key !== 'text' && accepted.has(key)) return key;
  const flags = [...accepted.keys()]
    .filter((other) => other !== 'text')
    .map((other) => `--${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  throw new AppError('usage', mayRepeat(name) ? `Unknown option --${name}.` : 'Unknown option.', {
    hint: optionsHint(flags),
  });
}

function optionsHint(flags: readonly string[]): string {
  const [only, ...others] = flags;
  if (only === undefined) return 'This command has no options.';
  const known = others.length === 0 ? `one option: ${only}` : `these options: ${flags.join(', ')}`;
  const window = flags.includes('--window') ? ' The word --window is not needed: 7d alone is enough.' : '';
  return `This command has ${known}.${window}`;
}

function readWords(words: readonly string[], accepted: Accepted, flags: Readonly<Record<string, unknown>>) {
  const typed = flags['window'];
  const window = typeof typed === 'string' ? parseWindow(typed) : undefined;
  if (typed !== undefined && !window) {
    throw new AppError('usage', `“${typed}” is not a time window.`, { hint: windowHint });
  }
  if (words.length > 0 && !accepted.has('text')) {
    throw new AppError('usage', 'This command takes no arguments.');
  }
  return { ...(words.length > 0 && { text: words.join(' ') }), ...(window && { window }) };
}

/** Ids that people paste on purpose: uuids, chain addresses and hashes; a bare hash is a workflow's or an execution's. */
const ids =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{1,128}(?![0-9a-z])|(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/gi;
const run = /[A-Za-z0-9+/_=-]+/g;
const runUnitsMin = 20;
/** Smallest number of different characters. */
const kindsMin = 8;
/** A letter beside a digit, or a capital after a small letter. */
const change = /[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])|[a-z](?=[A-Z])/g;
/** Changes per character: 0.1 in names, 0.4 in random text of letters and digits. Names of many short parts reach more. */
const changeRateMin = { inOnePart: 0.2, inShortParts: 0.35 };
const longPart = /[A-Za-z0-9+/=]{12}/;
const oneCase = /^(?:[a-z]+|[A-Z]+)$/;
const unspeakable = /[b-df-hj-np-tv-xz]{5}/i;
/** Capitals where no word begins. */
const scatteredCapitals = /[a-z][A-Z][a-z][A-Z]|[A-Z][a-z][A-Z]{2}[a-z]|[a-z][A-Z]{2}[a-z][A-Z]/;

/** @returns whether the words contain a key, by its shape, or a long random text */
export function hasTypedSecret(words: readonly string[]): boolean {
  return words.flatMap(partsOf).some((part) => holdsSecret(part) || looksRandom(part)) || holdsSecret(words.join(' '));
}

/** @returns the word, and the name and the value of an option: beside a name, a value looks less random */
function partsOf(word: string): readonly string[] {
  const [, name, value] = /^--?([^=]+)(?:=(.*))?$/.exec(word) ?? [];
  return [word, name, value].filter((part) => part !== undefined);
}

/** @returns whether a part of 20 characters or more changes between capitals, small letters and digits as no name does */
function looksRandom(word: string): boolean {
  const runs = word.replace(ids, ' ').match(run) ?? [];
  return runs.some((text) => {
    if (text.length < runUnitsMin || new Set(text).size < kindsMin) return false;
    if (oneCase.test(text)) return unspeakable.test(text);
    if (/^[A-Za-z]+$/.test(text)) return scatteredCapitals.test(text);
    const rateMin = longPart.test(text) ? changeRateMin.inOnePart : changeRateMin.inShortParts;
    return (text.match(change) ?? []).length >= text.length * rateMin;
  });
}

/** Longer words are not repeated; every command name is shorter. */
const repeatedUnitsMax = 20;

/** @returns whether an unknown word is safe to repeat: short and without digits, so not a key */
export function mayRepeat(word: string): boolean {
  return word.length <= repeatedUnitsMax && !/\d/.test(word);
}
