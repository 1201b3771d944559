/** A hundred thousand failures in a window: as many requests as there are pages, and memory that does not grow with them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { startTestService } from '../../support/service/service.ts';
import { failureRecord, harbor, serviceNow, uuidOf, workflowRecord } from '../../support/service/service-records.ts';

const failuresMax = 100_000;
/** As many failing workflows as a digest looks at one by one. */
const workflowCount = 20;
const secondMs = 500;

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The memory in use after a garbage collection. */
function usedBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('a digest of 100,000 failures is complete, with bounded requests and memory', { timeout: 600_000 }, async () => {
  const service = await startTestService({ hasRecords: false });
  await service.writer.putOrganization(harbor.organization);
  await service.writer.putWorkflows(Array.from({ length: workflowCount }, (_, index) => workflowRecord(index)));
  for (let start = 0; start < failuresMax; start += 10_000) {
    await service.writer.putExecutions(
      Array.from({ length: 10_000 }, (_, index) => {
        const number = start + index;
        return failureRecord(number, {
          ...{ workflowUuid: uuidOf('workflow', number % workflowCount), logs: null, events: null },
          startedAt: serviceNow - 5000 - number * secondMs,
          errors: [
            {
              error: `gateway gw-${number} refused call ${number}: ${['quota', 'rights', 'funds'][number % 3]}`,
              count: 3,
            },
          ],
        });
      }),
    );
  }
  const before = usedBytes();
  let grownBytes = 0;
  const measure = (requests: number) => {
    if (requests % 100 === 0) grownBytes = Math.max(grownBytes, usedBytes() - before);
  };
  await using desk = digestDesk({ url: service.url, apiKey: service.apiKeys.harbor }, serviceNow, measure);
  const facts = await desk.facts(digestRequest(serviceNow));
  expect(facts).toMatchObject({ failureCount: failuresMax, onlyCounted: 0, missing: [] });
  expect(facts.causes.map(({ count }) => count)).toEqual([33_334, 33_333, 33_333]);
  // A page begins with the last row of the one before it. Besides these pages: 12 lists (of the empty window before, the look-back,
  // unfinished runs, successes, failures in a row), 5 activities, 5 counts, 4 lists of deployments, 3 runs, 2 pages of
  // workflows, 2 documents of newest results and 2 of ids.
  expect(desk.requests()).toBeLessThanOrEqual(Math.ceil(failuresMax / 99) + 12 + 5 + 5 + 4 + 3 + 2 + 2 + 2);
  expect(grownBytes).toBeLessThan(20_000_000);
  await service.close();
});
