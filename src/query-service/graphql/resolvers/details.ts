/** Logs and events as one document asks for them: what it wants of an execution is read in one step. */
import type { ExecutionDetail, Records } from '../../records/port.ts';
import { type Gathered, gather } from './gather.ts';

/** Of an execution. */
export type Details = (uuid: string) => Gathered<keyof ExecutionDetail, ExecutionDetail>;

/** @param organizationId of whoever asks: nobody else's request shares what is read */
export function createDetails(records: Records, organizationId: string): Details {
  const byUuid = new Map<string, ReturnType<Details>>();
  return (uuid) => {
    const known = byUuid.get(uuid);
    if (known) return known;
    const detail = gather<keyof ExecutionDetail, ExecutionDetail>((wanted) =>
      records.executionDetail(organizationId, uuid, wanted),
    );
    byUuid.set(uuid, detail);
    return detail;
  };
}
