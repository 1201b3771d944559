/** When each story of the sample happens, told from the moment the sample was built. */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Epoch milliseconds. They stay where they are while the service appends executions. */
export type Moments = {
  readonly builtAt: number;
  /** The release of `payments` that its ledger refuses. */
  readonly badRelease: number;
  /** The platform's outage: 28 minutes of yesterday (UTC), at an hour that is yesterday in most time zones. */
  readonly outageFrom: number;
  readonly outageTo: number;
  readonly silentSince: number;
  readonly allowanceGoneSince: number;
  readonly divergingSince: number;
  readonly failedDeployment: number;
  readonly pausedAt: number;
  readonly deletedAt: number;
};

export function momentsOf(builtAt: number): Moments {
  const outageFrom = Math.floor(builtAt / dayMs) * dayMs - dayMs + 11 * hourMs + 40 * minuteMs;
  return {
    builtAt,
    badRelease: builtAt - 40 * minuteMs,
    outageFrom,
    outageTo: outageFrom + 28 * minuteMs,
    silentSince: builtAt - 6 * hourMs,
    allowanceGoneSince: builtAt - 5 * hourMs,
    divergingSince: builtAt - dayMs,
    failedDeployment: builtAt - 3 * hourMs,
    pausedAt: builtAt - 3 * dayMs,
    deletedAt: builtAt - 12 * dayMs,
  };
}
