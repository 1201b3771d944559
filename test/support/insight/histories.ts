/** Seeded histories of a workflow for tests of blame: executions with their outcomes, and deployments. */

import type { BlameFinding, DeploymentLike } from '../../../src/bot/insight/health/deployment-blame.ts';
import { createRandom } from '../../../src/query-service/sample/random.ts';
import { blameIn } from './blame-histories.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-11-01T00:00:00Z');

type Execution = { readonly at: number; readonly hasFailed: boolean };
export type History = {
  readonly executions: readonly Execution[];
  readonly deployments: readonly DeploymentLike[];
  readonly now: number;
  readonly gapMs: number;
};

type Dice = {
  readonly chance: (probability: number) => boolean;
  readonly between: (min: number, max: number) => number;
};

function diceOf(
  seed: number,
  second: number,
): Dice & { readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item } {
  const random = createRandom(seed, second, 77);
  return {
    between: random.between,
    pick: random.pick,
    chance: (probability) => random.between(0, 999_999) < probability * 1_000_000,
  };
}

/** The chance that the execution of this number fails. */
type RateAt = (index: number) => number;

function historyOf({
  dice,
  gapMs,
  count,
  rateAt,
  deployedBefore,
}: {
  readonly dice: Dice;
  readonly gapMs: number;
  readonly count: number;
  readonly rateAt: RateAt;
  /** Numbers of the executions that were the first to start after a deployment. */
  readonly deployedBefore: readonly number[];
}): History {
  const at = (index: number) => start + index * gapMs;
  const executions = Array.from({ length: count }, (_, index) => ({
    at: at(index) + dice.between(0, Math.min(900, gapMs / 10)),
    hasFailed: dice.chance(rateAt(index)),
  }));
  const deployments = [...deployedBefore]
    .sort((one, other) => one - other)
    .map((index) => ({
      uuid: `d-${index}`,
      status: dice.chance(0.1) ? 'FAILED' : 'ACTIVE',
      deployedAt: at(index) - dice.between(1, Math.round(gapMs * 0.9)),
    }));
  return { executions, deployments, now: at(count), gapMs };
}

/** The known history right after the execution of this number. */
function upTo({ executions, deployments, gapMs }: History, index: number): History {
  const now = start + index * gapMs + gapMs / 2;
  return {
    executions: executions.slice(0, index + 1),
    deployments: deployments.filter(({ deployedAt }) => Number(deployedAt) <= now),
    now,
    gapMs,
  };
}

/** As the bot finds it when it looks into the newest failure; null if nothing failed. */
export function findingOf({ executions, deployments, now }: History): BlameFinding | null {
  const newest = executions.findLast(({ hasFailed }) => hasFailed);
  if (newest === undefined) return null;
  return blameIn({ executions, deployments, lookedAt: newest.at, now });
}

/** @returns the part, of the histories in which something failed, in which a deployment is blamed */
export function blamedShare(histories: readonly (History | null)[]): number {
  const found = histories.flatMap((history) => (history === null ? [] : (findingOf(history) ?? [])));
  return found.filter(({ kind }) => kind === 'blamed').length / found.length;
}

type Kind = readonly [name: string, rateAt: (dice: ReturnType<typeof diceOf>, count: number) => RateAt];

/** Failures that no deployment causes. */
export const unchangedKinds: readonly Kind[] = [
  ['a steady rate', (dice) => steady(dice.pick([0.001, 0.005, 0.01, 0.03, 0.1, 0.2, 0.35, 0.6, 0.9]))],
  ['bursts', (dice) => bursts(dice, dice.pick([0.002, 0.01, 0.05]), dice.pick([0.1, 0.3, 0.5]))],
  [
    'an outage that ended',
    (dice, count) =>
      outage(dice.between(0, Math.floor(count * 0.8)), dice.between(5, Math.max(6, Math.floor(count / 10))), 0.005),
  ],
  ['a rate that rises and falls with the day', (dice) => waves(dice.pick([0.02, 0.1, 0.3]), dice.pick([24, 96, 288]))],
  ['a rate that creeps up', (_, count) => (index) => (0.6 * index) / count],
];

function steady(rate: number): RateAt {
  return () => rate;
}

function bursts(dice: Dice, begins: number, ends: number): RateAt {
  let isBad = false;
  return () => {
    isBad = dice.chance(isBad ? 1 - ends : begins);
    return isBad ? 0.9 : 0.002;
  };
}

function outage(from: number, length: number, rate: number): RateAt {
  return (index) => (index >= from && index < from + length ? 1 : rate);
}

function waves(rate: number, period: number): RateAt {
  return (index) => rate * (1 + Math.sin((2 * Math.PI * index) / period));
}

/** Every half minute to every day. */
const gapsMs = [minuteMs / 2, 5 * minuteMs, 15 * minuteMs, 60 * minuteMs, 1_440 * minuteMs] as const;

/** A history with random executions and deployment times; the seed determines all of them. */
export function unchangedHistory(seed: number, [name, rateAt]: Kind): History {
  const dice = diceOf(seed, name.length);
  const count = dice.between(30, 1_500);
  const deploymentCount = dice.between(1, Math.max(1, Math.min(8, Math.floor(count / 40))));
  const deployedBefore = Array.from({ length: deploymentCount }, () => dice.between(1, count - 1));
  return historyOf({ dice, gapMs: dice.pick(gapsMs), count, rateAt: rateAt(dice, count), deployedBefore });
}

/** The known history after a random one of its failures; null if it has none. */
export function investigated(seed: number, history: History): History | null {
  const failures = history.executions.flatMap(({ hasFailed }, index) => (hasFailed ? [index] : []));
  const picked = failures[diceOf(seed, 1).between(0, Math.max(0, failures.length - 1))];
  return picked === undefined ? null : upTo(history, picked);
}

/** A history in which executions fail since a deployment, `uuid`, where few or none did before; other deployments came before it. */
export function changedHistory(seed: number): { readonly history: History; readonly uuid: string } {
  const dice = diceOf(seed, 99);
  const changedAt = dice.between(40, 1_400);
  const [rateBefore, rateAfter] = [dice.pick([0, 0.001, 0.01, 0.03]), dice.pick([0.6, 0.8, 0.95, 1])];
  const others = dice.between(0, Math.min(5, Math.floor(changedAt / 40)));
  const history = historyOf({
    dice,
    gapMs: dice.pick(gapsMs),
    count: changedAt + dice.between(8, 300),
    rateAt: (index) => (index >= changedAt ? rateAfter : rateBefore),
    deployedBefore: [...Array.from({ length: others }, () => dice.between(1, changedAt - 1)), changedAt],
  });
  const uuid = `d-${changedAt}`;
  const deployments = history.deployments.map((one) => (one.uuid === uuid ? { ...one, status: 'ACTIVE' } : one));
  return { history: { ...history, deployments }, uuid };
}
