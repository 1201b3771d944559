/** The context of every resolver, and loaders that batch what one document reads. */
import type { Clock } from '../../../shared/time/clock.ts';
import type { Caller } from '../../keys/keys.ts';
import type { RequestContext } from '../../limits/request-context.ts';
import type { ExecutionDetail, Records } from '../../records/port.ts';

export type ServiceContext = {
  readonly caller: Caller;
  readonly request: RequestContext;
  readonly records: Records;
  readonly details: DetailLoader;
  readonly clock: Clock;
};

/** Loads the logs and events of an execution; what one document wants of it is read in one step. */
export type DetailLoader = (uuid: string) => PartLoader<keyof ExecutionDetail, ExecutionDetail>;

/** Create one per request: requests never share details. @param organizationId of the caller */
export function createDetailLoader(records: Records, organizationId: string): DetailLoader {
  const byUuid = new Map<string, ReturnType<DetailLoader>>();
  return (uuid) => {
    const known = byUuid.get(uuid);
    if (known) return known;
    const detail = batchParts<keyof ExecutionDetail, ExecutionDetail>((wanted) =>
      records.executionDetail(organizationId, uuid, wanted),
    );
    byUuid.set(uuid, detail);
    return detail;
  };
}

/** @returns a record with at least the requested part */
export type PartLoader<Part, Whole> = (part: Part) => Promise<Whole>;

/** Batches like a DataLoader. @param read gets all parts requested in the same microtask; later requests read again */
export function batchParts<Part, Whole>(read: (wanted: ReadonlySet<Part>) => Promise<Whole>): PartLoader<Part, Whole> {
  let wanted = new Set<Part>();
  let whole: Promise<Whole> | undefined;
  return (part) => {
    wanted.add(part);
    whole ??= Promise.resolve().then(() => {
      const parts = wanted;
      wanted = new Set();
      whole = undefined;
      return read(parts);
    });
    return whole;
  };
}
