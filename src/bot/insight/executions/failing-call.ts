/** The call that failed an execution, with the evidence for it: certain, probable, possible, or none. */
import { type CooperativeTask, mapTask } from '../../../shared/time/cooperative-task.ts';

type Message = { readonly error: string };

/** The fields of a call that are read. */
export type Suspect = {
  readonly capability: string;
  readonly method: string | null;
  readonly state: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly errors: readonly Message[];
};

type FailureEvidence =
  /**
   * The execution's own error contains its error, which is the last one, and no later call of the same kind succeeded. If other calls
   * followed, the text in common is too long for a coincidence.
   */
  | 'own_error'
  /** The same, but another error came later, or several steps could be meant, or the text in common is shorter. */
  | 'shared_error'
  /** The execution's own error contains its error, but a later call of the same kind succeeded. */
  | 'recovered_error'
  /** The execution's own error names its capability and method. */
  | 'named'
  /** It failed or had errors, no later call of the same kind succeeded, and no call began after it. */
  | 'last'
  /** It never ended, and nothing else is wrong. */
  | 'unfinished';

export type FailureSuspicion = {
  /** Index into the calls. */
  readonly index: number;
  /**
   * `certain` for `own_error` only. `possible` for `unfinished` and `recovered_error`, for `named` if the step succeeded, and for `last` if
   * the execution has an error of its own or several steps failed last.
   */
  readonly certainty: 'certain' | 'likely' | 'possible';
  readonly evidence: FailureEvidence;
};

type Indexed = Suspect & { readonly index: number };

/**
 * The best evidence decides. A call that went wrong is no suspect by that alone: the execution may have gone on without it, or repeated it.
 * @param calls in time order
 * @param errors the execution's own
 * @returns null if nothing points at a call
 */
export function* findFailingCall(
  calls: readonly Suspect[],
  errors: readonly Message[],
): CooperativeTask<FailureSuspicion | null> {
  const all = calls.map((call, index) => ({ ...call, index }));
  const outer = yield* mapTask(errors.slice(0, comparedMax), squeeze);
  const wrong = yield* mapTask(
    all.filter(({ state, errors: own }) => state === 'failed' || own.length > 0),
    (call) => ({ ...call, match: matchOf(call, outer) }),
  );
  const repeatedAt = lastSuccessStarts(all);
  const open = wrong.filter((call) => (repeatedAt.get(calleeOf(call)) ?? Number.NEGATIVE_INFINITY) < call.endMs);
  const quoted = open.filter(({ match }) => match !== 'none');
  const cause = lastOf(quoted);
  if (cause !== undefined) {
    const isAlone = quoted.every((call) => calleeOf(call) === calleeOf(cause)) && lastOf(open) === cause;
    return isAlone && cause.match !== 'short' && !wentOnAfter(all, cause)
      ? { index: cause.index, certainty: 'certain', evidence: 'own_error' }
      : suspicion(cause, 'likely', 'shared_error');
  }
  const compared = errors.slice(0, comparedMax);
  const areNamed = yield* mapTask(all, ({ capability, method }) =>
    compared.some(({ error }) => error.includes(capability) && (method === null || error.includes(method))),
  );
  const named = all.filter((_, index) => areNamed[index]);
  const lastStartMs = all.reduce((latest, { startMs }) => Math.max(latest, startMs), 0);
  const last = open.filter(({ endMs }) => endMs >= lastStartMs);
  return (
    suspicion(lastOf(named.filter(({ state }) => state !== 'succeeded')), 'likely', 'named') ??
    suspicion(lastOf(last), outer.length === 0 && last.length === 1 ? 'likely' : 'possible', 'last') ??
    suspicion(lastOf(all.filter(({ state }) => state === 'unfinished')), 'possible', 'unfinished') ??
    suspicion(
      lastOf(wrong.filter(({ match }) => match === 'long' || match === 'unmistakable')),
      'possible',
      'recovered_error',
    ) ??
    suspicion(lastOf(named), 'possible', 'named')
  );
}

function suspicion(
  call: Indexed | undefined,
  certainty: FailureSuspicion['certainty'],
  evidence: FailureEvidence,
): FailureSuspicion | null {
  return call === undefined ? null : { index: call.index, certainty, evidence };
}

/** @returns the call that ended last */
function lastOf<Call extends Indexed>(calls: readonly Call[]): Call | undefined {
  return calls.reduce<Call | undefined>(
    (latest, call) => (latest === undefined || call.endMs >= latest.endMs ? call : latest),
    undefined,
  );
}

function calleeOf({ capability, method }: Suspect): string {
  return JSON.stringify([capability, method]);
}

/** Start of the last success by callee: it recovers every earlier call of the same kind that had ended by then. */
function lastSuccessStarts(calls: readonly Indexed[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const call of calls) {
    const key = calleeOf(call);
    if (call.state === 'succeeded') starts.set(key, Math.max(call.startMs, starts.get(key) ?? call.startMs));
  }
  return starts;
}

/** Another call began after it: then its error may be in that of the execution by coincidence, unless much of it is. */
function wentOnAfter(calls: readonly Indexed[], { endMs, index, match }: Indexed & { readonly match: Match }): boolean {
  const later = calls.filter((call) => call.index !== index && call.startMs >= endMs);
  return match === 'unmistakable' ? later.some(({ state }) => state === 'unfinished') : later.length > 0;
}

/** Shorter texts occur in others by chance. */
const quotedUnitsMin = 8;
/** Shorter texts, such as `not found`, say too little to explain another one. */
const explainingUnitsMin = 16;
/** Length of a common text that is no coincidence. */
const unmistakableUnitsMin = 32;
/** Number of errors compared, of the execution and of each call. */
const comparedMax = 8;
/** Length of the end of an error that is compared; some errors are very long. */
const comparedUnitsMax = 4_000;

type Match = 'none' | 'short' | 'long' | 'unmistakable';

/** Compares the errors of the call with those of the execution, which usually wrap them. */
function matchOf({ errors }: Suspect, outer: readonly string[]): Match {
  const found = errors
    .slice(0, comparedMax)
    .map(squeeze)
    .flatMap((own) => outer.map((text) => matchTexts(own, text)));
  return (['unmistakable', 'long', 'short'] as const).find((match) => found.includes(match)) ?? 'none';
}

function matchTexts(inner: string, outer: string): Match {
  if (inner === '' || outer === '') return 'none';
  if (inner === outer) return inner.length >= unmistakableUnitsMin ? 'unmistakable' : 'long';
  const shorter = Math.min(inner.length, outer.length);
  if (shorter < quotedUnitsMin) return 'none';
  if (outer.includes(inner)) return matchOfLength(inner.length, explainingUnitsMin);
  if (inner.includes(outer)) return matchOfLength(outer.length, Math.max(explainingUnitsMin, inner.length / 2));
  const common = sharedEnd(inner, outer);
  if (common < Math.max(2 * quotedUnitsMin, shorter / 2)) return 'none';
  return matchOfLength(common, unmistakableUnitsMin);
}

function matchOfLength(units: number, longMin: number): Match {
  if (units < longMin) return 'short';
  return units >= unmistakableUnitsMin ? 'unmistakable' : 'long';
}

/** Both may wrap a third text in their own way; the reason is at the end. */
function sharedEnd(one: string, other: string): number {
  let length = 0;
  while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

function squeeze({ error }: Message): string {
  const ends = error.slice(-comparedUnitsMax);
  return ends.replace(/\s+/g, ' ').trim();
}
