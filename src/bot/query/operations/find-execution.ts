/** Finds executions by their 64-hex id or the beginning of an id, through the list of executions. */

import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer, type Outcome } from '../client/fault.ts';
import { ExecutionIdsDocument, type WorkflowExecutionsInput } from '../generated/operations.ts';
import type { ExecutionId } from '../results.ts';
import {
  hasMore,
  isOwnPageSize,
  lengthOf,
  newestFirst,
  newestStartFirst,
  pageSizeMax,
  type Rows,
  readRows,
  rowTypes,
} from '../rows.ts';

/** An id keeps its uuid. */
const foundFreshMs = 3_600_000;
/** The execution may have started since. */
const nothingFreshMs = 15_000;
/** Pages that are read if a service cannot search, and for the beginning of a uuid, which no service can search. */
const pagesMax = 20;

/** `searchedNewest`: set if only so many of the newest executions were looked at. */
export type SearchedIds<Data> = { readonly found: Data; readonly searchedNewest: number | null };

/** @param hash with or without `0x`, in any case */
export function findExecutionOperation(hash: string): Operation<SearchedIds<string | null>> {
  const id = plain(hash);
  return {
    name: 'execution by id',
    parameters: [id],
    subject: 'the run with this id',
    freshMs: ({ found }) => (found === null ? nothingFreshMs : foundFreshMs),
    read: async (ask) => {
      const search = await idPage(ask, { search: id, page: { number: 0, size: pageSizeMax } });
      // The specification has no search: a service may refuse it, or return every execution.
      if ('fault' in search && search.fault.kind !== 'invalid_request') return search;
      if ('fault' in search) return readBack(ask, id);
      const { rows } = search.value.rows;
      const uuid = uuidIn(rows, id);
      return uuid === null && rows.length > 0 ? readBack(ask, id) : whole(uuid);
    },
  };
}

function whole<Data>(found: Data): { readonly value: Found<SearchedIds<Data>> } {
  return { value: { data: { found, searchedNewest: null }, missing: [] } };
}

function plain(hash: string): string {
  return hash.toLowerCase().replace(/^0x/, '');
}

function uuidIn(rows: readonly ExecutionId[], id: string): string | null {
  return rows.find((row) => plain(row.id) === id)?.uuid ?? null;
}

async function idPage(
  ask: Ask,
  input: WorkflowExecutionsInput,
): Promise<Outcome<{ readonly rows: Rows<ExecutionId>; readonly count: unknown }>> {
  const outcome = await ask(ExecutionIdsDocument, { input: { ...input, orderBy: newestStartFirst } });
  if ('fault' in outcome) return outcome;
  const part = outcome.value.part('workflowExecutions');
  const rows = readRows(rowTypes.executionId, part?.['data']);
  return rows ? { value: { rows, count: part?.['count'] } } : badAnswer('no list of executions in it');
}

/** Reads the newest executions page by page: people ask about new ones. */
async function readBack(ask: Ask, id: string): Promise<Outcome<Found<SearchedIds<string | null>>>> {
  const read = await readNewest(ask, (row) => plain(row.id) === id);
  if ('fault' in read) return read;
  const { found, searchedNewest } = read.value.data;
  return { value: { data: { found: found[0]?.uuid ?? null, searchedNewest }, missing: [] } };
}

/** @param prefix at least eight characters of an id or a uuid, lower case, without `0x` */
export function executionsByPrefixOperation(prefix: string): Operation<SearchedIds<readonly ExecutionId[]>> {
  return {
    name: 'executions by the beginning of an id',
    parameters: [prefix],
    subject: 'the runs whose id begins so',
    freshMs: ({ found }) => (found.length === 1 ? foundFreshMs : nothingFreshMs),
    read: async (ask) => {
      const search = await idPage(ask, { search: prefix, page: { number: 0, size: pageSizeMax } });
      if ('fault' in search && search.fault.kind !== 'invalid_request') return search;
      const rows = 'fault' in search ? [] : search.value.rows.rows;
      const found = rows.filter(({ id }) => plain(id).startsWith(prefix));
      if (found.length > 0) return whole(newestFirst(found));
      const begins = ({ id, uuid }: ExecutionId) => plain(id).startsWith(prefix) || uuid.startsWith(prefix);
      return readNewest(ask, begins);
    },
  };
}

/** Reads until a page has a match. Ids that begin with a time are neighbours, so a page that ends with a match is followed by the next. */
async function readNewest(
  ask: Ask,
  isWanted: (row: ExecutionId) => boolean,
): Promise<Outcome<Found<SearchedIds<readonly ExecutionId[]>>>> {
  const rowsByUuid = new Map<string, ExecutionId>();
  let rowCount = 0;
  let fullLength = pageSizeMax;
  const found = () => newestFirst([...rowsByUuid.values()].filter(isWanted));
  for (let number = 0; number < pagesMax; number += 1) {
    const outcome = await idPage(ask, { page: { number, size: pageSizeMax } });
    if ('fault' in outcome) return outcome;
    const { rows, count } = outcome.value;
    const length = lengthOf(rows);
    if (number === 0 && isOwnPageSize(length)) fullLength = length;
    const before = rowsByUuid.size;
    for (const row of rows.rows) rowsByUuid.set(row.uuid, row);
    const last = rows.rows.at(-1);
    const hasAll = found().length > 0 && !(last && isWanted(last));
    const isEnd = rowsByUuid.size === before || !hasMore(rows, count, rowCount, fullLength);
    if (hasAll || isEnd) return whole(found());
    rowCount += length;
  }
  return { value: { data: { found: found(), searchedNewest: rowsByUuid.size }, missing: [] } };
}
