/** Reads the logs and the events of an execution as they are stored. */
import { type Engine, statement } from '../sql.ts';
import { rowsOf, type Steps } from './steps.ts';

/** Bytes of logs or events that are read without a limit of concurrency. */
const shortText = 262_144;

export type DetailList = 'logs' | 'events';

/** `text` is null if the execution or the list is not stored, and if the text is long. */
export type StoredList = { readonly text: string | null; readonly isLong: boolean };

/** Reads texts that are not long. The length is stored in the row, so reading it does not read a long text. */
export function* readShortLists(
  engine: Engine,
  organizationId: string,
  uuid: string,
  lists: readonly DetailList[],
): Steps<readonly StoredList[]> {
  const columns = lists.flatMap((list) => [
    `case when octet_length(${list}) <= ${shortText} then ${list} end`,
    `octet_length(${list})`,
  ]);
  const [row = []] = yield* rowsOf(detailStatement(engine, organizationId, uuid, columns));
  return lists.map((_, index) => ({
    text: textOf(row[2 * index]),
    isLong: Number(row[2 * index + 1] ?? 0) > shortText,
  }));
}

/** Reads whole texts, which may be long. */
export function* readLists(
  engine: Engine,
  organizationId: string,
  uuid: string,
  lists: readonly DetailList[],
): Steps<readonly (string | null)[]> {
  const [row = []] = yield* rowsOf(detailStatement(engine, organizationId, uuid, lists));
  return lists.map((_, index) => textOf(row[index]));
}

function detailStatement(engine: Engine, organizationId: string, uuid: string, columns: readonly string[]) {
  return statement(
    engine,
    (bind) => `select ${columns.join(', ')} from execution_detail as d
      where organization_id = ${bind(organizationId)} and uuid = ${bind(uuid)}`,
  );
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
