/** Time as a dependency, so that a test can fix it. */

/** @returns the current time in epoch milliseconds */
export type Clock = () => number;
