/** Queries optional facts of a digest. A missing or stale answer is named as missing. */

import { nullOnFailure } from '../query/null-on-failure.ts';
import type { Answered } from '../query/results.ts';

export type Part<Data> = { readonly data: Data | null; readonly missing: readonly string[] };

/** Stands for what was not asked. */
export const unasked = { data: null, missing: [] } as const;

/**
 * @param part what is missing without it, in words a person reads
 * @throws AppError where the key is refused: then nothing can be had
 */
export async function asked<Data>(answer: Promise<Answered<Data>>, part: string): Promise<Part<Data>> {
  const { data, provenance } = await nullOnFailure(answer, part);
  return provenance.source === 'stale' ? { data: null, missing: [part] } : { data, missing: provenance.missing };
}
