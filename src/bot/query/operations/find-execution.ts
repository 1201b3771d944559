/** Finds executions by their 64-hex id or the beginning of an id, through the list of executions. */

import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { faultOf } from '../client/fault.ts';
import { ExecutionIdsDocument, type WorkflowExecutionsInput } from '../generated/operations.ts';
import type { ExecutionId } from '../results.ts';
import { newestFirst, newestStartFirst, type Page, pageSizeMax, readPage, readPages, rowTypes } from '../rows.ts';

/** An id keeps its uuid. */
const foundFreshMs = 3_600_000;
/** The execution may have started since. */
const nothingFreshMs = 15_000;
const idUnits = 64;
/** Pages that are read if a service cannot search, and for the beginning of a uuid, which no service can search. */
const pagesMax = 20;

/** `searchedNewest`: set if only so many of the newest executions were looked at. */
export type SearchedIds<Data> = { readonly found: Data; readonly searchedNewest: number | null };

/** @param prefix at least eight characters of an id or a uuid, or a whole id; lower case, without `0x` */
export function executionsByPrefixOperation(prefix: string): Operation<SearchedIds<readonly ExecutionId[]>> {
  return {
    name: 'executions by the beginning of an id',
    parameters: [prefix],
    subject: 'the runs whose id begins so',
    freshMs: ({ found }) => (found.length === 1 ? foundFreshMs : nothingFreshMs),
    read: async (ask) => {
      const hasPrefix = ({ id }: ExecutionId) => id.toLowerCase().replace(/^0x/, '').startsWith(prefix);
      const rows = await search(ask, prefix);
      const found = rows?.filter(hasPrefix) ?? [];
      // A service that finds others has not searched. People ask about new executions.
      const isSearched = rows?.length === 0 && prefix.length === idUnits;
      if (found.length > 0 || isSearched) return whole(newestFirst(found));
      return readNewest(ask, (row) => hasPrefix(row) || row.uuid.startsWith(prefix));
    },
  };
}

function whole<Data>(found: Data): Found<SearchedIds<Data>> {
  return { data: { found, searchedNewest: null }, missing: [] };
}

/** The specification has no search: a service may refuse it, or return every execution. @returns undefined if it refuses */
async function search(ask: Ask, text: string): Promise<readonly ExecutionId[] | undefined> {
  try {
    return (await idPage(ask, { search: text, page: { number: 0, size: pageSizeMax } })).rows;
  } catch (error) {
    if (faultOf(error).kind !== 'invalid_request') throw error;
    return undefined;
  }
}

async function idPage(ask: Ask, input: WorkflowExecutionsInput): Promise<Page<ExecutionId>> {
  const reply = await ask(ExecutionIdsDocument, { input: { ...input, orderBy: newestStartFirst } });
  return readPage(rowTypes.executionId, reply.part('workflowExecutions'), 'executions');
}

/** Reads until a page has a match. Ids that begin with a time are neighbours, so a page that ends with a match is followed by the next. */
async function readNewest(
  ask: Ask,
  isWanted: (row: ExecutionId) => boolean,
): Promise<Found<SearchedIds<readonly ExecutionId[]>>> {
  const rows = new Map<string, ExecutionId>();
  const found = () => newestFirst([...rows.values()].filter(isWanted));
  for await (const { page, isLast } of readPages((input) => idPage(ask, { page: input }), pagesMax)) {
    for (const row of page.rows) rows.set(row.uuid, row);
    const endsWithMatch = page.rows.slice(-1).some(isWanted);
    if (isLast || (found().length > 0 && !endsWithMatch)) return whole(found());
  }
  return { data: { found: found(), searchedNewest: rows.size }, missing: [] };
}
