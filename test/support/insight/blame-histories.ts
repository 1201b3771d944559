/** Seeded histories for measuring blame: executions of one workflow, deployments among them, and the failures to look into. */
import { type BlameFinding, type DeploymentLike, findBlame } from '../../../src/bot/insight/health/deployment-blame.ts';
import { firstInstants, nextQuestion, type Point, type Profile } from '../../../src/bot/insight/health/onset.ts';
import { type ArrivalFamily, arrivalsOf, type Chance, createChance, failuresOfStarts } from './arrivals.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const historyFrom = Date.parse('2026-10-01T00:00:00Z');

type Execution = { readonly at: number; readonly hasFailed: boolean };

export type BlameHistory = {
  readonly executions: readonly Execution[];
  readonly deployments: readonly DeploymentLike[];
  /** Start of the failure that is looked into. */
  readonly lookedAt: number;
  readonly now: number;
};

export type Setting = {
  readonly everyMs: number;
  readonly days: number;
  readonly deploymentsWeekly: number;
  readonly arrivals: ArrivalFamily;
};

/** Deployments at random, as a Poisson process. */
function deploymentsAt(chance: Chance, { days, deploymentsWeekly }: Setting): readonly number[] {
  const at: number[] = [];
  const mean = (7 * dayMs) / deploymentsWeekly;
  for (
    let next = historyFrom + chance.exponential(mean);
    next < historyFrom + days * dayMs;
    next += chance.exponential(mean)
  ) {
    at.push(Math.round(next));
  }
  return at;
}

function deployment(at: number): DeploymentLike {
  return { uuid: `d-${at}`, status: 'ACTIVE', deployedAt: at };
}

export type UnchangedFamily = 'no change' | 'outage' | 'bursty' | 'overdispersed' | 'creeping' | '14-day cycle';

export const unchangedFamilies: readonly UnchangedFamily[] = [
  'no change',
  'outage',
  'bursty',
  'overdispersed',
  'creeping',
  '14-day cycle',
];

/** A history that no deployment changed, as known when one of its failures had just ended; null if nothing failed. */
export function unchanged(family: UnchangedFamily, seed: number, setting: Setting): BlameHistory | null {
  const chance = createChance(seed, family.length);
  const span = { from: historyFrom, to: historyFrom + setting.days * dayMs };
  const starts = arrivalsOf(setting.arrivals, span, setting.everyMs, chance);
  const failed = outcomes(family, starts, span, chance);
  const executions = starts.map((at, index) => ({ at, hasFailed: failed[index] ?? false }));
  // In an outage, a failure within it; else any failure of the newest third.
  const candidates = executions.filter(
    ({ at, hasFailed }) => hasFailed && at > span.from + (2 / 3) * (span.to - span.from),
  );
  const picked = candidates[chance.between(0, Math.max(0, candidates.length - 1))];
  if (picked === undefined) return null;
  return upTo(
    { executions, deployments: deploymentsAt(chance, setting).map(deployment), lookedAt: picked.at, now: 0 },
    setting,
  );
}

function outcomes(
  family: UnchangedFamily,
  starts: readonly number[],
  span: { from: number; to: number },
  chance: Chance,
): readonly boolean[] {
  const rate = [0.001, 0.01, 0.05, 0.2][chance.between(0, 3)] ?? 0.01;
  switch (family) {
    case 'no change':
      return failuresOfStarts('independent', starts, rate, chance);
    case 'outage': {
      const from = span.from + (0.7 + 0.25 * chance.unit()) * (span.to - span.from);
      const length = Math.max(minuteMs * 30, (span.to - span.from) * 0.2 * chance.unit());
      const ill = [0.4, 0.8, 1][chance.between(0, 2)] ?? 1;
      return starts.map((at) => chance.hits(at >= from && at < from + length ? ill : Math.min(rate, 0.01)));
    }
    case '14-day cycle':
      return starts.map((at) => chance.hits(rate * (1 + Math.sin((2 * Math.PI * at) / (14 * dayMs)))));
    default:
      return failuresOfStarts(family, starts, rate, chance);
  }
}

function upTo({ executions, deployments, lookedAt }: BlameHistory, { everyMs }: Setting): BlameHistory {
  const now = lookedAt + everyMs / 2;
  return {
    executions: executions.filter(({ at }) => at <= now),
    deployments: deployments.filter(({ deployedAt }) => Number(deployedAt) <= now),
    lookedAt,
    now,
  };
}

export type Change = { readonly from: number; readonly to: number; readonly failuresAfter: number };

/** Executions fail at another rate since one deployment, `uuid`; looked into at the failure of this number after it. */
export function changed(
  { from, to, failuresAfter }: Change,
  seed: number,
  setting: Setting,
): { readonly history: BlameHistory; readonly uuid: string } | null {
  const chance = createChance(seed, 7);
  const span = { from: historyFrom, to: historyFrom + setting.days * dayMs };
  const at = span.from + Math.round((0.6 + 0.3 * chance.unit()) * (span.to - span.from));
  const starts = arrivalsOf(setting.arrivals, span, setting.everyMs, chance);
  const executions = starts.map((start) => ({ at: start, hasFailed: chance.hits(start >= at ? to : from) }));
  const picked = executions.filter((one) => one.at >= at && one.hasFailed)[failuresAfter - 1];
  if (picked === undefined) return null;
  // Others come before it: after it the next would be another version.
  const others = deploymentsAt(chance, setting).filter((other) => other < at);
  const deployments = [...others, at].map(deployment);
  return { history: upTo({ executions, deployments, lookedAt: picked.at, now: 0 }, setting), uuid: `d-${at}` };
}

/** Something outside broke it; after `failed` failures somebody deploys, and it goes on failing. */
export function fixed(failed: number, seed: number, setting: Setting): BlameHistory | null {
  const chance = createChance(seed, 9);
  const span = { from: historyFrom, to: historyFrom + setting.days * dayMs };
  const starts = arrivalsOf(setting.arrivals, span, setting.everyMs, chance);
  const rate = [0, 0.001, 0.005][chance.between(0, 2)] ?? 0;
  const broken = Math.floor(starts.length * (0.6 + 0.3 * chance.unit()));
  const executions = starts.map((at, index) => ({ at, hasFailed: index >= broken || chance.hits(rate) }));
  const [last, next] = [starts[broken + failed - 1], starts[broken + failed]];
  const lookedAt = starts[broken + failed + chance.between(3, 30)];
  if (last === undefined || next === undefined || lookedAt === undefined) return null;
  const fix = Math.round(last + 1 + (next - last - 2) * chance.unit());
  const others = deploymentsAt(chance, setting).filter((other) => other < (starts[broken - 3] ?? 0));
  return upTo({ executions, deployments: [...others, fix].map(deployment), lookedAt, now: 0 }, setting);
}

/** What a service would answer to the questions of the search, and how many of them there were. */
export function profileOf({ executions, deployments, lookedAt, now }: BlameHistory): {
  readonly profile: Profile;
  readonly questions: number;
} {
  const anchor = lookedAt + 1;
  const failed = [0];
  for (const one of executions) failed.push((failed.at(-1) ?? 0) + Number(one.hasFailed));
  const since = (at: number) => {
    let [low, high] = [0, executions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((executions[middle]?.at ?? 0) >= at) high = middle;
      else low = middle + 1;
    }
    const ill = (failed.at(-1) ?? 0) - (failed[low] ?? 0);
    return { good: executions.length - low - ill, failed: ill };
  };
  const reference = since(anchor);
  const pointAt = (at: number) => {
    const { good, failed: ill } = since(at);
    return { at, good: good - reference.good, failed: ill - reference.failed };
  };
  const newest = deployments
    .map(({ deployedAt }) => Number(deployedAt))
    .filter((at) => at <= lookedAt)
    .slice(-2);
  let profile: Profile = {
    anchor,
    points: inOrder([...firstInstants(anchor, now), ...newest, now + 1].map(pointAt)),
    executions: null,
  };
  let questions = 1;
  for (let question = nextQuestion(profile); question !== null && questions < 7; question = nextQuestion(profile)) {
    questions += 1;
    if (question.kind === 'executions') {
      const { from, to } = question;
      profile = { ...profile, executions: { from, to, starts: executions.filter(({ at }) => at >= from && at < to) } };
    } else {
      profile = { ...profile, points: inOrder([...profile.points, ...question.instants.map(pointAt)]) };
    }
  }
  return { profile, questions };
}

function inOrder(points: readonly Point[]): readonly Point[] {
  return points.toSorted((one, other) => one.at - other.at);
}

/** What the bot finds when it looks into the failure. */
export function blameIn(history: BlameHistory): BlameFinding {
  const { deployments, executions, lookedAt } = history;
  const hasSucceeded = executions.some(({ at, hasFailed }) => at < lookedAt && !hasFailed);
  return findBlame({
    profile: profileOf(history).profile,
    deployments: deployments.slice(-20),
    isCut: deployments.length >= 20,
    hasSucceeded,
  });
}
