/** Finds an execution's uuid by its 64-hex id, through the list of executions. */

import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer, type Outcome } from '../client/fault.ts';
import { ExecutionIdsDocument, type WorkflowExecutionsInput } from '../generated/operations.ts';
import {
  hasMore,
  isOwnPageSize,
  lengthOf,
  newestStartFirst,
  pageSizeMax,
  type Rows,
  readRows,
  rowTypes,
} from '../rows.ts';

type Id = { readonly uuid: string; readonly id: string };

/** An id keeps its uuid. */
const foundFreshMs = 3_600_000;
/** The execution may have started since. */
const nothingFreshMs = 15_000;
/** Pages that are read if a service cannot search. */
const pagesMax = 20;

/** @param hash with or without `0x`, in any case */
export function findExecutionOperation(hash: string): Operation<string | null> {
  const id = plain(hash);
  return {
    name: 'execution by id',
    parameters: [id],
    subject: 'the execution with this id',
    freshMs: (uuid) => (uuid === null ? nothingFreshMs : foundFreshMs),
    read: async (ask) => {
      const search = await idPage(ask, { search: id, page: { number: 0, size: pageSizeMax } });
      // The specification has no search: a service may refuse it, or return every execution.
      if ('fault' in search && search.fault.kind !== 'refused_question') return search;
      if ('fault' in search) return readBack(ask, id);
      const { rows } = search.value.rows;
      const uuid = uuidIn(rows, id);
      return uuid === null && rows.length > 0 ? readBack(ask, id) : { value: { data: uuid, missing: [] } };
    },
  };
}

function plain(hash: string): string {
  return hash.toLowerCase().replace(/^0x/, '');
}

function uuidIn(rows: readonly Id[], id: string): string | null {
  return rows.find((row) => plain(row.id) === id)?.uuid ?? null;
}

async function idPage(
  ask: Ask,
  input: WorkflowExecutionsInput,
): Promise<Outcome<{ readonly rows: Rows<Id>; readonly count: unknown }>> {
  const outcome = await ask(ExecutionIdsDocument, { input: { ...input, orderBy: newestStartFirst } });
  if ('fault' in outcome) return outcome;
  const part = outcome.value.part('workflowExecutions');
  const rows = readRows(rowTypes.executionId, part?.['data']);
  return rows ? { value: { rows, count: part?.['count'] } } : badAnswer('no list of executions in it');
}

/** Reads the newest executions page by page: people ask about new ones. */
async function readBack(ask: Ask, id: string): Promise<Outcome<Found<string | null>>> {
  const uuids = new Set<string>();
  let rowCount = 0;
  let fullLength = pageSizeMax;
  for (let number = 0; number < pagesMax; number += 1) {
    const outcome = await idPage(ask, { page: { number, size: pageSizeMax } });
    if ('fault' in outcome) return outcome;
    const { rows, count } = outcome.value;
    const uuid = uuidIn(rows.rows, id);
    if (uuid !== null) return { value: { data: uuid, missing: [] } };
    const length = lengthOf(rows);
    if (number === 0 && isOwnPageSize(length)) fullLength = length;
    const before = uuids.size;
    for (const row of rows.rows) uuids.add(row.uuid);
    if (uuids.size === before || !hasMore(rows, count, rowCount, fullLength))
      return { value: { data: null, missing: [] } };
    rowCount += length;
  }
  return { value: { data: null, missing: [`the executions before the newest ${uuids.size}`] } };
}
