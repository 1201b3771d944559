/** Rules of causes generalise: changes that keep a cause do not move an error to another one, and others do. */
import { describe, expect, it } from 'vitest';
import { causeOf } from '../../../src/bot/insight/causes/cause.ts';
import { changingMutations, keepingMutations } from '../../support/insight/cause-mutations.ts';
import { readCauseSet } from '../../support/insight/cause-sets.ts';

const errors = [...Map.groupBy(readCauseSet('causes'), ({ cause }) => cause).values()].flatMap(([first]) =>
  first ? [first.error] : [],
);
const keyOf = (error: string) => causeOf({ errors: [{ error, count: 1 }], classifiedStatus: null }).fingerprint;

/** Pairs of an error and what a mutation makes of it, where it changes anything. */
function changedBy(mutate: (error: string) => string | null): readonly (readonly [string, string])[] {
  return errors.flatMap((error) => {
    const changed = mutate(error);
    return changed === null || changed === error ? [] : [[error, changed] as const];
  });
}

describe('the cause of a labelled error', () => {
  it.each(Object.entries(keepingMutations))('stays with %s in at least 97 of 100', (_what, mutate) => {
    const pairs = changedBy(mutate);
    const lost = pairs.filter(([error, changed]) => keyOf(error) !== keyOf(changed));
    expect(pairs.length).toBeGreaterThanOrEqual(20);
    expect(lost.length, lost.map(([, changed]) => changed).join('\n')).toBeLessThanOrEqual(pairs.length * 0.03);
  });

  it.each(Object.entries(changingMutations))('becomes another one with %s in at least 9 of 10', (_what, mutate) => {
    const pairs = changedBy(mutate);
    const merged = pairs.filter(([error, changed]) => keyOf(error) === keyOf(changed));
    expect(pairs.length).toBeGreaterThanOrEqual(4);
    expect(merged.length, merged.map(([, changed]) => changed).join('\n')).toBeLessThanOrEqual(pairs.length * 0.1);
  });
});
