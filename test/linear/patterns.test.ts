/** No regular expression of the sources reads a text again from each of its indexes. */
import { describe, expect, it } from 'vitest';
import { rescansOf } from '../support/hostile/adversarial.ts';
import { constructions, suspectPatterns } from '../support/hostile/source-patterns.ts';

describe('the regular expressions of the sources', async () => {
  const { every, patterns, rescans } = await suspectPatterns();

  it('are all found, also those built from strings', () => {
    expect(patterns.length).toBeGreaterThan(380);
    const files = new Set(every.map(({ where }) => where));
    expect(constructions.filter(({ file }) => !files.has(file))).toEqual([]);
  });

  it('have no nested repetition, and read no text again from each of its indexes', () => {
    expect(rescans.map(({ each, rescan }) => `${each.where} /${each.source}/ ${rescan}`)).toEqual([]);
  });
});

describe('a planted pattern', () => {
  it.each([
    { source: '"([^"\\n]{0,1500})"|“([^”\\n]{0,1500})”', flags: 'g' },
    { source: '\\s+$', flags: '' },
    { source: '(?:a|a?b?)+c', flags: '' },
    { source: '(?:,a{0,9}a?=){1,30}$', flags: '' },
    // A list of pairs, such as `, a 1, b 2`.
    {
      source:
        '(?:[,;]\\s{0,2}[\\p{L}_][\\p{L}_ .-]{0,40}[:=]?\\s?[…\\ue010-\\ue018]\\p{L}{0,3}){1,30}(?=\\s{0,3}(?:$|\\n))',
      flags: 'gu',
    },
  ])('is refused where it rescans: $source', (pattern) => {
    expect(rescansOf(pattern)).not.toEqual([]);
  });
});
