/** Every regular expression of the sources is linear in the text. */
import { expect, it } from 'vitest';
import { unitsOf } from '../support/hostile/adversarial.ts';
import { superlinear } from '../support/hostile/growth.ts';
import { searchFor, suspectPatterns } from '../support/hostile/source-patterns.ts';

it('the regular expressions of the sources take ten times the time for ten times the text', async () => {
  const { patterns, rescans } = await suspectPatterns();
  // What is refused for its rescans could take hours.
  const refused = new Set(rescans.map(({ each }) => each));
  const slow = patterns.flatMap((each) =>
    refused.has(each) ? [] : superlinear(searchFor(each), unitsOf(each)).map((growth) => `${each.where} on ${growth}`),
  );
  expect(slow).toEqual([]);
}, 300_000);

it('a planted pattern is found by its growth alone', () => {
  const search = searchFor({ source: '-----BEGIN[^]{0,4000}?-----END', flags: 'g' });
  expect(superlinear(search, ['-----BEGIN'])).toHaveLength(1);
}, 300_000);
