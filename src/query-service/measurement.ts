/** Measurements of the service: facts with few values, without names, ids or texts of users. */

/** The limit that a key has reached. */
export type LimitReason = 'rate' | 'database' | 'concurrency';

export type ServiceMeasurement =
  /**
   * One request for documents. `operation` is a root field, `several` or `none`. `outcome` is `answered`, the code of
   * the first error in lower case, `unavailable`, or `gone` if the client disconnected before its reply.
   */
  | { readonly kind: 'request'; readonly operation: string; readonly outcome: string; readonly durationMs: number }
  /** A request that a limit of its key refused. */
  | { readonly kind: 'limited'; readonly reason: LimitReason }
  /** Database time that a key was charged for a statement. */
  | { readonly kind: 'charged'; readonly durationMs: number }
  /** One read of the records, including the wait for a connection. */
  | { readonly kind: 'read'; readonly read: string; readonly isDone: boolean; readonly durationMs: number }
  /**
   * A connection that was cut because its reply was not read, or closed because there are too many connections: a
   * waiting or a new one.
   */
  | { readonly kind: 'connection'; readonly outcome: 'cut' | 'evicted' | 'refused' };

/** Never throws, never waits. */
export type ServiceMeasure = (measurement: ServiceMeasurement) => void;
