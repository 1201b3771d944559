/** What the sample's workflows are made of: steps, log lines, ways to fail. Data only; `details.ts` makes executions of it. */
import type { ErrorRecord } from '../records/record.ts';
import type { Moments } from './moments.ts';
import type { Random } from './random.ts';

/** What one execution is about: its error and its log lines talk of the same batch, amount and addresses. */
export type Facts = {
  /** Eight hexadecimal characters. */
  readonly ref: string;
  /** 40 hexadecimal characters. */
  readonly address: string;
  /** 64 hexadecimal characters. */
  readonly hash: string;
  /** From 2 to 40. */
  readonly few: number;
  /** From 10,000 to 99,999. */
  readonly many: number;
  readonly nodes: number;
  /** The schedule's slot, ISO 8601. */
  readonly slot: string;
  readonly release: string;
};

export function factsOf(random: Random, rest: Pick<Facts, 'nodes' | 'slot' | 'release'>): Facts {
  return {
    ...rest,
    ref: random.hex(8),
    address: random.hex(40),
    hash: random.hex(64),
    few: random.between(2, 40),
    many: random.between(10_000, 99_999),
  };
}

/** One call of a capability, in milliseconds from the start of an execution of ordinary speed. Steps may overlap. */
export type Step = {
  readonly label: string;
  readonly capabilityId: string;
  readonly method: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The platform's word for a finished call, which differs from capability to capability. */
  readonly doneStatus: string;
};

export type Line = {
  readonly atMs: number;
  /** @param node from 1 @returns undefined where that node keeps silent */
  readonly say: (facts: Facts, node: number) => string | undefined;
  /** Left out of the many good executions of a 30-second schedule. */
  readonly isVerbose?: boolean;
};

export type Recipe = { readonly steps: readonly Step[]; readonly lines: readonly Line[] };

/** One way to fail. */
export type Fault = {
  /** The label of the step that fails; the steps after it do not happen. */
  readonly step: string;
  readonly classifiedStatus: 'USER_ERROR' | 'SYSTEM_ERROR';
  /** What the platform writes as the failing call's status: not always a word for failure. */
  readonly eventStatus: string;
  /** How long the failing call takes. */
  readonly takesMs: number;
  /** As the capability reports them; null where the platform kept no detail. */
  readonly errors: ((facts: Facts) => readonly ErrorRecord[]) | null;
  /** How the execution's own error wraps the capability's. */
  readonly wrap: (error: string, facts: Facts) => string;
  /** Times count from the start of the failing call. */
  readonly lines: readonly Line[];
  /** How many nodes are up, the first ones; the others say nothing from the start of the run. All where left out. */
  readonly nodesUp?: number;
};

/** One slot of a schedule. */
export type Slot = { readonly index: number; readonly startedAt: number };

/** @param seed the workflow's own */
export type Hits = (slot: Slot, moments: Moments, seed: number) => boolean;

export type Trouble = { readonly fault: Fault; readonly hits: Hits };

/** Errors on a call that is reported as completed, in an execution that succeeds. */
export type Blemish = {
  readonly step: string;
  readonly hits: Hits;
  readonly errors: (facts: Facts) => readonly ErrorRecord[];
  readonly lines: readonly Line[];
};
