/** Quality of causes: pairwise precision and recall on labelled errors. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { causeOf } from '../../../src/bot/insight/causes/cause.ts';

const labelled = z.array(
  z.object({ cause: z.string(), classifiedStatus: z.string(), errors: z.array(z.string()).min(1) }),
);

function readSet(name: string) {
  const set = labelled.parse(JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8')));
  const errors = set.flatMap(({ cause, classifiedStatus, errors: texts }) =>
    texts.map((error) => ({ cause, error, ...causeOf({ errors: [{ error, count: 9 }], classifiedStatus }) })),
  );
  return { causes: new Set(set.map(({ cause }) => cause)).size, errors };
}

type Labelled = ReturnType<typeof readSet>['errors'];

/** Precision: the share of grouped pairs that belong together. Recall: the share of pairs that belong together and are grouped. */
function figuresOf(errors: Labelled) {
  const pairs = errors.flatMap((one, at) => errors.slice(at + 1).map((other) => [one, other] as const));
  const together = pairs.filter(([one, other]) => one.fingerprint === other.fingerprint);
  const alike = pairs.filter(([one, other]) => one.cause === other.cause);
  const right = together.filter(([one, other]) => one.cause === other.cause);
  const wrong = together.filter(([one, other]) => one.cause !== other.cause);
  const missed = alike.filter(([one, other]) => one.fingerprint !== other.fingerprint);
  return {
    precision: right.length / together.length,
    recall: right.length / alike.length,
    mistakes: [...wrong, ...missed].map(([one, other]) => `${one.error}\n  and ${other.error}`),
  };
}

describe.each([
  { name: 'causes', errorsMin: 150, causesMin: 40, told: 'labelled' },
  { name: 'causes-held-out', errorsMin: 80, causesMin: 25, told: 'held out, nothing was tuned on it' },
])('the set $name ($told)', ({ name, errorsMin, causesMin }) => {
  const { errors, causes } = readSet(name);

  it('has a precision and a recall of at least 0.97', ({ annotate }) => {
    const { precision, recall, mistakes } = figuresOf(errors);
    const line = `${name}: ${errors.length} errors, ${causes} causes: precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`;
    process.stdout.write(`${line}\n`);
    annotate(line);
    expect(Math.min(precision, recall), mistakes.join('\n')).toBeGreaterThanOrEqual(0.97);
  });

  it('is large enough to be meaningful', () => {
    expect(errors.length).toBeGreaterThanOrEqual(errorsMin);
    expect(causes).toBeGreaterThanOrEqual(causesMin);
  });

  it('has titles that fit a list and carry no long id', () => {
    for (const { title } of errors) {
      expect([...title].length).toBeLessThanOrEqual(120);
      expect(title).not.toMatch(/[0-9a-f]{16}|\d{7}|\n/i);
      expect(title).toMatch(/\p{L}/u);
    }
  });
});
