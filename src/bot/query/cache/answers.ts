/** Answers an operation: fresh from the cache, from a request under way, from the service, or the last good answer. */

import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Measure } from '../../domain/measure.ts';
import type { Provenance } from '../../domain/provenance.ts';
import type { Ask, Client, ServiceAccess } from '../client/client.ts';
import { createDeadline, type Wait } from '../client/deadline.ts';
import { appErrorOf, type Fault, type Outcome } from '../client/fault.ts';
import { createToldWait, type ToldWait } from '../client/told-wait.ts';
import type { QueryOptions } from '../parameters.ts';
import type { Answered } from '../results.ts';
import { type AnswerStore, keptMs } from './store.ts';
import type { WorkspaceHealth } from './workspaces.ts';

/** What a question found: its data, and the parts that are not there, in words a person reads. */
export type Found<Data> = { readonly data: Data; readonly missing: readonly string[] };

export type Operation<Data> = {
  /** With the parameters, what tells it from every other question; one name, one type of data. */
  readonly name: string;
  readonly parameters: readonly (string | number | boolean)[];
  /** The noun in "I asked for …". */
  readonly subject: string;
  /** For how long an answer passes as fresh. @param now epoch milliseconds */
  readonly freshMs: (data: Data, now: number) => number;
  readonly read: (ask: Ask) => Promise<Outcome<Found<Data>>>;
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
/** An answer with parts missing does not displace a complete one at once. */
type Memory<Data> = { readonly latest: Entry<Data>; readonly complete: Entry<Data> | undefined };

/** An answer with parts missing is asked again soon. */
const partialFreshMs = 10_000;
/** Up to so much older than an answer with parts missing, a complete one is worth more when the service is down. */
const completeWorthMs = 15 * 60_000;
/** With a last good answer at hand nobody waits long for a busy service. */
const pauseMaxWithAnswerMs = 1000;

type Flight<Data> = Pick<ToldWait, 'tell'> & { readonly outcome: Promise<Outcome<Entry<Data>>> };

export type Answers = {
  /** Without a question to the service it settles in microtasks alone. @throws AppError where there is no answer to give */
  readonly answer: <Data>(
    workspace: QueryWorkspace,
    question: Operation<Data>,
    options: QueryOptions,
  ) => Promise<Answered<Data>>;
};

export function createAnswers(deps: AnswersDeps): Answers {
  const { clock, store, measure } = deps;
  const flights = new Map<string, Flight<unknown>>();

  /** Identical questions that are under way together are one question. */
  const share = <Data>(key: string, ask: (wait: Wait) => Promise<Outcome<Entry<Data>>>): Flight<Data> => {
    const under = flights.get(key);
    // A key begins with the question's name, and one name has one type of data.
    if (under !== undefined) return under as Flight<Data>;
    const { wait, tell } = createToldWait(deps.wait);
    const flight = { tell, outcome: ask(wait) };
    const land = () => void flights.delete(key);
    flights.set(key, flight);
    flight.outcome.then(land, land);
    return flight;
  };

  return {
    answer: async <Data>(workspace: QueryWorkspace, question: Operation<Data>, options: QueryOptions) => {
      const { isFresh, onWait, onPause, freshTimeoutMs } = options;
      const key = JSON.stringify([question.name, ...workspace.identity, ...question.parameters]);
      const memory = store.get<Memory<Data>>(key);
      if (!isFresh && memory && passesAsFresh(memory.latest, clock())) {
        measure({ kind: 'lookup', source: 'fresh' });
        return answered(memory.latest, 'cached');
      }
      onWait();
      const flight = share(key, (wait) => askAndKeep({ ...deps, wait }, workspace, question, key));
      flight.tell(onPause);
      const isPatient = memory === undefined || freshTimeoutMs === undefined;
      const older = isPatient ? [] : [deps.wait(freshTimeoutMs).then(() => memory)];
      const outcome = await Promise.race([flight.outcome, ...older]);
      if ('latest' in outcome) return answered(outcome.latest, 'cached');
      if ('value' in outcome) {
        measure({ kind: 'lookup', source: 'asked' });
        return answered(outcome.value, 'live');
      }
      const { fault } = outcome;
      const since = workspace.health.failed(fault);
      const kept = keptFor(fault, store.get<Memory<Data>>(key));
      const isWorthIt = kept !== undefined && clock() - kept.asOf <= keptMs;
      measure({ kind: 'lookup', source: isWorthIt ? 'stale' : 'none' });
      if (isWorthIt) {
        return answered(kept, 'stale', staleBecause(fault, since));
      }
      throw appErrorOf(fault, { subject: question.subject, since, deadlineMs: deps.deadlineMs });
    },
  };
}

/** An answer from the future is what a clock that was set back leaves behind. */
function passesAsFresh({ asOf, freshUntil }: Entry<unknown>, now: number): boolean {
  return now >= asOf && now < freshUntil;
}

function answered<Data>(
  { data, missing, asOf }: Entry<Data>,
  source: Provenance['source'],
  reason: Pick<Provenance, 'staleReason' | 'failingSince'> = {},
): Answered<Data> {
  return { data, provenance: { source, asOf, missing, ...reason } };
}

/** A service that asks for a pause does not fail, so there is no time since when. */
function staleBecause({ kind }: Fault, since: number): Pick<Provenance, 'staleReason' | 'failingSince'> {
  if (kind === 'rate_limited') return { staleReason: 'busy' };
  const isSilent = kind === 'unreachable' || kind === 'reset' || kind === 'timeout';
  return { staleReason: isSilent ? 'unreachable' : 'failing', failingSince: since };
}

/** A refused key ends what the key gave; a question that is not accepted is no outage. */
function keptFor<Data>({ kind }: Fault, memory: Memory<Data> | undefined): Entry<Data> | undefined {
  if (!memory || kind === 'unauthorized' || kind === 'refused_question') return undefined;
  const { latest, complete } = memory;
  return complete && latest.asOf - complete.asOf <= completeWorthMs ? complete : latest;
}

async function askAndKeep<Data>(
  { clock, log, measure, client, store, deadlineMs, wait }: AnswersDeps,
  { teamId, access, health }: QueryWorkspace,
  question: Operation<Data>,
  key: string,
): Promise<Outcome<Entry<Data>>> {
  const startedAt = performance.now();
  const memory = store.get<Memory<Data>>(key);
  const deadline = createDeadline({
    totalMs: deadlineMs,
    pauseMaxMs: memory ? pauseMaxWithAnswerMs : deadlineMs,
    wait,
  });
  const outcome = await afterPause(health, deadline.pause, () => question.read(client.asker(access, deadline)));
  const durationMs = Math.round(performance.now() - startedAt);
  const facts = { teamId, question: question.name, durationMs };
  const told = 'fault' in outcome ? outcome.fault.kind : 'answered';
  measure({ kind: 'question', question: question.name, outcome: told, durationMs });
  if ('fault' in outcome) {
    const { kind, detail } = outcome.fault;
    log.warn({ ...facts, fault: kind, detail }, 'query service gave no answer');
    return outcome;
  }
  health.succeeded();
  const { data, missing } = outcome.value;
  const isComplete = missing.length === 0;
  if (isComplete) log.debug(facts, 'query service answered');
  else log.warn({ ...facts, missing }, 'query service answered in part');
  const asOf = clock();
  const completeFreshMs = question.freshMs(data, asOf);
  const freshMs = isComplete ? completeFreshMs : Math.min(partialFreshMs, completeFreshMs);
  const entry: Entry<Data> = { data, missing, asOf, freshUntil: asOf + freshMs };
  store.set<Memory<Data>>(key, { latest: entry, complete: isComplete ? entry : memory?.complete });
  return { value: entry };
}

/** A service that asked for a pause gets it, as far as the deadline allows; else nobody asks. */
async function afterPause<Value>(
  health: WorkspaceHealth,
  pause: (pauseMs: number) => Promise<boolean>,
  read: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const pauseMs = health.pauseMs();
  if (pauseMs === 0 || (await pause(pauseMs))) return read();
  return { fault: { kind: 'rate_limited', detail: 'still within the pause it asked for', retryAfterMs: pauseMs } };
}
