/** An optional answer: where it fails, the data is null and the provenance names what is missing. */
import { AppError } from '../../shared/errors.ts';
import type { Provenance } from '../domain/provenance.ts';
import type { Answered } from './results.ts';

/** @param part what is missing without it, in words a person reads @returns null as data where there was no answer */
export async function nullOnFailure<Data>(
  asked: Promise<Answered<Data>>,
  part: string,
): Promise<Answered<Data | null>> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'unauthorized') throw error;
    return { data: null, provenance: absent(part) };
  }
}

/** Beside an answer that is there it adds nothing but what is missing. */
function absent(part: string): Provenance {
  return { source: 'live', asOf: Number.POSITIVE_INFINITY, missing: [part] };
}
