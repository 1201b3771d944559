/**
 * Chooses the server that answers a request. A standby answers if it has the revision of the request's organization that
 * the primary has after the request arrived: then it has everything that the primary could answer with.
 */
import type { Logger } from '../../../../shared/log/logger.ts';
import type { StandbyConnections } from '../../../../shared/sql/postgres.ts';
import { createPositions } from './positions.ts';
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

/** Runs a step of one request on the server that answers the request. */
export type RunOnServer<Reads> = <Result>(work: (reads: Reads) => Promise<Result>) => Promise<Result>;

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
      let choosing: Promise<Chosen<Reads> | undefined> | undefined;
      return async (work) => {
        choosing ??= choose(leastBusy(standbys), organizationId, watched.revisionOf);
        const chosen = await choosing;
        if (chosen === undefined) return runOnPrimary(work);
        try {
          return await runOnStandby(chosen, work);
        } catch (error) {
          if (!isRepeatable(error)) throw error;
          choosing = Promise.resolve(undefined);
          return runOnPrimary(work);
        }
      };
    },
    use: () => [
      { server: 'primary', answered, repeated: 0, isRead: true, lagMs: null },
      ...standbys.map((standby) => standby.use()),
    ],
    async end() {
      await Promise.all([watched.end(), ...standbys.map((standby) => standby.end())]);
    },
  };
}

type Chosen<Reads> = { readonly standby: Standby<Reads>; readonly session: Session };

async function runOnStandby<Reads, Result>(
  { standby, session }: Chosen<Reads>,
  work: (reads: Reads) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await session.run(() => work(standby.reads));
    standby.count('answered');
    return result;
  } catch (error) {
    if (isRepeatable(error)) {
      standby.count('repeated');
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
function leastBusy<Reads>(standbys: readonly Standby<Reads>[]): readonly Chosen<Reads>[] {
  const candidates = standbys.flatMap((standby) => {
    const session = standby.session();
    return session ? [{ standby, session, order: session.running() + Math.random() }] : [];
  });
  return candidates.sort((one, other) => one.order - other.order);
}

/** @returns the first candidate that has the organization's revision; undefined for the primary */
async function choose<Reads>(
  candidates: readonly Chosen<Reads>[],
  organizationId: string,
  revisionOf: (organizationId: string) => Promise<string | undefined>,
): Promise<Chosen<Reads> | undefined> {
  const [first] = candidates;
  if (first === undefined) return undefined;
  // The least busy one is asked at the same time as the primary.
  const [revision] = await Promise.all([revisionOf(organizationId), first.session.revisionOf(organizationId)]);
  if (revision === undefined) return undefined;
  for (const candidate of candidates) {
    if ((await candidate.session.revisionOf(organizationId)) === revision) return candidate;
    candidate.session.forget(organizationId);
  }
  return undefined;
}

/** Names a standby without user and password. */
function nameOf(url: string, index: number): string {
  return new URL(url).host || `standby-${index + 1}`;
}
