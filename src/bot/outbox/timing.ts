/** Waits, deadlines and limits of the outbox, in milliseconds. Tests shorten them. */
import { setTimeout } from 'node:timers/promises';

/** Rejects when the signal aborts. Replaced in tests. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const defaultWait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal });

export type DeliveryTiming = {
  /** How long a claim lasts; the process that works on the occurrence extends it. */
  readonly leaseMs: number;
  /** Deadline of one send, kept by the posting side. */
  readonly sendDeadlineMs: number;
  /** A post appears in the history at the latest this long after the deadline of its send. */
  readonly historyLagMs: number;
  /** How long one look into the history waits for Slack's rate. */
  readonly historyWaitMsMax: number;
  /** Difference that Slack's clock and the database's may have. */
  readonly clockSlackMs: number;
  /** The longest time from an intent to its send. After more the process may have been frozen. */
  readonly intentAgeMs: number;
  /** The same for a slow database. The lease outlives this time, too. */
  readonly intentAgeMsMax: number;
  /** Between two messages to one workspace, and so to one channel. */
  readonly postIntervalMs: number;
  /** An occurrence that has to wait longer for a permit is deferred, so that another one can be sent. */
  readonly postWaitMsMax: number;
  /** After a send that certainly posted nothing; doubles each time. */
  readonly firstRetryMs: number;
  readonly retryMsMax: number;
  /** How often a failed build is retried. */
  readonly rebuildMs: number;
  /** How long after the due time, or after the bot came back, a build is retried. Then the digest says that it could not check. */
  readonly rebuildForMs: number;
  /** Deadline of one build. */
  readonly buildMsMax: number;
  /** A digest posted later than this after its due time says that it is late. */
  readonly lateAfterMs: number;
  /** A digest older than this is not posted. */
  readonly catchUpMs: number;
  /** The shortest time from the due time to the build: by then the service reports executions that ended just before. */
  readonly serviceLagMs: number;
  /** The longest jitter of a digest at a full hour or quarter. */
  readonly jitterMsMax: number;
  /** The owner of a subscription is notified of a problem at most this often. */
  readonly notifyEveryMs: number;
  /** The longest sleep between two looks into the store. */
  readonly wakeMsMax: number;
  /** The shortest sleep after a round without work. */
  readonly wakeMsMin: number;
  /** Waits this long before each claim, so that one claim takes several occurrences. */
  readonly batchMs: number;
  /** How long running work may take when the bot stops. */
  readonly shutdownMs: number;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export const defaultTiming: DeliveryTiming = {
  leaseMs: 30 * second,
  sendDeadlineMs: 10 * second,
  historyLagMs: 30 * second,
  historyWaitMsMax: 15 * second,
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
  // Less than a day, because the next day's digest may be a little earlier.
  notifyEveryMs: 23 * hour,
  wakeMsMax: 15 * second,
  wakeMsMin: 250,
  batchMs: 20,
  shutdownMs: 5 * second,
};

/** Concurrency limits of one process. */
export type DeliveryLimits = {
  /** Occurrences being built: each sends queries and keeps a page of results in memory. */
  readonly buildsMax: number;
  /** Claimed occurrences, with their messages in memory. */
  readonly occurrencesMax: number;
  /** Claimed occurrences of one workspace, which takes only one message a second. */
  readonly occurrencesPerTeamMax: number;
  /** Sends with an unknown outcome; then the occurrence is given up. */
  readonly attemptsMax: number;
};

export const defaultLimits: DeliveryLimits = {
  buildsMax: 16,
  occurrencesMax: 200,
  occurrencesPerTeamMax: 2,
  attemptsMax: 5,
};
