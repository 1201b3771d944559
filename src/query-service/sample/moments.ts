/** Units of time, and the moments that several stories of the sample share. */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** `payments` got the release that its ledger refuses this many days before the sample was built. */
export const badReleaseDaysAgo = (40 * minuteMs) / dayMs;

/** @returns epoch milliseconds; the platform's outage took 28 minutes, about 14 hours before, so that a window of 24 h has it */
export function momentsOf(builtAt: number) {
  const outageFrom = Math.floor(builtAt / hourMs) * hourMs - 14 * hourMs + 40 * minuteMs;
  const badRelease = builtAt - badReleaseDaysAgo * dayMs;
  return { builtAt, badRelease, outageFrom, outageTo: outageFrom + 28 * minuteMs } as const;
}
