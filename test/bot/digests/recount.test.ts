/** Every count of a digest equals an independent recount from the service's raw lists, over ten generated organizations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DigestFacts } from '../../../src/bot/views/digest/facts.ts';
import { causeText, type RawLists, type Recount, readRawLists, recount } from '../../support/digest-recount.ts';
import { type DigestDesk, digestDesk, digestRequest } from '../../support/digests.ts';
import { generatedOrganizations, putGenerated } from '../../support/generated-organizations.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { serviceNow } from '../../support/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ hasRecords: true });
});
afterAll(() => service.close());

/** The facts in the form of the recount. */
function told(facts: DigestFacts): Recount {
  const { resolved = [], unproven = [] } = facts.gone ?? {};
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
        const workflows = [...cause.workflows].map(([name, { count }]) => [name, count] as const);
        return causeText(cause, cause.recurrence === 'new', workflows);
      })
      .sort(),
    causesResolved: resolved.length,
    causesGone: resolved.length + unproven.length,
    deployments: facts.deployments
      .map(({ workflowName, status, deployedAt }) => `${workflowName} ${status} ${deployedAt}`)
      .sort(),
    creditMicros: Math.round(Number(facts.creditUsed) * 1e6),
    withErrors: facts.withErrors?.withErrors ?? -1,
  };
}

describe.each(generatedOrganizations.map((given, index) => ({ given, index, of: given.name })))(
  'of $of',
  ({ given, index }) => {
    let desk: DigestDesk;
    let lists: RawLists;
    beforeAll(async () => {
      const organizationId = await putGenerated(service.writer, given, index);
      const apiKey = await service.createKey({ organizationId, name: 'recount' });
      desk = digestDesk({ url: service.url, apiKey }, serviceNow);
      lists = await readRawLists(service, apiKey);
    });
    afterAll(() => desk[Symbol.asyncDispose]());

    it.each(given.windows)(
      'from $from to $to, nothing is missing and every count is that of the raw lists',
      async (window) => {
        const facts = await desk.facts(digestRequest(serviceNow, { window }));
        expect(facts).toMatchObject({ missing: [], unreadable: 0, onlyCounted: 0, failuresNotRead: 0 });
        expect(facts.reconciliation.mismatches).toEqual([]);
        expect(told(facts)).toEqual(recount(lists, window));
      },
    );
  },
);
