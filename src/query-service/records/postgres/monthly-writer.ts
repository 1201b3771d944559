/** Writes executions of a database that has a partition for each month: makes missing months, and drops whole ones. */
import type { Kysely } from 'kysely';
import { sqlStateOf } from '../../../shared/sql/sql-state.ts';
import type { RecordWriter } from '../port.ts';
import type { ExecutionRecord } from '../record.ts';
import type { Tables } from '../tables/tables.ts';
import { dropMonthsBefore } from './drop-months.ts';
import type { Months } from './months.ts';
import { createPostgresWriter } from './writer.ts';

/** A month may be dropped between making it and writing to it. */
const triesMax = 3;

export function createMonthlyWriter(db: Kysely<Tables>, months: Months): RecordWriter {
  const writer = createPostgresWriter(db, true);
  const putExecutions = async (records: readonly ExecutionRecord[]) => {
    for (let tries = 1; ; tries += 1) {
      await months.make(records.map(({ startedAt }) => startedAt));
      try {
        return await writer.putExecutions(records);
      } catch (error) {
        if (!lacksMonth(error) || tries === triesMax) throw error;
        months.lookAgain();
      }
    }
  };
  return {
    ...writer,
    putExecutions,
    async forgetExecutions(startedBefore, limit) {
      const dropped = await dropMonthsBefore(db, startedBefore);
      return dropped > 0 ? dropped : writer.forgetExecutions(startedBefore, limit);
    },
  };
}

/** The tables have no checks of their own: a violated one is the range of every partition. */
function lacksMonth(error: unknown): boolean {
  return sqlStateOf(error) === '23514';
}
