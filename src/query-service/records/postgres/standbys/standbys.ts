/**
 * Chooses the server that answers a request. A standby answers if it has the revision of the request's organization that
 * the primary has after the request arrived: then it has everything that the primary could answer with.
 */
import type { Logger } from '../../../../shared/log/logger.ts';
import type { StandbyConnections } from '../../../../shared/sql/postgres.ts';
import { createServerProbe } from './server-probe.ts';
import {
  isFaultOfServer,
  isRepeatable,
  repeat,
  type ServerUse,
  type Session,
  type Standby,
  watchStandby,
} from './standby.ts';

export type StandbySettings = {
  readonly urls: readonly string[];
  /** A standby that lags more is not read from. */
  readonly lagMaxMs: number;
  readonly log: Logger;
};

/**
 * Runs a step of one request on the server that answers the request.
 * @param isLong true if it is not begun on a standby before the standby is known to have everything
 */
export type RunOnServer<Reads> = <Result>(work: (reads: Reads) => Promise<Result>, isLong?: boolean) => Promise<Result>;

export type Standbys<Reads> = {
  /** @returns a function for the steps of one request */
  readonly forRequest: (organizationId: string) => RunOnServer<Reads>;
  readonly use: () => readonly ServerUse[];
  readonly end: () => Promise<void>;
};

type StandbysOptions<Reads> = StandbySettings & {
  readonly primaryUrl: string;
  readonly primary: Reads;
  readonly open: (url: string, standby: StandbyConnections) => Reads;
};

export function createStandbys<Reads extends { readonly end: () => Promise<unknown> }>(
  options: StandbysOptions<Reads>,
): Standbys<Reads> {
  const { primaryUrl, primary, urls, lagMaxMs, open, log } = options;
  const watched = watchPrimary(primaryUrl);
  const standbys = urls.map((url, index) =>
    watchStandby({ name: nameOf(url, index), url, lagMaxMs, lagMsOf: watched.lagMsOf, open, log }),
  );
  let answered = 0;
  const runOnPrimary: RunOnServer<Reads> = async (work) => {
    const result = await work(primary);
    answered += 1;
    return result;
  };
  return {
    forRequest(organizationId) {
      let choosing: Promise<Choice<Reads> | undefined> | undefined;
      return async (work, isLong = false) => {
        choosing ??= choose(leastBusy(standbys), organizationId, watched.revisionOf);
        const choice = await choosing;
        if (choice === undefined) return runOnPrimary(work);
        try {
          if (isLong) await choice.confirmed;
          return await runOnStandby(choice, work);
        } catch (error) {
          if (!isRepeatable(error)) throw error;
          choosing = Promise.resolve(undefined);
          return runOnPrimary(work);
        }
      };
    },
    use: () => [
      { server: 'primary', answered, behind: 0, failed: 0, isRead: true, lagMs: null },
      ...standbys.map((standby) => standby.use()),
    ],
    async end() {
      await Promise.all([watched.end(), ...standbys.map((standby) => standby.end())]);
    },
  };
}

type Candidate<Reads> = { readonly standby: Standby<Reads>; readonly session: Session };

type Choice<Reads> = Candidate<Reads> & {
  /** Rejects if the standby lacks something that was committed before the request. */
  readonly confirmed: Promise<void>;
};

class StandbyBehind extends Error {}

async function runOnStandby<Reads, Result>(
  { standby, session, confirmed }: Choice<Reads>,
  work: (reads: Reads) => Promise<Result>,
): Promise<Result> {
  try {
    const [result] = await Promise.all([session.run(() => work(standby.reads)), confirmed]);
    standby.count('answered');
    return result;
  } catch (error) {
    if (error instanceof StandbyBehind) standby.count('behind');
    else if (isRepeatable(error)) {
      standby.count('failed');
      if (isFaultOfServer(error)) standby.leave(session, 'a read failed');
    }
    throw error;
  }
}

/** Longer than the primary needs under load; the reads of the request wait for it. */
const primaryTimeoutMs = 5_000;

function watchPrimary(url: string) {
  const positions = createPositions(() => performance.now());
  const probe = createServerProbe(url, primaryTimeoutMs);
  const ask = async (organizationId?: string) => {
    const state = await probe.ask(organizationId);
    if (!state.isStandby) positions.add(state.position);
    return state;
  };
  const timer = repeat(() =>
    ask().then(
      () => {},
      () => {},
    ),
  );
  return {
    lagMsOf: positions.lagMsOf,
    /** @returns the current revision; undefined if the primary has to answer the request, or word the error */
    async revisionOf(organizationId: string): Promise<string | undefined> {
      const state = await ask(organizationId).catch(() => undefined);
      return state === undefined || state.isStandby ? undefined : state.revisions[organizationId];
    },
    async end() {
      timer.stop();
      await probe.end();
    },
  };
}

/** @returns the standbys that are read from, the least busy first, equally busy ones in random order */
function leastBusy<Reads>(standbys: readonly Standby<Reads>[]): readonly Candidate<Reads>[] {
  const candidates = standbys.flatMap((standby) => {
    const session = standby.session();
    return session ? [{ standby, session, order: session.running() + Math.random() }] : [];
  });
  return candidates.sort((one, other) => one.order - other.order);
}

type RevisionOf = (organizationId: string) => Promise<string | undefined>;

/**
 * Chooses a standby; undefined for the primary. If its revision is known, the read begins while the primary is asked:
 * the standby has had that revision before the read, and the primary has it still after the request arrived.
 */
async function choose<Reads>(
  candidates: readonly Candidate<Reads>[],
  organizationId: string,
  primaryRevisionOf: RevisionOf,
): Promise<Choice<Reads> | undefined> {
  const [first] = candidates;
  if (first === undefined) return undefined;
  const known = first.session.knownRevisionOf(organizationId);
  if (known === undefined) return findCurrent(candidates, organizationId, primaryRevisionOf);
  const confirmed = primaryRevisionOf(organizationId).then((revision) => {
    if (revision === known) return;
    first.session.forget(organizationId);
    throw new StandbyBehind('The standby does not have the latest write.');
  });
  // A read that fails first does not wait for it.
  confirmed.catch(() => {});
  return { ...first, confirmed };
}

/** @returns the first candidate that has the primary's revision */
async function findCurrent<Reads>(
  candidates: readonly Candidate<Reads>[],
  organizationId: string,
  primaryRevisionOf: RevisionOf,
): Promise<Choice<Reads> | undefined> {
  // The least busy one is asked at the same time as the primary.
  const [revision] = await Promise.all([
    primaryRevisionOf(organizationId),
    candidates[0]?.session.revisionOf(organizationId),
  ]);
  if (revision === undefined) return undefined;
  for (const candidate of candidates) {
    if ((await candidate.session.revisionOf(organizationId)) === revision)
      return { ...candidate, confirmed: Promise.resolve() };
    candidate.session.forget(organizationId);
  }
  return undefined;
}

/** Names a standby without user and password. */
function nameOf(url: string, index: number): string {
  return new URL(url).host || `standby-${index + 1}`;
}

export type Positions = {
  /** @param position of the primary, now */
  readonly add: (position: number) => void;
  /** @param replayed position of a standby @returns age of the oldest known position that it has not replayed; 0 if there is none */
  readonly lagMsOf: (replayed: number) => number;
};

type Sample = { readonly at: number; readonly position: number };

/** A position is kept if the one before it is older. Together they cover the lags that are distinguished. */
const everyMs = 100;
const samplesMax = 1_000;

/** @param clock monotonic milliseconds */
export function createPositions(clock: () => number): Positions {
  let samples: Sample[] = [];
  return {
    add(position) {
      const last = samples.at(-1);
      // Another server has become the primary, and its log is shorter.
      if (last && position < last.position) samples = [];
      else if (last && (position === last.position || clock() - last.at < everyMs)) return;
      samples.push({ at: clock(), position });
      if (samples.length > samplesMax) samples.shift();
    },
    lagMsOf(replayed) {
      const missing = samples.find(({ position }) => position > replayed);
      return missing ? clock() - missing.at : 0;
    },
  };
}
