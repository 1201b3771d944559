/** Tells how long each reading of the records takes, waiting for a connection included. */
import type { ServiceMeasure } from '../measurement.ts';
import type { Records } from './port.ts';

/** @returns the same records; their names are few, so that they may be labels */
export function measuredRecords(records: Records, measure: ServiceMeasure): Records {
  const measured = Object.entries(records).map(([read, ask]) => [read, timed(read, ask, measure)]);
  return Object.fromEntries(measured);
}

type Ask = (...given: readonly never[]) => Promise<unknown>;

function timed(read: string, ask: Ask, measure: ServiceMeasure): Ask {
  return async (...given) => {
    const startedAt = performance.now();
    let isDone = false;
    try {
      const found = await ask(...given);
      isDone = true;
      return found;
    } finally {
      measure({ kind: 'read', read, isDone, durationMs: performance.now() - startedAt });
    }
  };
}
