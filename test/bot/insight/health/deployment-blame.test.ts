/** Deployment blame: right on clear changes, and none for changes by chance. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BlameCandidate,
  blameDeployment,
  type DeploymentLike,
} from '../../../../src/bot/insight/health/deployment-blame.ts';
import {
  candidatesOf,
  changedHistory,
  type History,
  investigated,
  unchangedHistory,
  unchangedKinds,
} from '../../../support/histories.ts';
import { failuresOf, sampleAt } from '../../../support/sample.ts';

const minuteMs = 60_000;
const deployedAt = Date.parse('2026-11-20T10:00:00Z');

/** Outcomes as text, one execution a letter: `.` good, `x` failed. */
function candidate(
  before: string,
  after: string,
  { gapMs = 5 * minuteMs, status = 'ACTIVE', uuid = 'd-1' } = {},
): BlameCandidate<DeploymentLike> {
  const from = deployedAt - before.length * gapMs;
  const stretch = (outcomes: string, start: number) => {
    const failedAt = [...outcomes].flatMap((outcome, index) =>
      outcome === 'x' ? [start + index * gapMs + gapMs / 2] : [],
    );
    return {
      from: start,
      to: start + outcomes.length * gapMs,
      total: outcomes.length,
      failed: failedAt.length,
      failedAt,
    };
  };
  return { deployment: { uuid, status, deployedAt }, before: stretch(before, from), after: stretch(after, deployedAt) };
}

const blame = (...candidates: readonly BlameCandidate<DeploymentLike>[]) => blameDeployment({ candidates });
const good = '.'.repeat(212);

it('blames the deployment of the design page: 0 of 212 before, 31 of 40 after, begun 4 minutes after it', () => {
  const found = blame(candidate(good, `${'.'.repeat(8)}${'x'.repeat(15)}.${'x'.repeat(16)}`, { gapMs: minuteMs / 2 }));
  expect(found).toMatchObject({
    before: { failed: 0, total: 212 },
    after: { failed: 31, total: 40 },
    beganAfterMs: 4.25 * minuteMs,
  });
  expect(found?.before.high).toBeLessThan(found?.after.low ?? 0);
});

describe('blames nothing', () => {
  it.each<[string, BlameCandidate<DeploymentLike>]>([
    ['after two failures', candidate(good, 'xx')],
    ['with too little before it', candidate('.....', 'xxxxxxxx')],
    ['with so little that luck explains it', candidate('.'.repeat(17), 'xxx')],
    ['that failed itself', candidate(good, 'xxxxxxxx', { status: 'failed' })],
    ['where the rate before was comparable', candidate('x..x.xx..x'.repeat(20), 'xxx.xx.x')],
    ['where failures began before it', candidate(`${good}xxxx`, 'xxxxxxxx')],
    ['where failures began long after it', candidate(good, `${'.'.repeat(30)}${'x'.repeat(60)}`)],
    ['where all was good for a while, and then nothing', candidate(good, '.....xxxxxxxxxxxxxxx')],
    ['where failures ended while it stands', candidate(good, `xxxxxxxx${'.'.repeat(12)}`)],
    ['where failures have crowded like that before', candidate(`${good}xxxxxxx${good}`, 'xxxxxxxx')],
    ['where failures crept up', candidate(`${good}${'....x..x'.repeat(6)}`, `${'x..x.x.x'.repeat(4)}xx.xxxxx`)],
    ['where nothing failed', candidate(good, '.'.repeat(40))],
    ['where nothing ran', candidate('', '')],
  ])('%s', (_, one) => {
    expect(blame(one)).toBeNull();
  });

  it('where there is no deployment', () => expect(blame()).toBeNull());

  it('if not all failures after it are known, unless everything failed', () => {
    const [partly, wholly] = [candidate(good, 'xxxx.xxxxxxxxx'), candidate(good, 'xxxxxxxxxxxxxx')];
    const cut = ({ deployment, before, after }: BlameCandidate<DeploymentLike>) => ({
      deployment,
      before,
      after: { ...after, failedAt: after.failedAt.slice(-5) },
    });
    expect(blame(partly)).not.toBeNull();
    expect(blame(cut(partly))).toBeNull();
    expect(blame(cut(wholly))).toMatchObject({ beganAfterMs: null, after: { failed: 14 } });
  });
});

it('blames if three failures are just enough against the good runs before', () => {
  expect(blame(candidate('.'.repeat(22), 'xxx'))).not.toBeNull();
});

it('blames in spite of a few failures before, and of a failed deployment beside it', () => {
  const flaky = `${'.'.repeat(40)}x`.repeat(6);
  const failed = candidate(good, 'xxxxxxxxxxxx', { status: 'FAILED', uuid: 'd-0' });
  expect(blame(failed, candidate(`${flaky}${'.'.repeat(20)}`, 'xxxxxxx.xxxx'))?.deployment.uuid).toBe('d-1');
});

it('blames the best supported of several deployments', () => {
  const near = candidate(good, 'xxxxxxxxxxxx', { uuid: 'near' });
  expect(blame(candidate(`${good}...`, '..', { uuid: 'later' }), near)?.deployment.uuid).toBe('near');
});

describe('for any outcomes', () => {
  const outcomes = (max: number) => fc.string({ unit: fc.constantFrom('.', '.', '.', 'x'), maxLength: max });
  const anyCandidate = fc
    .tuple(
      fc.oneof(outcomes(120), fc.constant(good)),
      fc.oneof(outcomes(60), fc.constant('x'.repeat(30)), fc.constant('xxxx.xxxxxx')),
      fc.integer({ min: 1, max: 15 }),
      fc.uuid(),
    )
    .map(([before, after, minutes, uuid]) => candidate(before, after, { gapMs: minutes * minuteMs, uuid }));

  it('a rate that did not rise is blamed on no deployment', () => {
    const property = fc.property(anyCandidate, (one) => {
      const { before, after } = one;
      const hasRisen = after.failed * before.total > before.failed * after.total;
      if (!hasRisen) expect(blame(one)).toBeNull();
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('the blamed deployment is one of the candidates, with its own counts, in any order', () => {
    const property = fc.property(fc.array(anyCandidate, { maxLength: 5 }), (candidates) => {
      const found = blame(...candidates);
      // Either of two with the same evidence may be named.
      const other = blame(...candidates.toReversed());
      expect([other?.before, other?.after]).toEqual([found?.before, found?.after]);
      const own = candidates.find(({ deployment }) => deployment.uuid === found?.deployment.uuid);
      if (found) expect(found).toMatchObject({ before: countsOf(own?.before), after: countsOf(own?.after) });
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('a clear change is blamed, also with partial knowledge of before and after', () => {
    const property = fc.property(fc.integer({ min: 60, max: 400 }), fc.integer({ min: 10, max: 60 }), (well, ill) => {
      const found = blame(candidate('.'.repeat(well), 'x'.repeat(ill)));
      expect(found).toMatchObject({ before: { failed: 0, total: well }, after: { failed: ill, total: ill } });
    });
    fc.assert(property);
  });

  function countsOf(stretch: { readonly failed: number; readonly total: number } | undefined) {
    return { failed: stretch?.failed, total: stretch?.total };
  }
});

describe('in the sample organization', () => {
  const { sample, builtAt, moments } = sampleAt('2026-11-20T10:00:00Z');
  const historyOf = (name: string): History => {
    const executions = sample.runsOf(name).filter(({ finishedAt }) => finishedAt !== null);
    return {
      executions: executions
        .map(({ startedAt, status }) => ({ at: startedAt, hasFailed: status === 'FAILURE' }))
        .reverse(),
      deployments: sample.deploymentsOf(name),
      now: builtAt,
      gapMs: minuteMs / 2,
    };
  };

  it('the release of payments 40 minutes ago is blamed: none of 20,000 failed before, all since', () => {
    const found = blameDeployment({ candidates: candidatesOf(historyOf('payments')) });
    expect(found?.deployment.deployedAt).toBe(moments.badRelease);
    expect(found).toMatchObject({ before: { failed: 0 }, after: { failed: found?.after.total } });
    expect(found?.beganAfterMs).toBeLessThan(minuteMs);
  });

  it.each([
    'collateral-rebalance',
    'xau-usd-price-feed',
    'fx-rates',
    'settlement',
    'payments-eu',
    'payments-staging',
    'proof-of-reserves',
  ])('no deployment of %s is blamed', (name) => {
    expect(blameDeployment({ candidates: candidatesOf(historyOf(name)) })).toBeNull();
  });

  it('nor is one blamed for the outage, while it lasted', () => {
    for (const name of ['eth-usd-price-feed', 'settlement', 'payments-eu', 'proof-of-reserves', 'risk-model']) {
      const { executions, deployments, gapMs } = historyOf(name);
      const during = executions.filter(({ at }) => at < moments.outageTo);
      const known = deployments.filter((deployment) => Number(deployment.deployedAt) < moments.outageTo);
      expect(failuresOf(sample.runsOf(name)).length).toBeGreaterThan(0);
      expect(
        blameDeployment({
          candidates: candidatesOf({ executions: during, deployments: known, now: moments.outageTo, gapMs }),
        }),
      ).toBeNull();
    }
  });
});

const seeds = Array.from({ length: 1_000 }, (_, seed) => seed);

function blamedShare(histories: readonly (History | null)[]): number {
  const tried = histories.filter((history) => history !== null);
  return (
    tried.filter((history) => blameDeployment({ candidates: candidatesOf(history) }) !== null).length / tried.length
  );
}

describe('on 5,000 seeded histories in which no deployment changed anything', () => {
  it('blames one in under 1 % of cases, whenever a failure is looked into', () => {
    const all = unchangedKinds.flatMap((kind) => seeds.map((seed) => investigated(seed, unchangedHistory(seed, kind))));
    expect(blamedShare(all)).toBeLessThan(0.01);
  });

  it.each(unchangedKinds.filter(([name]) => !name.includes('outage')))(
    'blames one in under a hundredth of those with %s',
    (...kind) => {
      expect(blamedShare(seeds.map((seed) => unchangedHistory(seed, kind)))).toBeLessThan(0.01);
      expect(blamedShare(seeds.map((seed) => investigated(seed, unchangedHistory(seed, kind))))).toBeLessThan(0.01);
    },
  );

  it.each(unchangedKinds.filter(([name]) => name.includes('outage')))(
    'blames one in under a hundredth of those with %s, and in under three while it lasts, where it began beside a deployment by chance',
    (...kind) => {
      expect(blamedShare(seeds.map((seed) => unchangedHistory(seed, kind)))).toBeLessThan(0.01);
      expect(blamedShare(seeds.map((seed) => investigated(seed, unchangedHistory(seed, kind))))).toBeLessThan(0.03);
    },
  );
});

it('on 1,000 seeded histories with a clear change it blames the right deployment in 95 % of cases, and hardly ever another', () => {
  const outcomes = seeds.map((seed) => {
    const { history, uuid } = changedHistory(seed);
    const found = blameDeployment({ candidates: candidatesOf(history) });
    return found === null ? 'silent' : found.deployment.uuid === uuid ? 'right' : 'wrong';
  });
  expect(outcomes.filter((outcome) => outcome === 'right').length).toBeGreaterThanOrEqual(950);
  expect(outcomes.filter((outcome) => outcome === 'wrong').length).toBeLessThanOrEqual(2);
});
