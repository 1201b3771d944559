/** Answers an operation: from the cache while fresh, from a request in flight, from the service, or with the last good answer. */
import NodeCache from 'node-cache';
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import { freezeDeep } from '../../../shared/cache/memoize.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { valueWithin } from '../../../shared/time/timeout.ts';
import type { Measure } from '../../domain/measure.ts';
import type { Provenance } from '../../domain/provenance.ts';
import type { Ask, Client, ServiceAccess } from '../client/client.ts';
import {
  type AnswerDeadline,
  createDeadline,
  createObservableWait,
  type ObservableWait,
  type Wait,
} from '../client/deadline.ts';
import { ServiceDocuments } from '../client/documents.ts';
import { appErrorOf, type Fault, type Outcome, outcomeOf, retryAfterDefaultMs } from '../client/fault.ts';
import { halving } from '../halving.ts';
import type { QueryOptions } from '../parameters.ts';
import type { Answered } from '../results.ts';

/** The data of an operation, and its missing parts in words a person reads. */
export type Found<Data> = { readonly data: Data; readonly missing: readonly string[] };

export type Operation<Data> = {
  /** Identifies the operation, with the parameters. One name has one type of data. */
  readonly name: string;
  readonly parameters: readonly (string | number | boolean)[];
  /** The noun in "I asked for …". */
  readonly subject: string;
  /** How long an answer is fresh. @param now epoch milliseconds */
  readonly freshMs: (data: Data, now: number) => number;
  /** @throws NoAnswer */
  readonly read: (ask: Ask) => Promise<Found<Data>>;
};

export type QueryWorkspace = {
  readonly teamId: string;
  /** Workspace, key id and endpoint; no secret. */
  readonly identity: readonly string[];
  readonly access: ServiceAccess;
  readonly health: WorkspaceHealth;
};

export type AnswersDeps = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure: Measure;
  readonly client: Client;
  readonly store: AnswerStore;
  readonly deadlineMs: number;
  readonly wait: Wait;
};

type Entry<Data> = Found<Data> & { readonly asOf: number; readonly freshUntil: number };
/** An incomplete answer does not replace a complete one at once. */
type CachedAnswers<Data> = { readonly latest: Entry<Data>; readonly complete: Entry<Data> | undefined };

/** An incomplete answer is refreshed soon. */
const partialFreshMs = 10_000;
/** While the service is down, a complete answer is preferred to an incomplete one that is newer by at most this. */
const completeWorthMs = 15 * 60_000;
/** A service that has failed for so long is probably still away: then an older answer comes at once, and the service is asked all the same. */
const awayMinMs = 60_000;
/** A service that is back has answered by then. */
const backWithinMs = 300;
/** A request with a cached answer does not wait longer for a busy service. */
const pauseMaxIfCachedMs = 1000;

type Flight<Data> = Pick<ObservableWait, 'observe' | 'restMs'> & { readonly outcome: Promise<Outcome<Entry<Data>>> };

export type Answers = {
  /** Settles in microtasks if the service is not asked. @throws AppError if there is no answer */
  readonly answer: <Data>(
    workspace: QueryWorkspace,
    operation: Operation<Data>,
    options: QueryOptions,
  ) => Promise<Answered<Data>>;
};

export function createAnswers(deps: AnswersDeps): Answers {
  const { clock, store, measure } = deps;
  const flights = new Map<string, Flight<unknown>>();
  /** Single flight: identical operations share one request. */
  const share = <Data>(key: string, ask: (wait: Wait) => Promise<Outcome<Entry<Data>>>): Flight<Data> => {
    const inFlight = flights.get(key);
    // A key begins with the operation's name, and one name has one type of data.
    if (inFlight !== undefined) return inFlight as Flight<Data>;
    const { wait, ...observable } = createObservableWait(deps.wait);
    const flight = { ...observable, outcome: ask(wait) };
    const land = () => void flights.delete(key);
    flights.set(key, flight);
    flight.outcome.then(land, land);
    return flight;
  };

  return {
    answer: async <Data>(workspace: QueryWorkspace, operation: Operation<Data>, options: QueryOptions) => {
      const { isFresh, onPause, deadline } = options;
      const key = JSON.stringify([operation.name, ...workspace.identity, ...operation.parameters]);
      const cached = store.get<CachedAnswers<Data>>(key);
      if (!isFresh && cached && isStillFresh(cached.latest, clock())) {
        measure({ kind: 'lookup', source: 'fresh' });
        return answered(cached.latest, 'cached');
      }
      const freshMs = leftForFresh(options);
      const older = cached === undefined || freshMs === undefined ? [] : [deps.wait(freshMs).then(() => cached)];
      const asked = outcomeBy(deadline, () => {
        const flight = share(key, (wait) => readAndCache({ ...deps, wait }, workspace, operation, key));
        flight.observe(onPause);
        return flight;
      });
      const isAway = cached && !isFresh && workspace.health.away() !== undefined;
      const away = isAway ? [deps.wait(backWithinMs).then(() => stillAway(workspace.health, asked))] : [];
      const outcome = await Promise.race([asked, ...older, ...away]);
      if ('latest' in outcome) return answered(outcome.latest, 'cached');
      if ('value' in outcome) {
        measure({ kind: 'lookup', source: 'asked' });
        return answered(outcome.value, 'live');
      }
      const { fault } = outcome;
      const since = workspace.health.failed(fault);
      const stale = staleFor(fault, store.get<CachedAnswers<Data>>(key));
      const isUsable = stale !== undefined && clock() - stale.asOf <= lifetimeMs;
      measure({ kind: 'lookup', source: isUsable ? 'stale' : 'none' });
      if (isUsable) return answered(stale, 'stale', staleBecause(fault, since));
      throw appErrorOf(fault, { subject: operation.subject, since, deadlineMs: shortestOf(deps, deadline) });
    },
  };
}

function shortestOf({ deadlineMs }: AnswersDeps, deadline: AnswerDeadline | undefined): number {
  return Math.min(deadlineMs, deadline?.totalMs ?? deadlineMs);
}

/** @returns the known fault of a service that is away; what it answers later still counts. Otherwise what it answers */
function stillAway<Data>(
  health: WorkspaceHealth,
  asked: Promise<Outcome<Entry<Data>>>,
): Promise<Outcome<Entry<Data>>> | Outcome<Entry<Data>> {
  const fault = health.away();
  if (fault === undefined) return asked;
  void asked.then((late) => 'fault' in late && health.failed(late.fault));
  return { fault };
}

/** Asks only before the deadline. After it, the request in flight continues for the cache. */
async function outcomeBy<Data>(
  deadline: AnswerDeadline | undefined,
  ask: () => Flight<Data>,
): Promise<Outcome<Entry<Data>>> {
  if (deadline === undefined) return ask().outcome;
  const leftMs = deadline.leftMs();
  if (leftMs === 0) return { fault: overdue };
  const flight = ask();
  return valueWithin<Outcome<Entry<Data>>>(leftMs, flight.outcome, () => {
    const retryAfterMs = flight.restMs();
    if (retryAfterMs === undefined) return { fault: overdue };
    return { fault: { kind: 'rate_limited', detail: 'the deadline of the answer passed in a pause', retryAfterMs } };
  });
}

const overdue: Fault = { kind: 'timeout', detail: 'the deadline of the answer passed' };

/** @returns how long a newer answer than the cached one is awaited, milliseconds; undefined without a limit */
function leftForFresh({ freshTimeoutMs, deadline }: QueryOptions): number | undefined {
  if (freshTimeoutMs === undefined || deadline === undefined) return freshTimeoutMs;
  return Math.max(0, freshTimeoutMs - (deadline.totalMs - deadline.leftMs()));
}

/** An answer from the future means that the clock was set back. */
function isStillFresh({ asOf, freshUntil }: Entry<unknown>, now: number): boolean {
  return now >= asOf && now < freshUntil;
}

function answered<Data>(
  { data, missing, asOf }: Entry<Data>,
  source: Provenance['source'],
  reason: Pick<Provenance, 'staleReason' | 'failingSince'> = {},
): Answered<Data> {
  return { data, provenance: { source, asOf, missing, ...reason } };
}

/** A service that asks for a pause does not fail, so `failingSince` is missing. */
function staleBecause({ kind }: Fault, since: number): Pick<Provenance, 'staleReason' | 'failingSince'> {
  if (kind === 'rate_limited') return { staleReason: 'busy' };
  if (kind === 'timeout') return { staleReason: 'late', failingSince: since };
  const isCutOff = kind === 'unreachable' || kind === 'reset';
  return { staleReason: isCutOff ? 'unreachable' : 'failing', failingSince: since };
}

/** A refused key invalidates its answers; a refused document is no outage. */
function staleFor<Data>({ kind }: Fault, cached: CachedAnswers<Data> | undefined): Entry<Data> | undefined {
  if (!cached || kind === 'unauthorized' || kind === 'invalid_request') return undefined;
  const { latest, complete } = cached;
  return complete && latest.asOf - complete.asOf <= completeWorthMs ? complete : latest;
}

async function readAndCache<Data>(
  { clock, log, measure, client, store, deadlineMs, wait }: AnswersDeps,
  { teamId, access, health }: QueryWorkspace,
  operation: Operation<Data>,
  key: string,
): Promise<Outcome<Entry<Data>>> {
  const startedAt = performance.now();
  const cached = store.get<CachedAnswers<Data>>(key);
  const deadline = createDeadline({
    totalMs: deadlineMs,
    pauseMaxMs: cached ? pauseMaxIfCachedMs : deadlineMs,
    wait,
  });
  const ask = halving(client.senderFor(access, deadline), access.documents);
  const outcome = await afterPause(health, deadline.pause, () => outcomeOf(operation.read(ask)));
  const durationMs = Math.round(performance.now() - startedAt);
  const facts = { teamId, question: operation.name, durationMs };
  const ending = 'fault' in outcome ? outcome.fault.kind : 'answered';
  measure({ kind: 'question', question: operation.name, outcome: ending, durationMs });
  if ('fault' in outcome) {
    const { kind, detail } = outcome.fault;
    log.warn({ ...facts, fault: kind, detail }, 'query service gave no answer');
    return outcome;
  }
  health.succeeded();
  const { data, missing } = outcome.value;
  const isComplete = missing.length === 0;
  if (isComplete) log.debug(facts, 'query service answered');
  else log.warn({ ...facts, missing }, 'query service returned a partial answer');
  const asOf = clock();
  const completeFreshMs = operation.freshMs(data, asOf);
  const freshMs = isComplete ? completeFreshMs : Math.min(partialFreshMs, completeFreshMs);
  const entry: Entry<Data> = { data, missing, asOf, freshUntil: asOf + freshMs };
  store.set<CachedAnswers<Data>>(key, { latest: entry, complete: isComplete ? entry : cached?.complete });
  return { value: entry };
}

/** Grants the pause that the service asked for, if the deadline allows it; otherwise the service is not asked. */
async function afterPause<Value>(
  health: WorkspaceHealth,
  pause: (pauseMs: number) => Promise<boolean>,
  read: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const pauseMs = health.pauseMs();
  if (pauseMs === 0 || (await pause(pauseMs))) return read();
  return { fault: { kind: 'rate_limited', detail: 'still within the pause it asked for', retryAfterMs: pauseMs } };
}

export type AnswerStore = {
  /** A key belongs to one kind of answer. */
  readonly get: <Value>(key: string) => Value | undefined;
  /** Freezes the value deeply, since every reader gets the same one. */
  readonly set: <Value>(key: string, value: Value) => void;
  readonly close: () => void;
};

/** The last good answer is usable for this long. */
const lifetimeMs = 24 * 3_600_000;

/** An execution's log may have ten million characters; most answers have a few thousand. */
const unitsDefaultMax = 64 * 1024 * 1024;

/**
 * A cache of answers on node-cache, without its copies and without its exception when it is full.
 * @param answersMax beyond this, the oldest tenth is evicted
 * @param unitsMax characters of all answers together; beyond this, the oldest are evicted
 */
export function createAnswerStore(answersMax: number, unitsMax = unitsDefaultMax): AnswerStore {
  const cache = new NodeCache({ stdTTL: lifetimeMs / 1000, maxKeys: answersMax, useClones: false });
  const weights = new Map<string, number>();
  let units = 0;
  cache.on('del', (key: string) => {
    units -= weights.get(key) ?? 0;
    weights.delete(key);
  });
  return {
    get: (key) => cache.get(key),
    set: (key, value) => {
      // Deleted first, so that the order of keys is the order of age.
      cache.del(key);
      if (cache.getStats().keys >= answersMax) cache.del(cache.keys().slice(0, Math.ceil(answersMax / 10)));
      const weight = weightOf(value, new Set());
      for (const oldest of weights.keys()) {
        if (units + weight <= unitsMax) break;
        cache.del(oldest);
      }
      weights.set(key, weight);
      units += weight;
      cache.set(key, freezeDeep(value));
    },
    close: () => cache.close(),
  };
}

/** Rough size of a number, a name or an object, in characters. */
const unitsEach = 16;

function weightOf(value: unknown, visited: Set<object>): number {
  if (typeof value === 'string') return value.length + unitsEach;
  if (typeof value !== 'object' || value === null || visited.has(value)) return unitsEach;
  visited.add(value);
  return Object.values(value).reduce<number>((sum, inner) => sum + weightOf(inner, visited), unitsEach);
}

/** Health of one workspace's query service: since when it fails, until when it pauses, and which documents it understands. */
export type WorkspaceHealth = {
  readonly documents: ServiceDocuments;
  readonly succeeded: () => void;
  /** @returns since when it fails like this, epoch milliseconds */
  readonly failed: (fault: Fault) => number;
  /** Rest of the pause that the service asked for, milliseconds. */
  readonly pauseMs: () => number;
  /** The fault of a service that has failed for a minute or longer, without an answer in between. */
  readonly away: () => Fault | undefined;
};

export type WorkspaceHealths = { readonly get: (key: string) => WorkspaceHealth };

const workspacesMax = 10_000;

export function createWorkspaceHealths(clock: Clock): WorkspaceHealths {
  const known = createLruCache<WorkspaceHealth>({ entriesMax: workspacesMax });
  return {
    get: (key) => {
      const health = known.get(key) ?? createHealth(clock);
      known.set(key, health);
      return health;
    },
  };
}

function createHealth(clock: Clock): WorkspaceHealth {
  let failing: { readonly fault: Fault; readonly since: number } | undefined;
  let refusedSince: number | undefined;
  let pausedUntil = 0;
  return {
    documents: new ServiceDocuments(clock),
    succeeded: () => {
      failing = undefined;
      refusedSince = undefined;
      pausedUntil = 0;
    },
    failed: (fault) => {
      const { kind, retryAfterMs } = fault;
      const now = clock();
      if (kind === 'rate_limited') pausedUntil = now + (retryAfterMs ?? retryAfterDefaultMs);
      if (kind === 'rate_limited' || kind === 'invalid_request') return now;
      if (kind === 'unauthorized') {
        refusedSince ??= now;
        return refusedSince;
      }
      failing = { fault, since: failing?.since ?? now };
      return failing.since;
    },
    away: () => {
      const isAway = refusedSince === undefined && failing !== undefined && clock() - failing.since >= awayMinMs;
      return isAway ? failing?.fault : undefined;
    },
    pauseMs: () => Math.max(0, pausedUntil - clock()),
  };
}
