/** Parses a command line into its first word and raw arguments. */
import { AppError } from '../../../shared/errors.ts';
import { parseWindow, type WindowExpression, windowHint } from '../../domain/window.ts';
import { mayRepeat } from './typed-secret.ts';

/** Longer lines are refused before parsing; Slack's own limit is far higher. */
const lineUnitsMax = 2000;

/** Keys that a command may declare in its schema; `--page-size 5` arrives as `pageSize: '5'`. */
export type RawArguments = {
  /** The words that are no flag and no window, joined by single spaces; absent when there are none. */
  readonly text?: string;
  readonly window?: WindowExpression;
  readonly [flag: string]: unknown;
};

export type ParsedLine = { readonly word: string; readonly words: readonly string[] };

/**
 * @param line as typed, or a button's value
 * @returns the first word in lower case (empty for an empty line) and the rest
 * @throws AppError `usage` when the line is too long
 */
export function splitLine(line: string): ParsedLine {
  if (line.length > lineUnitsMax) {
    throw new AppError(
      'usage',
      `That command is ${line.length} characters long; the longest I read is ${lineUnitsMax}.`,
      { hint: 'Type “help” after the command to see what I read.' },
    );
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
 * @param accepted the keys of the command's schema; a trailing window is only looked for when `window` is among them
 * @throws AppError `usage` for a flag the command does not have, a flag without a value, or words it does not take
 */
export function readArguments(words: readonly string[], accepted: readonly string[]): RawArguments {
  const flags: Record<string, unknown> = {};
  const rest: string[] = [];
  const pending = [...words];
  while (pending.length > 0) {
    const word = pending.shift() ?? '';
    const match = /^--([^=]+)(?:=(.*))?$/.exec(word);
    if (!match) {
      rest.push(word);
      continue;
    }
    const key = flagKey(match[1] ?? '', accepted);
    const value = match[2] ?? pending.shift();
    if (value === undefined || value === '') throw new AppError('usage', `--${match[1]} needs a value.`);
    flags[key] = value;
  }
  return { ...flags, ...readWords(rest, accepted, flags) };
}

function flagKey(name: string, accepted: readonly string[]): string {
  const key = name.toLowerCase().replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (key !== 'text' && accepted.includes(key)) return key;
  const flags = accepted.filter((other) => other !== 'text').map((other) => `--${kebab(other)}`);
  throw new AppError('usage', mayRepeat(name) ? `There is no --${name} here.` : 'There is no such flag here.', {
    hint: flags.length > 0 ? `It knows ${flags.join(', ')}.` : 'It takes no flags.',
  });
}

function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function readWords(words: readonly string[], accepted: readonly string[], flags: Readonly<Record<string, unknown>>) {
  const typed = flags['window'] ?? (accepted.includes('window') ? words.at(-1) : undefined);
  const window = typeof typed === 'string' ? parseWindow(typed) : undefined;
  if (flags['window'] !== undefined && !window) {
    throw new AppError('usage', `“${flags['window']}” is not a window.`, { hint: windowHint });
  }
  const left = window && flags['window'] === undefined ? words.slice(0, -1) : words;
  if (left.length > 0 && !accepted.includes('text')) {
    throw new AppError('usage', 'This command takes no words after it, so I have not read them.');
  }
  return { ...(left.length > 0 && { text: left.join(' ') }), ...(window && { window }) };
}
