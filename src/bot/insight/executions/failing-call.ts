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

export type FailureEvidence =
  /** The execution's own error contains its error, which is the last one, and no later call of the same kind succeeded. */
  | 'own_error'
  /** The same, but another error came later, or several steps could be meant, or the text in common is short. */
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
  /** `certain` for `own_error` only; `possible` for `unfinished`. */
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
    return isAlone && cause.match === 'long' && !hasUnfinishedAfter(all, cause)
      ? { index: cause.index, certainty: 'certain', evidence: 'own_error' }
      : likely(cause, 'shared_error');
  }
  const areNamed = yield* mapTask(all, (call) => isNamed(call, errors.slice(0, comparedMax)));
  const named = all.filter((_, index) => areNamed[index]);
  const lastStartMs = all.reduce((latest, { startMs }) => Math.max(latest, startMs), 0);
  const unfinished = lastOf(all.filter(({ state }) => state === 'unfinished'));
  return (
    likely(lastOf(named.filter(({ state }) => state !== 'succeeded')), 'named') ??
    likely(lastOf(open.filter(({ endMs }) => endMs >= lastStartMs)), 'last') ??
    (unfinished ? { index: unfinished.index, certainty: 'possible', evidence: 'unfinished' } : null) ??
    likely(lastOf(wrong.filter(({ match }) => match === 'long')), 'recovered_error') ??
    likely(lastOf(named), 'named')
  );
}

function likely(call: Indexed | undefined, evidence: FailureEvidence): FailureSuspicion | null {
  return call === undefined ? null : { index: call.index, certainty: 'likely', evidence };
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

/** The execution went on after the call, with another call whose result is not known. */
function hasUnfinishedAfter(calls: readonly Indexed[], { endMs, index }: Indexed): boolean {
  return calls.some((call) => call.index !== index && call.state === 'unfinished' && call.startMs >= endMs);
}

/** Shorter texts occur in others by chance. */
const quotedUnitsMin = 8;
/** Shorter texts, such as `not found`, say too little to explain another one. */
const explainingUnitsMin = 16;
/** Length of a common end that is no coincidence. */
const commonEndUnitsMin = 32;
/** Number of errors compared, of the execution and of each call. */
const comparedMax = 8;
/** Length of the end of an error that is compared; some errors are very long. */
const comparedUnitsMax = 4_000;

type Match = 'none' | 'short' | 'long';

/** Compares the errors of the call with those of the execution, which usually wrap them. */
function matchOf({ errors }: Suspect, outer: readonly string[]): Match {
  const found = errors
    .slice(0, comparedMax)
    .map(squeeze)
    .flatMap((own) => outer.map((text) => matchTexts(own, text)));
  if (found.includes('long')) return 'long';
  return found.includes('short') ? 'short' : 'none';
}

function matchTexts(inner: string, outer: string): Match {
  if (inner === '' || outer === '') return 'none';
  if (inner === outer) return 'long';
  const shorter = Math.min(inner.length, outer.length);
  if (shorter < quotedUnitsMin) return 'none';
  if (outer.includes(inner)) return inner.length >= explainingUnitsMin ? 'long' : 'short';
  if (inner.includes(outer)) return outer.length >= Math.max(explainingUnitsMin, inner.length / 2) ? 'long' : 'short';
  const common = sharedEnd(inner, outer);
  if (common < Math.max(2 * quotedUnitsMin, shorter / 2)) return 'none';
  return common >= commonEndUnitsMin ? 'long' : 'short';
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

function isNamed({ capability, method }: Suspect, errors: readonly Message[]): boolean {
  return errors.some(({ error }) => error.includes(capability) && (method === null || error.includes(method)));
}
