/** The context of every resolver, and loaders that batch what one document reads. */
import type { Clock } from '../../../shared/time/clock.ts';
import type { Caller } from '../../keys/keys.ts';
import type { RequestContext } from '../../limits/request-context.ts';
import type { ExecutionDetail, Records } from '../../records/port.ts';
import type { RequestReads } from '../../records/request-reads.ts';

export type ServiceContext = {
  readonly caller: Caller;
  readonly request: RequestContext;
  readonly reads: RequestReads;
  readonly records: Records;
  readonly details: DetailLoader;
  readonly clock: Clock;
};

/** Plans need neither records nor details: both are made when a resolver reads them. */
export function createContext(given: Pick<ServiceContext, 'caller' | 'request' | 'reads' | 'clock'>): ServiceContext {
  let records: Records | undefined;
  let details: DetailLoader | undefined;
  return {
    ...given,
    get records() {
      records ??= given.reads.records();
      return records;
    },
    get details() {
      details ??= createDetailLoader(this.records, given.caller.organizationId);
      return details;
    },
  };
}

/** Loads the logs and events of an execution; one document reads them in one statement. */
export type DetailLoader = (uuid: string) => FieldLoader<keyof ExecutionDetail, ExecutionDetail>;

/** Create one per request: requests never share details. @param organizationId of the caller */
function createDetailLoader(records: Records, organizationId: string): DetailLoader {
  const byUuid = new Map<string, ReturnType<DetailLoader>>();
  return (uuid) => {
    const known = byUuid.get(uuid);
    if (known) return known;
    const detail = batchFields<keyof ExecutionDetail, ExecutionDetail>((wanted) =>
      records.executionDetail(organizationId, uuid, wanted),
    );
    byUuid.set(uuid, detail);
    return detail;
  };
}

/** @returns a record with at least the requested field */
export type FieldLoader<Field, Whole> = (field: Field) => Promise<Whole>;

/** Batches like a DataLoader. @param read gets all fields requested in the same microtask; later requests read again */
export function batchFields<Field, Whole>(
  read: (wanted: ReadonlySet<Field>) => Promise<Whole>,
): FieldLoader<Field, Whole> {
  let wanted = new Set<Field>();
  let whole: Promise<Whole> | undefined;
  return (field) => {
    wanted.add(field);
    whole ??= Promise.resolve().then(() => {
      const fields = wanted;
      wanted = new Set();
      whole = undefined;
      return read(fields);
    });
    return whole;
  };
}
