/** Keeps the sample alive: writes what each schedule has started, carried on or finished since it last looked. */
import type { RecordWriter } from '../records/port.ts';
import type { ExecutionRecord } from '../records/record.ts';
import { batchesOf } from './batches.ts';
import { type Course, runMsMax } from './course.ts';
import { executionsOf } from './history.ts';
import { type SampleOptions, sampleRecords } from './sample.ts';

export type SampleAppender = {
  /**
   * Nothing is lost or doubled by a tick that comes late, twice or after a failed one: it begins where the last good one ended,
   * and what it writes replaces what stands.
   * @param now epoch milliseconds
   */
  readonly tick: (now: number) => Promise<void>;
};

/** @param writer where the records go @param sample the seed, and when the sample was built: the stories go on from then */
export function createSampleAppender(
  writer: Pick<RecordWriter, 'putExecutions'>,
  sample: SampleOptions,
): SampleAppender {
  const courses = Object.values(sampleRecords(sample)).flatMap((tenant) => tenant.courses);
  let seenUpTo = sample.builtAt;
  return {
    async tick(now) {
      for (const batch of batchesOf(changesOf(courses, seenUpTo, now))) await writer.putExecutions(batch);
      seenUpTo = Math.max(seenUpTo, now);
    },
  };
}

/** Executions that started after `since`, and those that were in progress then. */
function* changesOf(courses: readonly Course[], since: number, now: number): Generator<ExecutionRecord> {
  for (const course of courses) {
    for (const execution of executionsOf(course, { from: since - runMsMax, to: now }, now)) {
      const { startedAt, finishedAt } = execution;
      if (startedAt > since || finishedAt === null || finishedAt > since) yield execution;
    }
  }
}
