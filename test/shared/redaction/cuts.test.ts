/** No cut reveals a secret: secrets across every place where a long text is cut are masked. */
import { describe, expect, it } from 'vitest';
import { safeBeginning, safeEnds } from '../../../src/shared/redaction/redact.ts';
import { cuts, expectNoPart } from './cuts.ts';

describe('a secret across a cut', () => {
  it.each(Object.entries(cuts))('leaves no part of it in %s', (_, cut) => expectNoPart(cut, 0));

  it('costs as much as the inspected text, not the whole', () => {
    const masked = safeBeginning('token=aB3dE5fG7hI9 '.repeat(1_000_000), 500);
    expect(masked.length).toBeLessThanOrEqual(500);
    expect(safeEnds('x '.repeat(50_000), 100, 200)).toHaveLength(303);
  });
});
