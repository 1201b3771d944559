/** What the service tells about its own work: facts of few values, without a name, an id or a text of anybody. */

/** Which limit a key has reached. */
export type LimitReason = 'rate' | 'database' | 'concurrency';

export type ServiceMeasurement =
  /**
   * One request for documents. `operation` is a root field, `several` or `none`; `outcome` is `answered`, the code of the first
   * error in lower case, `unavailable`, or `gone` where the client left before its answer.
   */
  | { readonly kind: 'request'; readonly operation: string; readonly outcome: string; readonly durationMs: number }
  /** A request that was refused for a limit of its key. */
  | { readonly kind: 'limited'; readonly reason: LimitReason }
  /** What a key was charged for a statement of its own. */
  | { readonly kind: 'charged'; readonly durationMs: number }
  /** One reading of the records, waiting for a connection included, by what was read. */
  | { readonly kind: 'read'; readonly read: string; readonly isDone: boolean; readonly durationMs: number }
  /** A connection that was cut because its answer was not taken; of too many, one that waited, or a new one where none did. */
  | { readonly kind: 'connection'; readonly outcome: 'cut' | 'evicted' | 'refused' };

/** Never throws, never waits. */
export type ServiceMeasure = (measurement: ServiceMeasurement) => void;
