/** Provenance of an answer: its source, its age and its missing parts. */
import type { Window } from './window.ts';

export type Provenance = {
  /** `live`: fetched for this answer. `cached`: fetched before, still fresh. `stale`: the last good answer, because the service fails. */
  readonly source: 'live' | 'cached' | 'stale';
  /** When the service answered, epoch milliseconds. */
  readonly asOf: number;
  /** Parts that are not known, in words for people, such as `deployments`. */
  readonly missing: readonly string[];
  /** With `stale`: why there is no newer answer. `busy`: the service asked for a pause; `unreachable`: no connection; `slow`: no answer within the time that an older one waits for it; `late`: no answer before the deadline; `failing`: an invalid response. */
  readonly staleReason?: 'busy' | 'slow' | 'unreachable' | 'late' | 'failing';
  /** With `stale`: since when the service fails as far as this process knows, epoch milliseconds. */
  readonly failingSince?: number;
  /** With `stale`: the window that it is about, if that is not the one that was asked. */
  readonly instead?: Window | undefined;
};

const sources = ['live', 'cached', 'stale'] as const;

/** @returns the provenance of an answer made of several parts: the oldest time, the worst source, all missing parts */
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
