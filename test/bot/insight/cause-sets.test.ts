/** Quality of causes: pairwise precision and recall on labelled errors, and titles that keep the point. */
import { describe, expect, it } from 'vitest';
import { causeFigures, readCauseSet } from '../../support/cause-sets.ts';

describe.each([
  { name: 'causes', errorsMin: 2_650, causesMin: 1_100, badTitlesMax: 11, least: 0.975, told: 'tuned' },
  { name: 'causes-held-out', errorsMin: 450, causesMin: 220, badTitlesMax: 24, least: 0.86, told: 'held out' },
])('the set $name ($told)', ({ name, errorsMin, causesMin, badTitlesMax, least }) => {
  const errors = readCauseSet(name);
  const figures = causeFigures(errors);

  it('has its precision and its recall', () => {
    const { precision, recall, mistakes } = figures;
    expect(Math.min(precision, recall), mistakes.join('\n')).toBeGreaterThanOrEqual(least);
  });

  it('has few titles that lose the point of the message', () => {
    expect(figures.badTitles.length, figures.badTitles.join('\n')).toBeLessThanOrEqual(badTitlesMax);
  });

  it('is large enough to be meaningful', () => {
    expect(figures.errors).toBeGreaterThanOrEqual(errorsMin);
    expect(figures.causes).toBeGreaterThanOrEqual(causesMin);
  });

  it('has titles that fit a list and carry no long id', () => {
    for (const { title } of errors) {
      expect([...title].length).toBeLessThanOrEqual(120);
      expect(title).not.toMatch(/[0-9a-f]{16}|(?<!AADSTS)\d{7}|\n/i);
      expect(title).toMatch(/\p{L}/u);
    }
  });
});
