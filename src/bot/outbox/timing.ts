/** Waits, deadlines and limits of the outbox, in milliseconds. Tests shorten them. */
import { setTimeout } from 'node:timers/promises';

/** Rejects when the signal aborts. Replaced in tests. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const defaultWait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal });

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export const defaultTiming = {
  /** How long a claim lasts; the process that works on the occurrence extends it. */
  leaseMs: 30 * second,
  /** Deadline of one send, kept by the posting side. */
  sendDeadlineMs: 10 * second,
  /** A post appears in the history at the latest this long after the deadline of its send. */
  historyLagMs: 30 * second,
  /** How long one look into the history waits for Slack's rate. */
  historyWaitMsMax: 15 * second,
  /** Difference that Slack's clock and the database's may have. */
  clockSlackMs: minute,
  /** The longest time from an intent to its send. After more the process may have been frozen. */
  intentAgeMs: 100,
  /** The same for a slow database. The lease outlives this time, too. */
  intentAgeMsMax: 5 * second,
  /** Between two messages to one workspace, and so to one channel. */
  postIntervalMs: second,
  /** An occurrence that has to wait longer for a permit is deferred, so that another one can be sent. */
  postWaitMsMax: 250,
  /** After a send that certainly posted nothing; doubles each time. */
  firstRetryMs: 5 * second,
  retryMsMax: 5 * minute,
  /** How often a failed build is retried. */
  rebuildMs: minute,
  /** How long after the due time, or after the bot came back, a build is retried. Then the digest says that it could not check. */
  rebuildForMs: 15 * minute,
  /** Deadline of one build. */
  buildMsMax: 5 * minute,
  /** A digest posted later than this after its due time says that it is late. */
  lateAfterMs: 10 * minute,
  /** A digest older than this is not posted. */
  catchUpMs: 6 * hour,
  /** The shortest time from the due time to the build: by then the service reports executions that ended just before. */
  serviceLagMs: 30 * second,
  /** The longest jitter of a digest at a full hour or quarter. */
  jitterMsMax: 20 * second,
  /** The owner of a subscription is notified of a problem at most this often: less than a day, because the next day's digest may be a little earlier. */
  notifyEveryMs: 23 * hour,
  /** The longest sleep between two looks into the store. */
  wakeMsMax: 15 * second,
  /** The shortest sleep after a round without work. */
  wakeMsMin: 250,
  /** Waits this long before each claim, so that one claim takes several occurrences. */
  batchMs: 20,
  /** How long running work may take when the bot stops. */
  shutdownMs: 5 * second,
};

export type DeliveryTiming = Readonly<typeof defaultTiming>;

/** Concurrency limits of one process. */
export const defaultLimits = {
  /** Occurrences being built: each sends queries and keeps a page of results in memory. */
  buildsMax: 16,
  /** Claimed occurrences, with their messages in memory. */
  occurrencesMax: 200,
  /** Claimed occurrences of one workspace, which takes only one message a second. */
  occurrencesPerTeamMax: 2,
  /** Sends with an unknown outcome; then the occurrence is given up. */
  attemptsMax: 5,
};

export type DeliveryLimits = Readonly<typeof defaultLimits>;
