/** One standby: asked for its state several times a second, and read from while it answers, follows and does not lag. */
import { setImmediate as immediate } from 'node:timers/promises';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../../shared/errors.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { StandbyConnections } from '../../../../shared/sql/postgres.ts';
import { valueWithin } from '../../../../shared/time/timeout.ts';
import { createServerProbe, type ServerState } from './server-probe.ts';

const askEveryMs = 250;
/** A standby that takes longer to answer is left, so that one which fails is left within a second. */
const answerTimeoutMs = 500;
/** A revision that is older is asked for again: a standby may have been made to follow another primary. */
const revisionTtlMs = 250;
const revisionsMax = 10_000;

/** Use of one server by the reads of requests. */
export type ServerUse = {
  /** Host and port of a standby, or `primary`. */
  readonly server: string;
  /** Reads that it answered. */
  readonly answered: number;
  /** Reads that were repeated on the primary, because the standby lacked the latest write, or failed. */
  readonly behind: number;
  readonly failed: number;
  readonly isRead: boolean;
  /** Null for the primary, and for a standby that has never answered. */
  readonly lagMs: number | null;
};

/** The time from joining a standby until it is left. */
export type Session = {
  /** The revision of the organization on the standby, if it was asked lately. */
  readonly knownRevisionOf: (organizationId: string) => string | undefined;
  /** @returns the revision of the organization on the standby, or null if it does not answer in time */
  readonly revisionOf: (organizationId: string) => Promise<string | null>;
  /** Forgets a revision that is not the primary's. */
  readonly forget: (organizationId: string) => void;
  /** Runs reads. @throws StandbyLeft at once when the standby is left */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly running: () => number;
};

const noCounts = { answered: 0, behind: 0, failed: 0 };

export type Standby<Reads> = {
  readonly reads: Reads;
  /** Undefined while the standby is not read from. */
  readonly session: () => Session | undefined;
  /** Leaves it until it answers again. */
  readonly leave: (session: Session, problem: string) => void;
  readonly count: (outcome: keyof typeof noCounts) => void;
  readonly use: () => ServerUse;
  readonly end: () => Promise<void>;
};

export type StandbyOptions<Reads> = {
  /** Host and port. */
  readonly name: string;
  readonly url: string;
  readonly lagMaxMs: number;
  readonly lagMsOf: (position: number) => number;
  readonly open: (url: string, standby: StandbyConnections) => Reads;
  readonly log: Logger;
};

/** A standby was left while it ran a statement. */
class StandbyLeft extends Error {}

export function watchStandby<Reads extends { readonly end: () => Promise<unknown> }>(
  options: StandbyOptions<Reads>,
): Standby<Reads> {
  const { name, url, lagMaxMs, lagMsOf, log } = options;
  const probe = createServerProbe(url, answerTimeoutMs);
  let current: { readonly session: OpenSession; readonly startedAt: string } | undefined;
  let knownProblem: string | undefined;
  let lagMs: number | null = null;
  const counts = { ...noCounts };
  const leave = (problem: string, err?: unknown) => {
    current?.session.end(problem);
    current = undefined;
    if (problem !== knownProblem)
      log.warn({ standby: name, problem, err }, 'the service does not read from this standby');
    knownProblem = problem;
  };
  const reads = options.open(url, {
    startedAt: () => current?.startedAt,
    onPromoted: () => leave('it is not a standby'),
  });
  const join = (startedAt: string) => {
    current = { startedAt, session: openSession((organizationId) => answerInTime(probe.ask(organizationId))) };
    knownProblem = undefined;
    log.info({ standby: name }, 'the service reads from this standby');
  };
  const observe = ({ isStandby, startedAt, position }: ServerState) => {
    lagMs = lagMsOf(position);
    if (!isStandby) leave('it is not a standby');
    else if (lagMs > lagMaxMs) leave('it lags');
    else if (current === undefined) join(startedAt);
    else if (current.startedAt !== startedAt) leave('it has restarted');
  };
  const timer = repeat(async () => {
    try {
      observe(await answerInTime(probe.ask()));
    } catch (error) {
      leave('it does not answer', error);
    }
  });
  return {
    reads,
    session: () => current?.session,
    leave: (session, problem) => {
      if (session === current?.session) leave(problem);
    },
    count: (outcome) => {
      counts[outcome] += 1;
    },
    use: () => ({ server: name, ...counts, isRead: current !== undefined, lagMs }),
    async end() {
      timer.stop();
      await Promise.all([probe.end(), reads.end()]);
    },
  };
}

/** A busy event loop may run the timer before it reads an answer that has arrived. */
async function answerInTime(answer: Promise<ServerState>): Promise<ServerState> {
  const inTime = await valueWithin(answerTimeoutMs, answer, () => undefined);
  const state = inTime ?? (await Promise.race([answer, immediate()]));
  if (state === undefined) throw new Error('The standby does not answer in time.');
  return state;
}

/** Runs work now and then regularly, one at a time. @param work never rejects */
export function repeat(work: () => Promise<void>): { readonly stop: () => void } {
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    await work();
    isRunning = false;
  };
  const timer = setInterval(run, askEveryMs);
  void run();
  return { stop: () => clearInterval(timer) };
}

type OpenSession = Session & { readonly end: (problem: string) => void };

function openSession(ask: (organizationId: string) => Promise<ServerState>): OpenSession {
  const clock = () => performance.now();
  const revisions = createLruCache<string>({ entriesMax: revisionsMax, ttlMs: revisionTtlMs, clock });
  const running = new Set<(error: StandbyLeft) => void>();
  let left: StandbyLeft | undefined;
  return {
    knownRevisionOf: revisions.get,
    async revisionOf(organizationId) {
      const known = revisions.get(organizationId);
      if (known !== undefined) return known;
      const state = await ask(organizationId).catch(() => undefined);
      const revision = state?.revisions[organizationId] ?? null;
      if (revision !== null && left === undefined) revisions.set(organizationId, revision);
      return left === undefined ? revision : null;
    },
    forget: revisions.delete,
    run<Result>(work: () => Promise<Result>) {
      if (left !== undefined) throw left;
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      running.add(reject);
      const ended = () => void running.delete(reject);
      work().then(resolve, reject).then(ended, ended);
      return promise;
    },
    running: () => running.size,
    end(problem) {
      left = new StandbyLeft(`The standby was left: ${problem}.`);
      for (const reject of running) reject(left);
      running.clear();
    },
  };
}

const statementTimeout = '57014';

/** @returns true if a read that failed on a standby is repeated on the primary; a statement that took too long would take as long there */
export function isRepeatable(error: unknown): boolean {
  const fault = error instanceof AppError ? error.cause : error;
  const hasTimedOut = fault instanceof Error && 'code' in fault && fault.code === statementTimeout;
  return fault !== undefined && !hasTimedOut;
}

/** @returns true if the connection or the server has failed, and not just the statement */
export function isFaultOfServer(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable';
}
