/** Every fact of a digest equals an independent recount from the service's raw lists, over ten generated organizations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trendOf } from '../../../src/bot/insight/health/health.ts';
import { type DigestFacts, fellSilent, freshlyNeverRan } from '../../../src/bot/views/digest/facts.ts';
import { type DigestDesk, digestDesk, digestRequest } from '../bot/digests.ts';
import {
  type GeneratedOrganization,
  generatedOrganizations,
  putGenerated,
} from '../service/generated-organizations.ts';
import { startTestService, type TestService } from '../service/service.ts';
import { serviceNow } from '../service/service-records.ts';
import { causeText, type Recount, recount } from './digest.ts';
import { type RawLists, readRawLists } from './lists.ts';

/** The facts in the form of the recount. */
function told(facts: DigestFacts): Recount {
  const { resolved = [], unseen = [], unproven = [] } = facts.gone ?? {};
  return {
    failures: facts.failureCount,
    failuresBefore: facts.failuresBefore ?? -1,
    successes: facts.successCount ?? -1,
    successesBefore: facts.successesBefore ?? -1,
    existingWorkflows: facts.workflowCount ?? -1,
    failedExisting: facts.failedWorkflows?.existing ?? -1,
    failedDeleted: facts.failedWorkflows?.deleted ?? -1,
    workflows: facts.failing
      .map(({ name, count, first, last }) => [name, count, first, last, facts.successes.get(name) ?? -1] as const)
      .sort(),
    causes: facts.causes
      .map((cause) => {
        const workflows = [...cause.workflows].map(([name, { count }]) => {
          return { name, count, isNew: cause.newIn.has(name) };
        });
        return causeText(cause, cause.recurrence, workflows);
      })
      .sort(),
    incidents: facts.causes
      .flatMap(({ incident }) => incident ?? [])
      .map(({ chance, workflows, ...given }) => ({
        ...given,
        chance: chance.toPrecision(6),
        workflows: workflows.toSorted(),
      }))
      .sort((one, other) => one.first - other.first),
    trend: trendFrom(facts),
    silent: facts.silent.map(({ name, lastAt, expectedBy }) => [name, lastAt, expectedBy] as const).sort(),
    fellSilent: fellSilent(facts).map(nameOf).sort(),
    neverRan: facts.neverRan.map(({ name, since, isActiveSince }) => [name, since, isActiveSince] as const).sort(),
    freshlyNeverRan: freshlyNeverRan(facts).map(nameOf).sort(),
    causesResolved: resolved.length,
    causesGone: resolved.length + unseen.length + unproven.length,
    deployments: facts.deployments
      .map(({ workflowName, status, deployedAt }) => `${workflowName} ${status} ${deployedAt}`)
      .sort(),
    creditMicros: Math.round(Number(facts.creditUsed) * 1e6),
    withErrors: facts.withErrors?.withErrors ?? -1,
  };
}

const nameOf = ({ name }: { readonly name: string }) => name;

function trendFrom({ failureCount, successCount, failuresBefore, successesBefore, history }: DigestFacts) {
  const [now, before] = [
    [failureCount, successCount],
    [failuresBefore, successesBefore],
  ].map(([failure, success]) => {
    const given = { failure: failure ?? -1, success: success ?? -1 };
    return { ...given, total: given.failure + given.success };
  });
  if (now === undefined || before === undefined) throw new Error('two windows');
  return trendOf(now, before, '', history).direction;
}

/** @param windowsOf the windows of an organization whose digests are counted again */
export function describeRecount(windowsOf: (given: GeneratedOrganization) => GeneratedOrganization['windows']): void {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ hasRecords: true });
  });
  afterAll(() => service.close());

  const organizations = generatedOrganizations
    .map((given, index) => ({ given, index, of: given.name }))
    .filter(({ given }) => windowsOf(given).length > 0);
  describe.each(organizations)('of $of', ({ given, index }) => {
    let desk: DigestDesk;
    let lists: RawLists;
    beforeAll(async () => {
      const organizationId = await putGenerated(service.writer, given, index);
      const apiKey = await service.createKey({ organizationId, name: 'recount' });
      desk = digestDesk({ url: service.url, apiKey }, serviceNow);
      lists = await readRawLists(service, apiKey);
    });
    afterAll(() => desk[Symbol.asyncDispose]());

    it.each(windowsOf(given))(
      'from $from to $to, nothing is missing and every fact is that of the raw lists',
      async (window) => {
        const facts = await desk.facts(digestRequest(serviceNow, { window }));
        expect(facts).toMatchObject({ missing: [], unreadable: 0, onlyCounted: 0, failuresNotRead: 0 });
        expect(facts.reconciliation.mismatches).toEqual([]);
        expect(told(facts)).toEqual(recount(lists, window));
      },
    );
  });
}
