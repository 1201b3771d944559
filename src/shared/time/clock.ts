/** Time as a dependency, so that a test can fix it. */

/** @returns now, in epoch milliseconds */
export type Clock = () => number;
