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

type Given = Pick<ServiceContext, 'caller' | 'request' | 'reads' | 'clock'>;

/**
 * Plans need neither records nor details: both are made when a resolver reads them. A class, because getters of an object
 * literal would give each object a hidden class of its own, which holds the whole request until a full collection.
 */
class LazyContext implements ServiceContext {
  readonly caller: Caller;
  readonly request: RequestContext;
  readonly reads: RequestReads;
  readonly clock: Clock;
  #records: Records | undefined;
  #details: DetailLoader | undefined;

  constructor({ caller, request, reads, clock }: Given) {
    this.caller = caller;
    this.request = request;
    this.reads = reads;
    this.clock = clock;
  }

  get records(): Records {
    this.#records ??= this.reads.records();
    return this.#records;
  }

  get details(): DetailLoader {
    this.#details ??= createDetailLoader(this.records, this.caller.organizationId);
    return this.#details;
  }
}

export function createContext(given: Given): ServiceContext {
  return new LazyContext(given);
}

/** Loads the logs and events of an execution; one document reads them in one statement. */
type DetailLoader = (uuid: string) => FieldLoader<keyof ExecutionDetail, ExecutionDetail>;

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
