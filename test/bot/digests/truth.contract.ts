/** A digest has the same facts as an independent computation from the sample's raw records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DigestFacts } from '../../../src/bot/views/digest/facts.ts';
import type { ExecutionRecord } from '../../../src/query-service/records/record.ts';
import { type DigestDesk, digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { causeOf, sampleAt } from '../../support/service/sample.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Berlin is ahead of UTC in winter. */
const berlinMs = hourMs;

/** The end of the window before the build of the sample, and its length. */
export const windows = [
  { ago: 0, length: dayMs },
  { ago: 11 * hourMs, length: dayMs },
  { ago: dayMs, length: dayMs },
  { ago: 0, length: 3 * dayMs },
  { ago: 3 * hourMs, length: 7 * dayMs },
  { ago: 0, length: hourMs },
];
export const untilTheBuild = windows.filter(({ ago }) => ago === 0);
/** Among them is one that ended before the build, on another day of its zone. */
export const ofEachLength = windows.filter(({ ago, length }) => ago === 0 || (ago < dayMs && length === dayMs));

/** @param built such as `2026-11-20T10:00:00Z` */
export function describeTruth(built: string, lengths: typeof windows): void {
  describe(`of a sample built at ${built}`, () => {
    const { builtAt: now, sample } = sampleAt(built);
    const runsOf = Map.groupBy(sample.executions, ({ workflowUuid }) => workflowUuid);
    const nameOf = new Map(sample.workflows.map(({ uuid, name }) => [uuid, name]));
    let service: TestService;
    let desk: DigestDesk;

    beforeAll(async () => {
      service = await startTestService({ sample: 'fixed', clock: () => now, hasRecords: false });
      const apiKey = service.sampleKeys[sample.organization.displayName] ?? '';
      desk = digestDesk({ url: service.url, apiKey }, now);
    });
    afterAll(async () => {
      await desk[Symbol.asyncDispose]();
      await service.close();
    });

    const endedIn = (from: number, to: number) =>
      sample.executions.filter(
        ({ status, finishedAt }) =>
          status === 'FAILURE' && finishedAt !== null && finishedAt >= from && finishedAt < to,
      );
    const startedIn = (from: number, to: number) =>
      sample.executions.filter(({ startedAt }) => startedAt >= from && startedAt < to);
    const keyOf = (run: ExecutionRecord) => `${run.classifiedStatus} ${causeOf(run)}`;

    describe.each(lengths)('a digest $ago ms before, over $length ms', ({ ago, length }) => {
      const [from, to] = [now - ago - length, now - ago];
      const failed = endedIn(from, to);
      const before = endedIn(from - length, from);
      let facts: DigestFacts;
      beforeAll(async () => {
        facts = await desk.facts(digestRequest(now, { window: { from, to } }));
      });

      it('has the totals of both windows, and nothing is missing', () => {
        const succeeded = (first: number, last: number) =>
          startedIn(first, last).filter(({ status }) => status === 'SUCCESS').length;
        expect(facts).toMatchObject({
          failureCount: failed.length,
          failuresBefore: before.length,
          successCount: succeeded(from, to),
          successesBefore: succeeded(from - length, from),
          missing: [],
          unreadable: 0,
          onlyCounted: 0,
        });
      });

      it('has the number of failures and successes of each workflow', () => {
        const started = startedIn(from, to);
        const expected = [...Map.groupBy(failed, ({ workflowUuid }) => nameOf.get(workflowUuid))].map(
          ([name, runs]) => {
            const own = started.filter((run) => nameOf.get(run.workflowUuid) === name);
            return [name, runs.length, own.filter(({ status }) => status === 'SUCCESS').length];
          },
        );
        const said = facts.failing.map(({ name, count }) => [name, count, facts.successes.get(name)]);
        expect(said.toSorted()).toEqual(expected.toSorted());
      });

      it('has each cause with its count, its times, its workflows and whether it is new', () => {
        const isNewIn = (workflowUuid: string, key: string) => {
          const own = runsOf.get(workflowUuid) ?? [];
          const alike = own.filter((run) => run.status === 'FAILURE' && run.startedAt < to && keyOf(run) === key);
          const starts = alike.map(({ startedAt }) => startedAt);
          const [first, last] = [Math.min(...starts), Math.max(...starts)];
          return last - first < dayMs && first - (own.at(-1)?.startedAt ?? first) >= dayMs;
        };
        const othersBefore = (key: string, runs: readonly ExecutionRecord[]) =>
          before.some(
            (run) => keyOf(run) === key && !runs.some(({ workflowUuid }) => workflowUuid === run.workflowUuid),
          );
        const expected = [...Map.groupBy(failed, keyOf)].map(([key, runs]) => ({
          count: runs.length,
          first: Math.min(...runs.map(({ startedAt }) => startedAt)),
          last: Math.max(...runs.map(({ startedAt }) => startedAt)),
          workflows: [...new Set(runs.map(({ workflowUuid }) => nameOf.get(workflowUuid) ?? ''))].sort(),
          isNew:
            runs.some(({ errors }) => errors !== null) &&
            [...new Set(runs.map(({ workflowUuid }) => workflowUuid))].every((uuid) => isNewIn(uuid, key)) &&
            !othersBefore(key, runs),
        }));
        const said = facts.causes.map(({ count, first, last, workflows, recurrence }) => ({
          ...{ count, first, last, workflows: [...workflows.keys()].sort(), isNew: recurrence === 'new' },
        }));
        const byFirst = (one: { first: number }, other: { first: number }) => one.first - other.first;
        expect(said.sort(byFirst)).toEqual(expected.sort(byFirst));
      });

      it('knows of each cause that is gone if all its workflows have run since without failing', () => {
        const seen = new Set(failed.map(keyOf));
        const newest = (uuid: string, isMeant: (run: ExecutionRecord) => boolean) =>
          Math.max(...(runsOf.get(uuid) ?? []).filter(isMeant).map((run) => run.startedAt));
        const gone = [...Map.groupBy(before, keyOf)].filter(([key]) => !seen.has(key));
        const proven = gone.filter(([, runs]) =>
          runs.every(({ workflowUuid }) => {
            const failedLast = newest(workflowUuid, ({ status, startedAt }) => status === 'FAILURE' && startedAt < to);
            return newest(workflowUuid, () => true) > failedLast + 1000;
          }),
        );
        const { resolved = [], unseen = [] } = facts.gone ?? {};
        expect([...resolved, ...unseen].map(({ count }) => count).sort()).toEqual(
          proven.map(([, runs]) => runs.length).sort(),
        );
        expect(facts.gone?.unproven).toHaveLength(gone.length - proven.length);
      });

      it('combines platform errors in several workflows at the same time into one incident', () => {
        const system = Map.groupBy(
          failed.filter(({ classifiedStatus, errors }) => classifiedStatus === 'SYSTEM_ERROR' && errors),
          keyOf,
        );
        const several = [...system.values()]
          .map((runs) => [...new Set(runs.map(({ workflowUuid }) => nameOf.get(workflowUuid) ?? ''))].sort())
          .filter((names) => names.length > 1);
        const said = facts.causes.flatMap(({ incident }) => (incident ? [incident.workflows.toSorted()] : []));
        expect(said.toSorted()).toEqual(several.toSorted());
      });

      it('calls a workflow silent an interval and a grace after its last run, as of the end of the window', () => {
        const silent = sample.schedules.flatMap(({ name, every, workflowUuid }) => {
          const runs = (runsOf.get(workflowUuid) ?? []).filter((run) => run.startedAt <= to);
          const forMs = to - Math.max(...runs.map(({ startedAt }) => startedAt));
          const everyMs = 1000 * (every?.[0] ?? 0);
          const limitMs = everyMs + Math.max(300_000, 0.02 * everyMs);
          const isActive = sample.workflowOf(name).status === 'ACTIVE';
          return isActive && runs.length >= 5 && forMs > limitMs ? [name] : [];
        });
        expect(facts.silent.map(({ name }) => name).sort()).toEqual(silent.sort());
      });

      it('has the deployments of the failing workflows, the rejected ones of all, and no others', () => {
        const failing = new Set(failed.map(({ workflowUuid }) => workflowUuid));
        const expected = sample.deployments
          .filter(({ deployedAt }) => deployedAt >= from && deployedAt < to)
          .filter(({ workflowUuid, status }) => failing.has(workflowUuid) || status === 'FAILED')
          .map((each) => {
            const later = sample.deployments
              .filter(({ workflowUuid }) => workflowUuid === each.workflowUuid)
              .filter(({ deployedAt }) => deployedAt > each.deployedAt && deployedAt < to)
              .map(({ status }) => status);
            const isStopped = later.includes('PAUSED') || later.includes('DELETED');
            const stopped = isStopped ? 'STOPPED' : 'ACTIVE';
            const active = later.includes('ACTIVE') ? 'REPLACED' : stopped;
            const state = each.status === 'ACTIVE' ? active : each.status;
            return [each.deployedAt, nameOf.get(each.workflowUuid), state];
          });
        const said = facts.deployments.map(({ deployedAt, workflowName, status }) => [
          deployedAt,
          workflowName,
          status,
        ]);
        expect(said.sort()).toEqual(expected.sort());
      });

      it('has the credits to the last digit', () => {
        const micros = startedIn(from, to).reduce((sum, { creditMicros }) => sum + (creditMicros ?? 0), 0);
        expect(Math.round(Number(facts.creditUsed) * 1e6)).toBe(micros);
      });

      it('matches the service’s counts of every whole day of its zone', () => {
        expect(facts.zone).toBe('Europe/Berlin');
        const [first, end] = [from + berlinMs, to + berlinMs].map((local) => local / dayMs) as [number, number];
        const days = Math.max(0, Math.floor(end) - Math.ceil(first));
        expect(facts.reconciliation).toEqual({ days, mismatches: [] });
      });
    });
  });
}
