/** The stories of the sample organization, each real in its data, at whatever time of day it is built. */
import { describe, expect, it } from 'vitest';
import { expectEvery } from '../../support/runner/every.ts';
import { causeOf, failuresOf, sampleAt } from '../../support/service/sample.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export function describeStories(now: string): void {
  describe(`a sample built at ${now}`, () => {
    const { builtAt, moments, sample } = sampleAt(now);
    const { runsOf, deploymentsOf, workflowOf } = sample;
    const finished = (name: string) => runsOf(name).filter(({ finishedAt }) => finishedAt !== null);

    it('has 60,000 executions or more, over 30 days, and 7 for the 30-second schedules', () => {
      expect(sample.executions.length).toBeGreaterThanOrEqual(60_000);
      expect(runsOf('payments')).toHaveLength(7 * 2880);
      expect(runsOf('fx-rates').at(-1)?.startedAt).toBeLessThan(builtAt - 29.9 * dayMs);
    });

    it('lets payments fail since its deployment 40 minutes ago, always of one cause, and never before', () => {
      const deployedAt = Math.max(...deploymentsOf('payments').map((deployment) => deployment.deployedAt));
      const after = finished('payments').filter(({ startedAt }) => startedAt >= deployedAt);
      expect(deployedAt).toBe(builtAt - 40 * minuteMs);
      expect(after.length).toBeGreaterThanOrEqual(79);
      expect(failuresOf(after)).toEqual(failuresOf(runsOf('payments')));
      expect(after).toEqual(failuresOf(after));
      expect(new Set(after.map(causeOf)).size).toBe(1);
      expect(new Set(after.map(({ errors }) => errors?.[0]?.error)).size).toBe(after.length);
    });

    it('holds an outage of the platform: 28 minutes in five workflows, of one cause', () => {
      const hit = sample.workflows.filter(({ name }) =>
        failuresOf(runsOf(name)).some((run) => causeOf(run).includes('quorum')),
      );
      expect(moments.outageTo - moments.outageFrom).toBe(28 * minuteMs);
      expect(hit.map(({ name }) => name).sort()).toEqual([
        'eth-usd-price-feed',
        'payments-eu',
        'proof-of-reserves',
        'risk-model',
        'settlement',
      ]);
      for (const { name } of hit) {
        const inOutage = ({ startedAt }: { startedAt: number }) =>
          startedAt >= moments.outageFrom && startedAt < moments.outageTo;
        const down = failuresOf(runsOf(name)).filter((run) => causeOf(run).includes('quorum'));
        expect(down).toEqual(runsOf(name).filter(inOutage));
        expect(new Set(down.map(({ classifiedStatus }) => classifiedStatus))).toEqual(new Set(['SYSTEM_ERROR']));
      }
    });

    it('gives fx-rates a flaky capability: 3 % of the runs, one cause', () => {
      const failures = failuresOf(runsOf('fx-rates'));
      expect(failures.length / runsOf('fx-rates').length).toBeCloseTo(0.03, 3);
      expect(new Set(failures.map(({ events }) => events?.at(-1)?.capabilityId))).toEqual(
        new Set(['http-actions@1.0.0']),
      );
    });

    it('keeps carbon-credits silent for six hours although it is active', () => {
      const last = runsOf('carbon-credits')[0]?.startedAt ?? 0;
      expect(workflowOf('carbon-credits').status).toBe('ACTIVE');
      expect(builtAt - last).toBeGreaterThanOrEqual(6 * hourMs);
      expect(builtAt - last).toBeLessThan(6.3 * hourMs);
    });

    it('ends the long nested error of collateral-rebalance with what is wrong, in a call reported as completed', () => {
      const failures = failuresOf(runsOf('collateral-rebalance'));
      expect(failures).toHaveLength(
        finished('collateral-rebalance').filter(({ startedAt }) => startedAt >= builtAt - 5 * hourMs).length,
      );
      expect(failures.length).toBeGreaterThanOrEqual(4);
      for (const { errors, events } of failures) {
        expect(errors?.[0]?.error).toMatch(
          /^workflow execution failed: .{1400,}insufficient allowance \([^:]{40,120}\)$/,
        );
        expect(events?.at(-1)).toMatchObject({ status: 'COMPLETED', errors: [{ count: 7 }] });
      }
    });

    it('repeats each log line of xau-usd-price-feed for nine nodes, of which node 7 says another price', () => {
      const logs = runsOf('xau-usd-price-feed')[1]?.logs ?? [];
      const prices = logs.filter(({ message }) => message.includes('sources'));
      const others = prices.filter(({ nodeId }) => nodeId !== 'node-7').map(({ message }) => message);
      expect(prices).toHaveLength(9);
      expect(new Set(others).size).toBe(1);
      expect(prices.find(({ nodeId }) => nodeId === 'node-7')?.message).toBe('XAU/USD 2411.07 (1 of 3 sources)');
    });

    it('lets xau-usd-price-feed fail now and then since a day, one node telling the reason', () => {
      const failures = failuresOf(runsOf('xau-usd-price-feed'));
      expect(failures.length).toBeGreaterThanOrEqual(20);
      expect(failures.length).toBeLessThanOrEqual(28);
      expectEvery(failures, ({ startedAt }) => startedAt >= builtAt - dayMs);
      expect(failures[0]?.errors?.map(({ count }) => count)).toEqual([8, 1]);
    });

    it('has an execution of risk-model in progress, part of its steps done', () => {
      const current = runsOf('risk-model').filter(({ status }) => status === 'IN_PROGRESS');
      expect(current.length).toBeGreaterThanOrEqual(1);
      expect(current[0]).toMatchObject({ finishedAt: null, classifiedStatus: null, errors: null, executedInTee: true });
      expect(current.flatMap(({ events }) => events ?? []).some(({ finishedAt }) => finishedAt === null)).toBe(true);
    });

    it('has runs of payments-eu that succeed with errors on a completed call', () => {
      const marked = runsOf('payments-eu').filter(({ detailedStatus }) => detailedStatus === 'COMPLETED_WITH_ERRORS');
      expect(marked.length / runsOf('payments-eu').length).toBeCloseTo(2 / 12, 2);
      const [event] = marked[0]?.events?.filter(({ errors }) => errors !== null) ?? [];
      expect(marked[0]).toMatchObject({ status: 'SUCCESS', errors: null });
      expect(event).toMatchObject({ status: 'COMPLETED', errors: [{ count: 2 }] });
    });

    it('has a failed deployment with its reason, while the release before it keeps running', () => {
      const failed = sample.deployments.filter(({ status }) => status === 'FAILED');
      expect(failed).toHaveLength(1);
      expect(failed[0]?.errorMessage).toContain('the limit is 20 MB');
      expect(workflowOf('payments-staging').status).toBe('ACTIVE');
      expect(failuresOf(runsOf('payments-staging'))).toEqual([]);
    });

    it('lets settlement fail rarely, of one cause whose hashes, addresses and numbers all differ', () => {
      const reverted = failuresOf(runsOf('settlement')).filter((run) => causeOf(run).includes('Slippage'));
      expect(Math.abs(reverted.length - runsOf('settlement').length / 120)).toBeLessThanOrEqual(2);
      expect(new Set(reverted.map(causeOf)).size).toBe(1);
      expect(new Set(reverted.map(({ errors }) => errors?.[0]?.error)).size).toBe(reverted.length);
    });

    it('has one workflow paused, one never run, one deleted', () => {
      expect(workflowOf('loyalty-points').status).toBe('PAUSED');
      expect(deploymentsOf('loyalty-points').at(-1)?.status).toBe('PAUSED');
      expect(runsOf('invoice-sync')).toEqual([]);
      expect(workflowOf('legacy-payouts').status).toBe('DELETED');
      expect(runsOf('legacy-payouts')[0]?.startedAt).toBeLessThan(builtAt - 12 * dayMs);
    });
  });
}
