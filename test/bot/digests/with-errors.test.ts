/** Successes with errors in a digest: counted where they ended, apart from failures, and not at all where the service does not say. */
import { expect, it } from 'vitest';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { startTestService } from '../../support/service/service.ts';
import { executionRecord, minutesAgo, serviceNow, uuidOf } from '../../support/service/service-records.ts';
import {
  specificationKey,
  specificationNow,
  startSpecificationService,
} from '../../support/service/specification-service.ts';

const request = digestRequest(serviceNow);
const flawed = { detailedStatus: 'COMPLETED_WITH_ERRORS' } as const;

async function startFlawedService(successes: number) {
  const service = await startTestService();
  const of = { workflowUuid: uuidOf('workflow', 2) };
  const plain = Array.from({ length: successes }, (_, index) =>
    executionRecord(5000 + index, { ...of, startedAt: minutesAgo(1) - index * 60_000 }),
  );
  await service.writer.putExecutions([
    ...plain,
    ...[1, 2, 3].map((index) => executionRecord(9000 + index, { ...of, ...flawed, startedAt: minutesAgo(2) - index })),
    // It began before the window, and ended in it; the next one ended before it.
    executionRecord(9010, { ...of, ...flawed, startedAt: minutesAgo(1443), finishedAt: minutesAgo(1439) }),
    executionRecord(9011, { ...of, ...flawed, startedAt: minutesAgo(1444), finishedAt: minutesAgo(1441) }),
  ]);
  const desk = digestDesk({ url: service.url, apiKey: service.apiKeys.harbor }, serviceNow);
  return { desk, close: async () => void (await Promise.all([desk[Symbol.asyncDispose](), service.close()])) };
}

it('are counted where they ended, by workflow, and change no other number', async () => {
  const { desk, close } = await startFlawedService(5);
  const facts = await desk.facts(request);
  const other = await desk.facts({
    ...request,
    plan: { workflows: { kind: 'chosen', uuids: [uuidOf('workflow', 1)] }, hasAllClear: true },
  });
  const named = await desk.facts({
    ...request,
    plan: { workflows: { kind: 'text', text: 'no such' }, hasAllClear: true },
  });
  await close();
  expect(facts.withErrors).toMatchObject({ withErrors: 4, isWhole: true });
  expect([...(facts.withErrors?.workflows.values() ?? [])]).toEqual([4]);
  expect(other.withErrors).toMatchObject({ withErrors: 0, isWhole: true });
  expect(named.withErrors).toMatchObject({ withErrors: 0, lookedAt: 0 });
  expect(facts.failureCount).toBe(2);
});

it('are counted among the newest thousand successes where there are more, and that is said', async () => {
  const { desk, close } = await startFlawedService(1_100);
  const facts = await desk.facts(request);
  await close();
  expect(facts.withErrors).toMatchObject({ withErrors: 3, lookedAt: 1_000, isWhole: false });
});

it('are not known where the service lacks the field, which costs no further request', async () => {
  await using service = await startSpecificationService();
  await using desk = digestDesk({ url: service.url, apiKey: specificationKey }, specificationNow);
  const facts = await desk.facts(digestRequest(specificationNow));
  expect(facts.withErrors).toBeNull();
  expect(facts.missing.join()).not.toContain('with errors');
  expect(service.requests.filter(({ body }) => body.includes('"SUCCESS"')).length).toBeLessThanOrEqual(2);
});

it('are not guessed: no digest is made if the service is away', async () => {
  const { desk, close } = await startFlawedService(5);
  await close();
  await expect(desk.facts(request)).rejects.toMatchObject({ code: 'unavailable' });
});
