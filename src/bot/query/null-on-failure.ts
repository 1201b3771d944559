/** Makes an answer optional: if it fails, the data is null and the provenance names the missing part. */
import { AppError } from '../../shared/errors.ts';
import type { Provenance } from '../domain/provenance.ts';
import type { Answered } from './results.ts';

/** @param part noun of the missing part, as a person reads it */
export async function nullOnFailure<Data>(
  answer: Promise<Answered<Data>>,
  part: string,
): Promise<Answered<Data | null>> {
  try {
    return await answer;
  } catch (error) {
    if (!isRecoverable(error)) throw error;
    return { data: null, provenance: absent([part]) };
  }
}

/** @param asOf time of the answer if nothing at all is asked, epoch milliseconds @returns the answer to a query that is not needed */
export function notNeeded(asOf = Number.POSITIVE_INFINITY) {
  return { data: null, provenance: absent([], asOf) } as const;
}

/** False for a bug, and for a refused key, because every other query fails then, too. */
export function isRecoverable(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'unauthorized';
}

/** Combined with another answer, it only adds the missing parts. */
function absent(missing: readonly string[], asOf = Number.POSITIVE_INFINITY): Provenance {
  return { source: 'live', asOf, missing };
}
