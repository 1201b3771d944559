/** Every regular expression of the sources is linear in the text. */
import { describe, expect, it } from 'vitest';
import { createScrub } from '../../src/bot/query/client/scrub.ts';
import { escapeText } from '../../src/local-slack/interactions/escape-text.ts';
import { noStorage } from '../../src/local-slack/state/storage.ts';
import { createWorkspace } from '../../src/local-slack/state/workspace.ts';
import { rescansOf, unitsOf, withoutUpperBounds } from '../support/adversarial.ts';
import { superlinear } from '../support/growth.ts';
import { builtDuring, type Pattern, patternsIn, readSource, sourceFiles } from '../support/patterns.ts';

const found = sourceFiles().map((file) => patternsIn(file, readSource(file)));
const literals = found.flatMap((each) => each.literals);
const constructions = found.flatMap((each) => each.constructions);

/** Built from what is only known later: each is built once with something of the kind. */
const builtLater: Readonly<Record<string, () => unknown>> = {
  'src/local-slack/interactions/escape-text.ts': () =>
    escapeText(
      '@ben',
      createWorkspace({
        ...{ number: 1, clock: Date.now, onChange: () => undefined },
        ...{ organization: null, storage: noStorage },
      }),
      'message',
    ),
  'src/bot/query/client/scrub.ts': () => createScrub('wfq_a+b/c=d.e%f"g\\h').text('%41'),
};

async function findPatterns(): Promise<readonly Pattern[]> {
  const files = [...new Set(constructions.map(({ file }) => file))];
  const built = await builtDuring(async () => {
    for (const file of files) await import(`../../${file}?watched`);
    for (const build of Object.values(builtLater)) build();
  });
  return [...literals, ...built];
}

/** Everywhere in the text, or at its beginning alone where that is the pattern's way, with every upper bound of a repetition taken away. */
function searchFor(pattern: Pick<Pattern, 'source' | 'flags'>): (text: string) => unknown {
  const searched = new RegExp(withoutUpperBounds(pattern), pattern.flags);
  return (text) => text.replace(searched, '');
}

/** Beginnings of patterns that read one text in two ways; as nothing after it can fail, nothing makes them try the other. */
const withoutSequel = ['[ \\t;,]{0,8}([^\\s=;,"', '\\b((?:https?|wss?):\\/\\/)(?:(?:'];

describe('the regular expressions of the sources', async () => {
  const everyPattern = await findPatterns();
  const patterns = [...new Map(everyPattern.map((each) => [`${each.source}/${each.flags}`, each])).values()];

  it('are all found, also those built from strings', () => {
    expect(patterns.length).toBeGreaterThan(380);
    const files = new Set(everyPattern.map(({ where }) => where));
    expect(constructions.filter(({ file }) => !files.has(file))).toEqual([]);
  });

  const suspects = patterns.filter(({ source }) => !withoutSequel.some((beginning) => source.startsWith(beginning)));
  const rescans = suspects.flatMap((each) => rescansOf(each).map((rescan) => ({ each, rescan })));

  it('have no nested repetition, and read no text again from each of its indexes', () => {
    expect(rescans.map(({ each, rescan }) => `${each.where} /${each.source}/ ${rescan}`)).toEqual([]);
  });

  it('take ten times the time for ten times the text', () => {
    // What is refused above could take hours.
    const refused = new Set(rescans.map(({ each }) => each));
    const slow = patterns.flatMap((each) =>
      refused.has(each)
        ? []
        : superlinear(searchFor(each), unitsOf(each)).map((growth) => `${each.where} on ${growth}`),
    );
    expect(slow).toEqual([]);
  }, 120_000);
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

  it('is found by its growth alone', () => {
    const search = searchFor({ source: '-----BEGIN[^]{0,4000}?-----END', flags: 'g' });
    expect(superlinear(search, ['-----BEGIN'])).toHaveLength(1);
  });
});
