/** Which step failed an execution, and how sure that is. */
import { type CooperativeTask, mapTask } from '../../../shared/time/cooperative-task.ts';

type Message = { readonly error: string };

/** What is looked at of a step. */
type Suspect = {
  readonly capability: string;
  readonly method: string | null;
  readonly state: string;
  readonly endMs: number;
  readonly errors: readonly Message[];
};

export type Verdict = { readonly index: number; readonly certainty: 'certain' | 'likely' | 'possible' };

type Indexed = Suspect & { readonly index: number };

/**
 * The best evidence decides: the step whose error is the execution's own; then the steps reported as failed; then those that have
 * errors; then one whose capability the execution's error names; then one that never ended. Of several, the last to end.
 * @param steps in time order
 * @param errors the execution's own
 * @returns null where nothing points at a step
 */
export function* findFailingStep(
  steps: readonly Suspect[],
  errors: readonly Message[],
): CooperativeTask<Verdict | null> {
  const suspects = steps.map((step, index) => ({ ...step, index }));
  const having = (state: string) => suspects.filter((step) => step.state === state);
  const failed = having('failed');
  const telling = suspects.filter((step) => step.state === 'failed' || step.errors.length > 0);
  const outer = yield* mapTask(errors.slice(0, comparedMax), squeeze);
  const areQuoted = yield* mapTask(telling, (step) => isQuoted(step, outer));
  const quoted = telling.filter((_, index) => areQuoted[index]);
  if (quoted.length > 0) return verdict(quoted, quoted.length === 1 ? 'certain' : 'likely');
  if (failed.length > 0) return verdict(failed, failed.length === 1 ? 'certain' : 'likely');
  if (telling.length > 0) return verdict(telling, 'likely');
  const areNamed = yield* mapTask(suspects, (step) => isNamed(step, errors.slice(0, comparedMax)));
  const named = suspects.filter((_, index) => areNamed[index]);
  if (named.length > 0) return verdict(named, 'likely');
  const unfinished = having('unfinished');
  return unfinished.length > 0 ? verdict(unfinished, 'possible') : null;
}

function verdict(suspects: readonly Indexed[], certainty: Verdict['certainty']): Verdict | null {
  const [first, ...others] = suspects;
  if (!first) return null;
  const last = others.reduce((latest, step) => (step.endMs >= latest.endMs ? step : latest), first);
  return { index: last.index, certainty };
}

/** Shorter texts are found in others by chance. */
const quotedUnitsMin = 8;
/** Of the execution's errors, and of each step's. */
const comparedMax = 8;
/** Only this much of each end of an error is compared: some are very long. */
const comparedUnitsMax = 4_000;

/** Whether one of the step's errors stands in one of the execution's, which usually wraps it. */
function isQuoted({ errors }: Suspect, outer: readonly string[]): boolean {
  return errors
    .slice(0, comparedMax)
    .map(squeeze)
    .some((own) => outer.some((text) => isSaidBy(own, text)));
}

function isSaidBy(inner: string, outer: string): boolean {
  if (inner === '' || outer === '') return false;
  if (inner === outer) return true;
  const shorter = Math.min(inner.length, outer.length);
  if (shorter < quotedUnitsMin) return false;
  if (outer.includes(inner) || inner.includes(outer)) return true;
  return sharedEnd(inner, outer) >= Math.max(2 * quotedUnitsMin, shorter / 2);
}

/** Both may wrap a third text, each in its own way: what is wrong stands at the end. */
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
