/** Cuts a stream of records into transactions: as few as bounded memory allows, since each one rewrites pages of every index. */
import type { ExecutionRecord } from '../records/record.ts';

const executionsMax = 30_000;
const linesMax = 100_000;

export function* batchesOf(executions: Iterable<ExecutionRecord>): Generator<readonly ExecutionRecord[]> {
  let batch: ExecutionRecord[] = [];
  let lines = 0;
  for (const execution of executions) {
    batch.push(execution);
    lines += (execution.logs?.length ?? 0) + (execution.events?.length ?? 0);
    if (batch.length < executionsMax && lines < linesMax) continue;
    yield batch;
    batch = [];
    lines = 0;
  }
  if (batch.length > 0) yield batch;
}
