/** Deployment blame on thousands of seeded histories: how often it is wrong, and how often it is silent. */
import { describe, expect, it } from 'vitest';
import {
  type BlameHistory,
  blameIn,
  changed,
  fixed,
  type Setting,
  unchanged,
} from '../../../support/insight/blame-histories.ts';
import {
  blamedShare,
  changedHistory,
  findingOf,
  investigated,
  unchangedHistory,
  unchangedKinds,
} from '../../../support/insight/histories.ts';

const minuteMs = 60_000;
const seeds = Array.from({ length: 1_000 }, (_, seed) => seed);

describe('on 5,000 seeded histories in which no deployment changed anything', () => {
  it('blames one in under 1 % of cases, whenever a failure is looked into', () => {
    const all = unchangedKinds.flatMap((kind) => seeds.map((seed) => investigated(seed, unchangedHistory(seed, kind))));
    expect(blamedShare(all)).toBeLessThan(0.01);
  });

  it.each(unchangedKinds)('blames one in under two hundredths of those with %s', (...kind) => {
    expect(blamedShare(seeds.map((seed) => unchangedHistory(seed, kind)))).toBeLessThan(0.02);
    expect(blamedShare(seeds.map((seed) => investigated(seed, unchangedHistory(seed, kind))))).toBeLessThan(0.02);
  });
});

it('on 1,000 seeded histories with a clear change it blames the right deployment in 92 % of cases, and hardly ever another', () => {
  const outcomes = seeds.map((seed) => {
    const { history, uuid } = changedHistory(seed);
    const found = findingOf(history);
    return found?.kind !== 'blamed' ? 'silent' : found.deployment.uuid === uuid ? 'right' : 'wrong';
  });
  expect(outcomes.filter((outcome) => outcome === 'right').length).toBeGreaterThanOrEqual(920);
  expect(outcomes.filter((outcome) => outcome === 'wrong').length).toBeLessThanOrEqual(2);
});

describe('false blame on seeded histories of 40 days', () => {
  const tries = Array.from({ length: 100 }, (_, seed) => seed);
  const settings = [5, 15, 60].flatMap((minutes) =>
    [1, 14].map((deploymentsWeekly) => ({
      ...{ everyMs: minutes * minuteMs, days: 40, deploymentsWeekly, arrivals: 'schedule' as const },
    })),
  );
  const shareOf = (historyFor: (seed: number, setting: Setting) => BlameHistory | null) => {
    const found = settings.flatMap((setting) => tries.flatMap((seed) => historyFor(seed, setting) ?? []));
    return found.filter((history) => blameIn(history).kind === 'blamed').length / found.length;
  };

  it('is at most 1 % in an outage outside, and at most 3 % in a slow cycle', () => {
    expect(shareOf((seed, setting) => unchanged('outage', seed, setting))).toBeLessThanOrEqual(0.01);
    expect(shareOf((seed, setting) => unchanged('14-day cycle', seed, setting))).toBeLessThanOrEqual(0.03);
  });

  it('is at most 1 % for the deployment of a fix, after one failure or two', () => {
    expect(shareOf((seed, setting) => fixed(1, seed, setting))).toBeLessThanOrEqual(0.01);
    expect(shareOf((seed, setting) => fixed(2, seed, setting))).toBeLessThanOrEqual(0.01);
  });

  it('buys no silence: of changes with ten failures or more at one deployment a week, three quarters are found', () => {
    const found = settings.flatMap((setting) =>
      [
        { from: 0, to: 0.4 },
        { from: 0.001, to: 0.9 },
        { from: 0.1, to: 0.6 },
        { from: 0.2, to: 0.5 },
      ].flatMap((change) =>
        tries.slice(0, 20).flatMap((seed) => {
          const one = changed({ ...change, failuresAfter: 10 + 10 * (seed % 3) }, seed, setting);
          if (one === null || setting.deploymentsWeekly > 1) return [];
          const finding = blameIn(one.history);
          return [finding.kind === 'blamed' && finding.deployment.uuid === one.uuid];
        }),
      ),
    );
    expect(found.filter((isRight) => isRight).length / found.length).toBeGreaterThanOrEqual(0.75);
  });
});
