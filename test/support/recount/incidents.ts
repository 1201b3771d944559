/** Finds platform incidents a second time, by "Incident in full" in docs/truth.md: no code is shared with the bot. */
import { causeOf, endOf, type RawExecution, type RawWorkflow, type Span, startOf } from './lists.ts';

const slotMs = 5 * 60_000;
/** An hour, in slots. */
const quiet = 12;

export type IncidentFact = {
  readonly workflows: readonly string[];
  readonly withinMs: number;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** Rounded. */
  readonly chance: string;
};

type Question = {
  readonly workflows: readonly RawWorkflow[];
  readonly failures: readonly RawExecution[];
  /** Of the window before; null if that is not known. */
  readonly failuresBefore: readonly RawExecution[] | null;
  readonly window: Span;
};

type Member = {
  readonly name: string;
  readonly slots: ReadonlySet<number>;
  readonly begins: readonly number[];
  readonly runs: number;
};

type Together = {
  readonly members: readonly Member[];
  readonly slot: number;
  readonly length: number;
  readonly chance: number;
};

const isOfPlatform = ({ classifiedStatus }: RawExecution) => classifiedStatus === 'SYSTEM_ERROR';

/** @returns the incidents by cause */
export function recountIncidents(question: Question): ReadonlyMap<string, IncidentFact> {
  const byCause = [...Map.groupBy(question.failures, causeOf)].filter(
    ([cause, runs]) =>
      cause !== '' && runs.some(isOfPlatform) && new Set(runs.map(({ workflowName }) => workflowName)).size > 1,
  );
  return new Map(
    byCause.flatMap(([cause]) => {
      const fact = incidentOf(cause, byCause.length, question);
      return fact === null ? [] : [[cause, fact] as const];
    }),
  );
}

function incidentOf(cause: string, causes: number, question: Question): IncidentFact | null {
  const { failures, failuresBefore, window } = question;
  const slotsBefore = failuresBefore === null ? 0 : (window.to - window.from) / slotMs;
  const slotsAll = slotsBefore + (window.to - window.from) / slotMs;
  const slotOf = (run: RawExecution) => slotsBefore + Math.floor((endOf(run) - window.from) / slotMs);
  const members = membersOf([...(failuresBefore ?? []), ...failures], cause, question.workflows, slotOf);
  const found = [2, 4, quiet].flatMap((length): Together[] => {
    const begins = members.flatMap((member) => member.begins).filter((slot) => slot >= slotsBefore);
    const hits = (slot: number) => begins.filter((begin) => begin >= slot && begin < slot + length).length;
    const [slot] = begins.toSorted((one, other) => hits(other) - hits(one) || one - other);
    if (slot === undefined) return [];
    const isIn = (begin: number) => begin >= slot && begin < slot + length;
    const together = members.filter((member) => member.begins.some(isIn));
    const probabilities = members.map((member) => {
      const elsewhere = member.begins.filter((begin) => !isIn(begin)).length;
      const perRun = Math.min(1, (elsewhere + 0.5) / (slotsAll * member.runs + 1));
      return 1 - (1 - perRun) ** Math.max(1, length * member.runs);
    });
    const expected = probabilities.reduce((sum, each) => sum + each, 0);
    const spans = Math.max(1, (slotsAll - slotsBefore) * Math.max(...together.map(({ runs }) => runs)));
    const tail = binomialTail(together.length, members.length, expected / members.length);
    return [{ members: together, slot, length, chance: Math.min(1, tail * spans * 3 * causes) }];
  });
  const [best] = found
    .filter(({ members: together, chance }) => together.length > 1 && chance <= 0.01)
    .sort((one, other) => other.members.length - one.members.length || one.chance - other.chance);
  if (best === undefined) return null;
  const last = Math.max(...best.members.map((member) => lastSlotOf(member, best.slot)));
  const counted = failures.filter(
    (run) => causeOf(run) === cause && isOfPlatform(run) && slotOf(run) >= best.slot && slotOf(run) <= last,
  );
  return {
    workflows: best.members.map(({ name }) => name).sort(),
    withinMs: best.length * slotMs,
    count: counted.length,
    first: Math.min(...counted.map(startOf)),
    last: Math.max(...counted.map(startOf)),
    chance: best.chance.toPrecision(6),
  };
}

function membersOf(
  failures: readonly RawExecution[],
  cause: string,
  workflows: readonly RawWorkflow[],
  slotOf: (run: RawExecution) => number,
): readonly Member[] {
  const ofCause = failures.filter((run) => causeOf(run) === cause);
  return [...Map.groupBy(ofCause, ({ workflowName }) => workflowName)].map(([name, runs]) => {
    const slots = new Set(runs.filter(isOfPlatform).map(slotOf));
    const hasFailedBefore = (slot: number) =>
      slot < quiet || Array.from({ length: quiet }, (_, back) => slot - back - 1).some((before) => slots.has(before));
    const begins = [...slots].filter((slot) => !hasFailedBefore(slot));
    return { name, slots, begins, runs: Math.min(1, slotMs * runsPerMs(workflows.filter((one) => one.name === name))) };
  });
}

function runsPerMs(workflows: readonly RawWorkflow[]): number {
  const rates = workflows.flatMap(({ registeredAt, executedAt, executionCountByStatus: { success, failure } }) => {
    const lifeMs = executedAt === null ? 0 : Date.parse(executedAt) - Date.parse(registeredAt);
    return lifeMs > 0 ? [(success + failure) / Math.max(3_600_000, lifeMs)] : [];
  });
  return rates.length === 0 ? 1 / 3_600_000 : rates.reduce((sum, rate) => sum + rate, 0);
}

/** The last slot from `from` on, before it did not fail for an hour. */
function lastSlotOf({ slots }: Member, from: number): number {
  let last = from;
  for (let slot = from; slot <= last + quiet; slot += 1) if (slots.has(slot)) last = slot;
  return last;
}

/** The probability of `least` hits or more, as the sum over all numbers of hits. */
function binomialTail(least: number, tries: number, rate: number): number {
  let [tail, term] = [0, (1 - rate) ** tries];
  for (let hits = 0; hits <= tries; hits += 1) {
    if (hits >= least) tail += term;
    term *= ((tries - hits) / (hits + 1)) * (rate / (1 - rate));
  }
  return tail;
}
