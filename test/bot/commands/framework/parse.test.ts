/** Parsing of command lines as people and phones type them. */
import { describe, expect, it } from 'vitest';
import { type Accepted, readArguments, splitLine } from '../../../../src/bot/commands/framework/parse.ts';

const values = ['text', 'window', 'status', 'pageSize'].map((key) => [key, 'value'] as const);
const accepted: Accepted = new Map([...values, ['private', 'switch']]);
const read = (line: string, keys = accepted) => readArguments(splitLine(line).words, keys);

describe('a command line', () => {
  it.each([
    'status payments',
    '  STATUS   payments ',
    'status\u00a0payments',
    'status\tpayments',
    'sta\u200btus payments\u200f',
  ])('%j is split into the word and its text', (line) => {
    expect(splitLine(line)).toEqual({ word: 'status', words: ['payments'] });
  });

  it('without text has no word', () => {
    expect(splitLine(' \t ')).toEqual({ word: '', words: [] });
  });

  it('keeps a window beside a name, which may be a part of it, and reads that of --window', () => {
    expect(read('status daily report 7d')).toEqual({ text: 'daily report 7d' });
    expect(read('status payments --window "last 7 days"')).toMatchObject({ text: 'payments', window: { label: '7d' } });
  });

  it.each(['--page-size 5', '--page-size=5', '\u2014page-size 5', '--PAGE-SIZE "5"'])('reads the flag %s', (flag) => {
    expect(read(`list ${flag}`)).toEqual({ pageSize: '5' });
  });

  it('keeps words in quotes together, straight or curly', () => {
    expect(splitLine('status “two words” "and three"').words).toEqual(['two words', 'and three']);
  });

  it('removes single quotes around a word, straight or curly, and keeps an apostrophe', () => {
    expect(splitLine("status ‘payments’ 'eu' o’brien").words).toEqual(['payments', 'eu', 'o’brien']);
  });

  it.each(['list --base-url=http://169.254.169.254', 'list --__proto__ x', 'list --constructor x', 'list --text x'])(
    '%s has an unknown flag and is refused',
    (line) => {
      expect(() => read(line)).toThrow(/^Unknown option --/);
    },
  );

  it('refuses a flag without its value, and words a command does not take', () => {
    expect(() => read('list --status')).toThrow('--status needs a value.');
    expect(read('execution --private payments')).toEqual({ private: true, text: 'payments' });
    expect(() => read('execution payments --private=yes')).toThrow('--private takes no value.');
    expect(() => read('status payments --window banana')).toThrow('“banana” is not a time window.');
    expect(() => read('account now', new Map())).toThrow('This command takes no arguments');
  });

  it('refuses a line that is too long', () => {
    expect(() => splitLine('x'.repeat(10_000))).toThrow('10000 characters');
  });
});
