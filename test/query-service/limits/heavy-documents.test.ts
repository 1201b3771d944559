/** The heaviest documents are answered, whichever way they are read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { heavyDocuments } from '../../support/service/heavy-documents.ts';
import type { TestService } from '../../support/service/service.ts';
import { uuidOf } from '../../support/service/service-records.ts';
import { useFilledRecords } from './filled-records.ts';

const startFilled = useFilledRecords();
let service: TestService;
beforeAll(async () => {
  service = await startFilled();
});
afterAll(() => service.close());

test.each(heavyDocuments({ workflowUuid: uuidOf('workflow', 1), executionUuids: [uuidOf('execution', 5)] }))(
  '$name: answered as on a quiet service, whichever way it is read',
  async ({ query }) => {
    const first = await service.ask(query);
    expect([first.status, first.body.errors]).toEqual([200, undefined]);
    expect((await service.ask(query)).text).toBe(first.text);
  },
);
