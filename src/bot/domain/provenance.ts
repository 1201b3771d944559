/** Where an answer comes from, and which parts of it are not there. */
export type Provenance = {
  /** `live`: asked for this answer. `cached`: asked before, still fresh. `stale`: the last good answer, the service is failing. */
  readonly source: 'live' | 'cached' | 'stale';
  /** When the service gave it, epoch milliseconds. */
  readonly asOf: number;
  /** Parts the service could not give, in words a person reads, such as `deployments`. */
  readonly missing: readonly string[];
  /** With `stale`: why there is no newer answer. `busy`: it asked for a pause; `unreachable`: nothing came back in time; `failing`: something came back that is no answer. */
  readonly trouble?: 'busy' | 'unreachable' | 'failing';
  /** With `stale`: since when the service fails, epoch milliseconds, as far as this process knows. */
  readonly failingSince?: number;
};

const sources = ['live', 'cached', 'stale'] as const;

/** @returns of an answer made of several parts: as old as the oldest, and everything that is missing */
export function combinedProvenance(first: Provenance, ...others: readonly Provenance[]): Provenance {
  const parts = [first, ...others];
  const worst = parts.reduce((one, other) =>
    sources.indexOf(other.source) > sources.indexOf(one.source) ? other : one,
  );
  return {
    ...worst,
    asOf: Math.min(...parts.map(({ asOf }) => asOf)),
    missing: [...new Set(parts.flatMap(({ missing }) => missing))],
  };
}
