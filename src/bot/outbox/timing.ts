/** How long the digests wait for what, in milliseconds; tests shorten it. */

export type DigestTiming = {
  /** A slot is one process's for this long, and longer while it is at work on it. */
  readonly leaseMs: number;
  /** Of one send, kept by whoever posts. */
  readonly sendDeadlineMs: number;
  /** A post is seen in the history at the latest this long after its send was given up. */
  readonly quietMs: number;
  /** By how much Slack's clock and the database's may differ. */
  readonly clockSlackMs: number;
  /** From an intent to its send: more, and the process may have been frozen. */
  readonly intentMs: number;
  /** Where the database is slow the same is allowed to take longer, up to here: the lease outlives that, too. */
  readonly intentMsMax: number;
  /** Between two messages to one workspace, and so to one channel. */
  readonly paceMs: number;
  /** A longer wait for its turn is not spent holding the slot: it keeps no place from one that can be sent. */
  readonly paceWaitMsMax: number;
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
  readonly tellEveryMs: number;
  /** The store is asked what is to be done at least this often, … */
  readonly wakeMsMax: number;
  /** … and at most this often where nothing was. */
  readonly wakeMsMin: number;
  /** What there is room for, or to do, within this time is claimed together. */
  readonly gatherMs: number;
  /** What is under way gets this long when the bot stops. */
  readonly finishWithinMs: number;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export const defaultTiming: DigestTiming = {
  leaseMs: 30 * second,
  sendDeadlineMs: 10 * second,
  quietMs: 30 * second,
  clockSlackMs: minute,
  intentMs: 100,
  intentMsMax: 5 * second,
  paceMs: second,
  paceWaitMsMax: 250,
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
  tellEveryMs: 23 * hour,
  wakeMsMax: 15 * second,
  wakeMsMin: 250,
  gatherMs: 20,
  finishWithinMs: 5 * second,
};

/** How much is done at once by one process. */
export type DigestLimits = {
  /** Slots whose digest is being made: each asks a query service and holds a page of answers. */
  readonly buildsMax: number;
  /** Slots under way, with what they post in memory. */
  readonly slotsMax: number;
  /** Of them in one workspace, which takes one message a second anyway. */
  readonly slotsPerTeamMax: number;
  /** Sends that may have had an effect; then the slot is given up. */
  readonly attemptsMax: number;
};

export const defaultLimits: DigestLimits = { buildsMax: 16, slotsMax: 200, slotsPerTeamMax: 2, attemptsMax: 5 };
