/** Compares contenders: checks that their replies agree, then measures them alternating within each round. */
import assert from 'node:assert/strict';
import { median } from '../support/figures.ts';
import { ask, load, type Round } from './asking.ts';
import type { Contender } from './contender.ts';
import { bodiesOf, type Question } from './questions.ts';

export const rounds = 5;
export const levels = [1, 10, 50] as const;
const roundMs = 700;
/** The compiler has finished when an answer takes as much processor time as so many answers before, or after a maximum. */
const warmUp = { stepMs: 1_000, answersMin: 2_000, stepsMax: 15, gain: 0.95 } as const;

/** Length of each answer of a contender to a query. */
export type Lengths = ReadonlyMap<Contender, readonly number[]>;

/** Contenders with the service's schema must answer the same bytes, PostGraphile the same facts. @throws Error if one does not */
export async function checkAnswers(question: Question, contenders: readonly Contender[]): Promise<Lengths> {
  const lengths = new Map<Contender, readonly number[]>();
  const wanted: unknown[] = [];
  for (const contender of contenders) {
    const bytes: number[] = [];
    for (const [index, body] of bodiesOf(question, contender.dialect).entries()) {
      const { data, bytes: length } = await ask(contender, pathOf(question, contender), body);
      bytes.push(length);
      const says = `${contender.name} on “${question.name}”, variables ${index}`;
      if (contender.dialect === 'postgraphile') {
        assert.deepEqual(question.facts.postgraphile(data), question.facts.service(wanted[index]), says);
      } else if (wanted.length === index) wanted.push(data);
      else assert.deepEqual(data, wanted[index], says);
    }
    lengths.set(contender, bytes);
  }
  return lengths;
}

function pathOf(question: Question, { dialect }: Contender): string {
  return dialect === 'hand-written' ? question.path : '/graphql';
}

/** @returns contenders that were still being compiled after the maximum: their figures are too slow */
export async function warmUpAll(question: Question, lengths: Lengths): Promise<readonly string[]> {
  const unsettled: string[] = [];
  for (const [contender, bytes] of lengths) {
    if (!(await settles(question, contender, bytes))) unsettled.push(contender.name);
  }
  return unsettled;
}

async function settles(question: Question, contender: Contender, bytes: readonly number[]): Promise<boolean> {
  let [answers, ownMs] = [0, Number.POSITIVE_INFINITY];
  for (let step = 0; step < warmUp.stepsMax; step += 1) {
    const round = await loadOnce(question, contender, bytes, 10, warmUp.stepMs);
    answers += round.answers;
    if (answers >= warmUp.answersMin && !(round.ownMs < ownMs * warmUp.gain)) return true;
    ownMs = round.ownMs;
  }
  return false;
}

/** The first contender changes from round to round. @returns the rounds of each contender */
export async function measure(
  question: Question,
  lengths: Lengths,
  connections: number,
): Promise<ReadonlyMap<Contender, readonly Round[]>> {
  const all = [...lengths];
  const measured = new Map<Contender, Round[]>(all.map(([contender]) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % all.length;
    for (const [contender, bytes] of [...all.slice(first), ...all.slice(0, first)]) {
      measured.get(contender)?.push(await loadOnce(question, contender, bytes, connections, roundMs));
    }
  }
  return measured;
}

function loadOnce(
  question: Question,
  contender: Contender,
  bytes: readonly number[],
  connections: number,
  ms: number,
): Promise<Round> {
  const bodies = bodiesOf(question, contender.dialect);
  return load(contender, { path: pathOf(question, contender), bodies, bytes, connections, ms });
}

export function medianOf(roundsOfOne: readonly Round[], key: keyof Round): number {
  return median(roundsOfOne.map((round) => round[key]));
}

/** @returns the median of the rounds' ratios; NaN without a contender to compare with */
export function ratioOf(one: readonly Round[], other: readonly Round[] | undefined, key: keyof Round): number {
  return median(one.map((round, index) => round[key] / (other?.[index]?.[key] ?? Number.NaN)));
}
