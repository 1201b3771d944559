/** Waits, deadlines and limits of the outbox, in milliseconds. Tests shorten them. */

export type DigestTiming = {
  /** An occurrence is one process's for this long, and longer while it is at work on it. */
  readonly leaseMs: number;
  /** Of one send, kept by whoever posts. */
  readonly sendDeadlineMs: number;
  /** A post is seen in the history at the latest this long after its send was given up. */
  readonly historyLagMs: number;
  /** By how much Slack's clock and the database's may differ. */
  readonly clockSlackMs: number;
  /** From an intent to its send: more, and the process may have been frozen. */
  readonly intentAgeMs: number;
  /** Where the database is slow the same is allowed to take longer, up to here: the lease outlives that, too. */
  readonly intentAgeMsMax: number;
  /** Between two messages to one workspace, and so to one channel. */
  readonly postIntervalMs: number;
  /** A longer wait for its turn is not spent holding the occurrence: it keeps no place from one that can be sent. */
  readonly postWaitMsMax: number;
  /** After a send that certainly came to nothing; twice as long each time. */
  readonly firstRetryMs: number;
  readonly retryMsMax: number;
  /** Where a digest cannot be made it is tried again this often, … */
  readonly rebuildMs: number;
  /** … for this long after it was due, or after the bot came back, and then it says so. */
  readonly rebuildForMs: number;
  /** One attempt at making a digest. */
  readonly buildMsMax: number;
  /** Later than this after it was due, a digest says that it is late. */
  readonly lateAfterMs: number;
  /** Later than this it is not posted any more. */
  readonly catchUpMs: number;
  /** A digest is made so long after its time at the soonest: of what has just ended the service tells by then. */
  readonly serviceLagMs: number;
  /** A digest at a full hour or quarter comes up to this much later, each subscription its own share. */
  readonly jitterMsMax: number;
  /** Its owner hears of a subscription's troubles at most this often. */
  readonly notifyEveryMs: number;
  /** The store is asked what is to be done at least this often, … */
  readonly wakeMsMax: number;
  /** … and at most this often where nothing was. */
  readonly wakeMsMin: number;
  /** What there is room for, or to do, within this time is claimed together. */
  readonly batchMs: number;
  /** What is under way gets this long when the bot stops. */
  readonly shutdownMs: number;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export const defaultTiming: DigestTiming = {
  leaseMs: 30 * second,
  sendDeadlineMs: 10 * second,
  historyLagMs: 30 * second,
  clockSlackMs: minute,
  intentAgeMs: 100,
  intentAgeMsMax: 5 * second,
  postIntervalMs: second,
  postWaitMsMax: 250,
  firstRetryMs: 5 * second,
  retryMsMax: 5 * minute,
  rebuildMs: minute,
  rebuildForMs: 15 * minute,
  buildMsMax: 5 * minute,
  lateAfterMs: 10 * minute,
  catchUpMs: 6 * hour,
  serviceLagMs: 30 * second,
  jitterMsMax: 20 * second,
  // The digest of the next day may be made a little sooner.
  notifyEveryMs: 23 * hour,
  wakeMsMax: 15 * second,
  wakeMsMin: 250,
  batchMs: 20,
  shutdownMs: 5 * second,
};

/** How much is done at once by one process. */
export type DigestLimits = {
  /** Slots whose digest is being made: each asks a query service and holds a page of answers. */
  readonly buildsMax: number;
  /** Slots under way, with what they post in memory. */
  readonly occurrencesMax: number;
  /** Of them in one workspace, which takes one message a second anyway. */
  readonly occurrencesPerTeamMax: number;
  /** Sends that may have had an effect; then the occurrence is given up. */
  readonly attemptsMax: number;
};

export const defaultLimits: DigestLimits = {
  buildsMax: 16,
  occurrencesMax: 200,
  occurrencesPerTeamMax: 2,
  attemptsMax: 5,
};
