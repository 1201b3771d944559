/** The records as one request reads them: each read goes where its reach says, and its duration is measured. */
import { AppError } from '../../core/errors.ts';
import type { Asker } from '../fairness/asker.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { Records } from './port.ts';
import { type Reach, reachOf } from './reach.ts';

export type Read = keyof Records;
/** One read by its name, with what it is given. */
export type RunRead = (read: Read, given: readonly unknown[]) => Promise<unknown>;

/** Where an engine reads for one request. */
export type Sources = {
  readonly bounded: Records;
  readonly unbounded: RunRead;
  readonly isUnbounded: (reach: Reach) => boolean;
};

type Ask = (...given: readonly unknown[]) => Promise<unknown>;
type Classify = (...given: readonly unknown[]) => Reach;

const reads = Object.entries(reachOf) as [Read, Classify][];

/** @returns the records of one request */
export function askedRecords(
  asker: Asker,
  { bounded, unbounded, isUnbounded }: Sources,
  measure: ServiceMeasure,
): Records {
  const asked = reads.map(([read, classify]) => {
    const ask = bounded[read] as Ask;
    return [
      read,
      async (...given: readonly unknown[]) => {
        const startedAt = performance.now();
        let isDone = false;
        try {
          const found = await (isUnbounded(classify(...given)) ? unbounded(read, given) : ask(...given));
          isDone = true;
          return found;
        } catch (error) {
          // The request is refused as a whole: what else it waits for need not be read.
          if (error instanceof AppError && error.code === 'rate_limited') asker.stop(error);
          throw error;
        } finally {
          measure({ kind: 'read', read, isDone, durationMs: performance.now() - startedAt });
        }
      },
    ];
  });
  return Object.fromEntries(asked);
}

/** @returns runs reads by their names */
export function runIn(records: Records): RunRead {
  return (read, given) => (records[read] as Ask)(...given);
}

export type RecordsOf = (asker: Asker, measure: ServiceMeasure) => Records;
