/** A page of executions by their displayed result: no service filters successes that completed with errors. */
import { combinedProvenance } from '../../../domain/provenance.ts';
import { isCompletedWithErrors } from '../../../insight/executions/result.ts';
import type { ExecutionsFilter } from '../../../query/parameters.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import type { Answered, Execution, ExecutionPage } from '../../../query/results.ts';

/** A status of the service, or a success that had errors. */
type DisplayedStatus = NonNullable<ExecutionsFilter['statuses']>[number] | 'COMPLETED_WITH_ERRORS';

type PageRequest = Omit<ExecutionsFilter, 'statuses'> & {
  /** Any status if left out. */
  readonly statuses: readonly DisplayedStatus[] | undefined;
  /** From 0. */
  readonly page: number;
  readonly size: number;
};

const readSize = 100;
const readsMax = 20;

export async function executionsByResult(ask: QueryClient, request: PageRequest): Promise<Answered<ExecutionPage>> {
  const { statuses, page, size, ...filter } = request;
  const known = statuses?.filter((status) => status !== 'COMPLETED_WITH_ERRORS');
  const asked = { ...filter, page, size, takesOtherWindow: true };
  if (!statuses || !known) return ask.executions(asked);
  // A success with errors is a success too.
  if (known.length === statuses.length || known.includes('SUCCESS')) {
    return ask.executions({ ...asked, statuses: known });
  }
  const isWanted = (execution: Execution) =>
    isCompletedWithErrors(execution) || known.some((status) => status === execution.status);
  return readUntil(ask, { ...filter, statuses: [...known, 'SUCCESS'] }, isWanted, { page, size });
}

/** Reads the newest executions until the page is full. */
async function readUntil(
  ask: QueryClient,
  filter: ExecutionsFilter,
  isWanted: (execution: Execution) => boolean,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<Answered<ExecutionPage>> {
  const start = page * size;
  const read: Answered<ExecutionPage>[] = [];
  const found = new Map<string, Execution>();
  for (let number = 0; number < readsMax && found.size <= start + size; number += 1) {
    const answered = await ask.executions({ ...filter, page: number, size: readSize });
    read.push(answered);
    for (const execution of answered.data.executions) if (isWanted(execution)) found.set(execution.uuid, execution);
    if (!answered.data.hasMore) break;
  }
  const executions = [...found.values()];
  const [first, ...others] = read.map(({ provenance }) => provenance);
  if (!first) throw new Error('At least one page is read.');
  const provenance = combinedProvenance(first, ...others);
  return {
    data: {
      executions: executions.slice(start, start + size),
      hasMore: executions.length > start + size,
      total: read.at(-1)?.data.hasMore === false ? executions.length : null,
    },
    provenance: {
      ...provenance,
      missing: [...provenance.missing, ...unreadWords(read, executions.length <= start + size)],
    },
  };
}

function unreadWords(read: readonly Answered<ExecutionPage>[], isShort: boolean): readonly string[] {
  const rows = read.flatMap(({ data }) => data.executions);
  const successes = rows.filter(({ status }) => status === 'SUCCESS');
  const isUntold = successes.length > 0 && successes.every(({ detailedStatus }) => detailedStatus === null);
  return [
    ...(isUntold ? ['which runs completed with errors'] : []),
    ...(isShort && read.at(-1)?.data.hasMore ? [`the runs before the newest ${rows.length}`] : []),
  ];
}
