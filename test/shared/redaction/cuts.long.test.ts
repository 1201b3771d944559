/** Every kind of secret across every place where a long text is cut. */
import { describe, it } from 'vitest';
import { carriers, cuts, expectNoPart } from './cuts.ts';

describe.each(carriers.map((carrier, first) => ({ first, word: carrier.slice(0, 12) })))(
  'with $word at the first place',
  ({ first }) => {
    it.each(Object.entries(cuts))('no part of a secret is left in %s', (_, cut) => expectNoPart(cut, first));
  },
);
