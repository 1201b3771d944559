/** Answers an operation: from the cache while fresh, from a request in flight, from the service, or with the last good answer. */
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { valueWithin } from '../../../shared/time/timeout.ts';
import type { Measure } from '../../domain/measure.ts';
import type { Provenance } from '../../domain/provenance.ts';
import type { Window } from '../../domain/window.ts';
import { type Ask, type ServiceAccess, senderFor } from '../client/client.ts';
import {
  type AnswerDeadline,
  createDeadline,
  createObservableWait,
  type ObservableWait,
  type Wait,
} from '../client/deadline.ts';
import { appErrorOf, type Fault, NoAnswer, type Outcome, outcomeOf } from '../client/fault.ts';
import type { Pool } from '../client/pool.ts';
import { halving } from '../halving.ts';
import type { QueryOptions } from '../parameters.ts';
import type { Answered } from '../results.ts';
import { type AnswerStore, lifetimeMs } from './answer-store.ts';
import type { Failing, WorkspaceHealth } from './workspace-health.ts';

/** The data of an operation, and its missing parts in words a person reads. */
export type Found<Data> = { readonly data: Data; readonly missing: readonly string[] };

export type Operation<Data> = {
  /** Identifies the operation, with the parameters. One name has one type of data. */
  readonly name: string;
  readonly parameters: readonly (string | number | boolean)[];
  /** A cached answer to another version is not fresh; it serves only while the service does not answer. */
  readonly version?: string;
  /** Its window, and the other parameters: while the service does not answer, an answer about another window serves if there is none about this one. */
  readonly windowed?: { readonly window: Window; readonly others: readonly (string | number)[] };
  /** Of a list: while the service does not answer, the newest parts of other lists serve if they are newer, or there is none of this one. */
  readonly parts?: Parts<Data>;
  /** The noun in "I asked for …". */
  readonly subject: string;
  /** How long an answer is fresh. @param now epoch milliseconds */
  readonly freshMs: (data: Data, now: number) => number;
  /** @throws NoAnswer */
  readonly read: (ask: Ask) => Promise<Found<Data>>;
};

type PartOf<Data> = Data extends readonly (infer Part)[] ? Part : never;
/** `at`: an instant that differs a little from one list to another; epoch milliseconds, or 0 for none. */
type PartKey = { readonly key: string; readonly at: number };
type Parts<Data> = {
  readonly keys: readonly PartKey[];
  /** In the order of the keys, null for a part that is not known. */
  readonly split: (data: Data) => readonly (PartOf<Data> | null)[];
  readonly join: (parts: readonly (PartOf<Data> | null)[]) => Found<Data>;
};
/** Two lists that were read within an hour. */
const partReachMs = 3_600_000;

export type QueryWorkspace = {
  readonly teamId: string;
  /** Workspace, key id and endpoint; no secret. */
  readonly identity: readonly string[];
  readonly access: ServiceAccess;
  readonly health: WorkspaceHealth;
};

/** Shared by all workspaces. */
export type QueryRuntime = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure: Measure;
  readonly pool: Pool;
  /** For one operation, or one page of a stream, retries included. */
  readonly deadlineMs: number;
  readonly wait: Wait;
};

type Entry<Data> = Found<Data> & {
  readonly version: string | undefined;
  readonly window: Window | undefined;
  readonly asOf: number;
  readonly freshUntil: number;
};
/** An incomplete answer does not replace a complete one at once. */
type CachedAnswers<Data> = { readonly latest: Entry<Data>; readonly complete: Entry<Data> | undefined };

type KeptPart<Part> = { readonly data: Part; readonly at: number; readonly asOf: number };

/** An incomplete answer is refreshed soon. */
const partialFreshMs = 10_000;
/** While the service is down, a complete answer is preferred to an incomplete one that is newer by at most this. */
const completeWorthMs = 15 * 60_000;
/** An answer does not wait longer for a service that has stopped answering. */
const awaitAwayMs = 300;
/** A request with a cached answer does not wait longer for a busy service. */
const pauseMaxIfCachedMs = 1000;

type Flight<Data> = Pick<ObservableWait, 'observe' | 'restMs'> & { readonly outcome: Promise<Outcome<Entry<Data>>> };

export class Answers {
  readonly #runtime: QueryRuntime;
  readonly #store: AnswerStore;
  readonly #flights = new Map<string, Flight<unknown>>();

  constructor(runtime: QueryRuntime, store: AnswerStore) {
    this.#runtime = runtime;
    this.#store = store;
  }

  /** Settles in microtasks if the service is not asked. @throws AppError if there is no answer */
  async answer<Data>(
    workspace: QueryWorkspace,
    operation: Operation<Data>,
    options: QueryOptions,
  ): Promise<Answered<Data>> {
    const { clock, measure, wait } = this.#runtime;
    const { isFresh, onPause, deadline, freshTimeoutMs } = options;
    const key = keyOf(workspace, operation.name, operation.parameters);
    const cached = this.#store.get<CachedAnswers<Data>>(key);
    const { version, asOf = 0, freshUntil = 0 } = cached?.latest ?? {};
    // An answer from the future means that the clock was set back.
    if (!isFresh && cached && version === operation.version && clock() >= asOf && clock() < freshUntil) {
      measure({ kind: 'lookup', source: 'fresh' });
      return answered(cached.latest, 'cached');
    }
    const { health } = workspace;
    const away = isFresh ? undefined : health.away();
    const asked = outcomeBy(deadline, () => {
      const flight = this.#share(workspace, operation, key);
      flight.observe(onPause);
      return flight;
    }).then((outcome) => ('fault' in outcome ? { ...outcome, since: health.recordFault(outcome.fault) } : outcome));
    const isShort = away && (away.isCertain || this.#kept(workspace, operation, key));
    const back = isShort ? [wait(leftOf(awaitAwayMs, deadline)).then(() => health.away() ?? asked)] : [];
    const isHurried = cached !== undefined && freshTimeoutMs !== undefined;
    const slow = isHurried ? [wait(leftOf(freshTimeoutMs, deadline)).then(() => health.away() ?? cached)] : [];
    const outcome = await Promise.race([asked, ...back, ...slow]);
    if ('latest' in outcome) return answered(outcome.latest, 'stale', { staleReason: 'slow' });
    if ('fault' in outcome)
      return this.#stale(workspace, operation, key, { ...outcome, awaitMs: isShort ? awaitAwayMs : deadline?.totalMs });
    measure({ kind: 'lookup', source: 'asked' });
    return answered(outcome.value, 'live');
  }

  /** Single flight: identical operations share one request. */
  #share<Data>(workspace: QueryWorkspace, operation: Operation<Data>, key: string): Flight<Data> {
    const versioned = JSON.stringify([key, operation.version]);
    const inFlight = this.#flights.get(versioned);
    // A key begins with the operation's name, and one name has one type of data.
    if (inFlight !== undefined) return inFlight as Flight<Data>;
    const { wait, ...observable } = createObservableWait(this.#runtime.wait);
    const flight = { ...observable, outcome: this.#readAndCache(workspace, operation, key, wait) };
    const land = () => void this.#flights.delete(versioned);
    this.#flights.set(versioned, flight);
    flight.outcome.then(land, land);
    return flight;
  }

  /** @returns the last good answer @throws AppError if there is none */
  #stale<Data>(
    workspace: QueryWorkspace,
    operation: Operation<Data>,
    key: string,
    { fault, since, awaitMs }: Failing & { readonly awaitMs: number | undefined },
  ): Answered<Data> {
    const { clock, measure, deadlineMs } = this.#runtime;
    const stale = staleFor(fault, this.#kept(workspace, operation, key));
    const isUsable = stale !== undefined && clock() - stale.asOf <= lifetimeMs;
    measure({ kind: 'lookup', source: isUsable ? 'stale' : 'none' });
    const instead = this.#store.get(key) === undefined && { instead: stale?.window };
    if (isUsable) return answered(stale, 'stale', { ...staleBecause(fault, since), ...instead });
    throw appErrorOf(fault, {
      subject: operation.subject,
      since,
      deadlineMs: Math.min(deadlineMs, awaitMs ?? deadlineMs),
    });
  }

  /** The last answer, or newer parts of other lists; else the newest about any window. */
  #kept<Data>(workspace: QueryWorkspace, operation: Operation<Data>, key: string): CachedAnswers<Data> | undefined {
    const cached = this.#store.get<CachedAnswers<Data>>(key) ?? this.#ofAnyWindow(workspace, operation);
    const { name, parts } = operation;
    const found = parts?.keys.map(({ key: part, at }) => {
      const kept = this.#store.get<KeptPart<PartOf<Data>>>(keyOf(workspace, name, ['part', part]));
      return kept && Math.abs(kept.at - at) <= partReachMs ? kept : null;
    });
    const known = found?.filter((part) => part !== null) ?? [];
    const asOf = Math.min(...known.map((part) => part.asOf));
    const isBetter = cached ? known.length === found?.length && asOf > cached.latest.asOf : known.length > 0;
    if (!parts || !found || !isBetter) return cached;
    const joined = parts.join(found.map((part) => part?.data ?? null));
    return {
      latest: { ...joined, asOf, version: undefined, window: undefined, freshUntil: asOf },
      complete: undefined,
    };
  }

  /** The newest answer about any window. */
  #ofAnyWindow<Data>(workspace: QueryWorkspace, { name, windowed }: Operation<Data>): CachedAnswers<Data> | undefined {
    const key = windowed && this.#store.get<string>(keyOf(workspace, name, ['any window', ...windowed.others]));
    return key === undefined ? undefined : this.#store.get<CachedAnswers<Data>>(key);
  }

  async #readAndCache<Data>(
    workspace: QueryWorkspace,
    operation: Operation<Data>,
    key: string,
    wait: Wait,
  ): Promise<Outcome<Entry<Data>>> {
    const { clock, log, measure, deadlineMs } = this.#runtime;
    const startedAt = performance.now();
    const cached = this.#store.get<CachedAnswers<Data>>(key);
    const pauseMaxMs = cached ? pauseMaxIfCachedMs : deadlineMs;
    const deadline = createDeadline({ totalMs: deadlineMs, pauseMaxMs, wait });
    const ask = halving(senderFor(this.#runtime, workspace.access, deadline), workspace.access.documents);
    const outcome = await outcomeOf(afterPause(workspace, deadline.pause, () => operation.read(ask)));
    const durationMs = Math.round(performance.now() - startedAt);
    const facts = { teamId: workspace.teamId, question: operation.name, durationMs };
    const ending = 'fault' in outcome ? outcome.fault.kind : 'answered';
    measure({ kind: 'question', question: operation.name, outcome: ending, durationMs });
    if ('fault' in outcome) {
      const { kind, detail } = outcome.fault;
      log.warn({ ...facts, fault: kind, detail }, 'query service gave no answer');
      return outcome;
    }
    workspace.health.recordSuccess();
    const { data, missing } = outcome.value;
    const isComplete = missing.length === 0;
    if (isComplete) log.debug(facts, 'query service answered');
    else log.warn({ ...facts, missing }, 'query service returned a partial answer');
    const asOf = clock();
    const completeFreshMs = operation.freshMs(data, asOf);
    const freshMs = isComplete ? completeFreshMs : Math.min(partialFreshMs, completeFreshMs);
    const { version, windowed, parts } = operation;
    const entry: Entry<Data> = { data, missing, version, window: windowed?.window, asOf, freshUntil: asOf + freshMs };
    this.#store.set<CachedAnswers<Data>>(key, { latest: entry, complete: isComplete ? entry : cached?.complete });
    for (const [index, part] of (parts?.split(data) ?? []).entries()) {
      const { key: own = '', at = 0 } = parts?.keys[index] ?? {};
      if (part !== null) this.#store.set(keyOf(workspace, operation.name, ['part', own]), { data: part, at, asOf });
    }
    if (windowed) this.#store.set(keyOf(workspace, operation.name, ['any window', ...windowed.others]), key);
    return { value: entry };
  }
}

function keyOf({ identity }: QueryWorkspace, name: string, parameters: Operation<unknown>['parameters']): string {
  return JSON.stringify([name, ...identity, ...parameters]);
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

/** @returns what is left of a time that counts from the beginning of the whole answer, milliseconds */
function leftOf(totalMs: number, deadline: AnswerDeadline | undefined): number {
  return deadline === undefined ? totalMs : Math.max(0, totalMs - (deadline.totalMs - deadline.leftMs()));
}

function answered<Data>(
  { data, missing, asOf }: Entry<Data>,
  source: Provenance['source'],
  reason: Pick<Provenance, 'staleReason' | 'failingSince' | 'instead'> = {},
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

/** Grants the pause that the service asked for, if the deadline allows it; otherwise the service is not asked. */
async function afterPause<Value>(
  { health }: QueryWorkspace,
  pause: (pauseMs: number) => Promise<boolean>,
  read: () => Promise<Value>,
): Promise<Value> {
  const pauseMs = health.pauseMs();
  if (pauseMs === 0 || (await pause(pauseMs))) return read();
  throw new NoAnswer({ kind: 'rate_limited', detail: 'still within the pause it asked for', retryAfterMs: pauseMs });
}
