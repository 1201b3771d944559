/** The records as one request reads them: each read goes where its reach says, and its duration is measured. */
import { AppError } from '../../shared/errors.ts';
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

type Asked = { readonly asker: Asker; readonly sources: Sources; readonly measure: ServiceMeasure };

/** Made once: a request makes an object, not a function a read. */
const prototype = Object.fromEntries(
  (Object.entries(reachOf) as [Read, Classify][]).map(([read, classify]) => [
    read,
    function ask(this: Asked, ...given: readonly unknown[]) {
      return runMeasured(this, read, classify, given);
    },
  ]),
);

/** @returns the records of one request, each read to be called as a method */
export function askedRecords(asker: Asker, sources: Sources, measure: ServiceMeasure): Records {
  return Object.assign(Object.create(prototype), { asker, sources, measure });
}

async function runMeasured(
  { asker, sources, measure }: Asked,
  read: Read,
  classify: Classify,
  given: readonly unknown[],
): Promise<unknown> {
  const startedAt = performance.now();
  let isDone = false;
  try {
    const isUnbounded = sources.isUnbounded(classify(...given));
    const found = await (isUnbounded ? sources.unbounded(read, given) : (sources.bounded[read] as Ask)(...given));
    isDone = true;
    return found;
  } catch (error) {
    // The request is refused as a whole: what else it waits for need not be read.
    if (error instanceof AppError && error.code === 'rate_limited') asker.stop(error);
    throw error;
  } finally {
    measure({ kind: 'read', read, isDone, durationMs: performance.now() - startedAt });
  }
}

/** @returns runs reads by their names */
export function runIn(records: Records): RunRead {
  return (read, given) => (records[read] as Ask)(...given);
}
