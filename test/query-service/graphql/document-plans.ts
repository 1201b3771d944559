/** Plans answer what graphql-js answers with resolvers over whole records, byte for byte. */
import { expect, test } from 'vitest';
import { createDocumentRunner, type Outcome } from '../../../src/query-service/graphql/documents.ts';
import { fieldRefusal } from '../../../src/query-service/graphql/refusal.ts';
import { serviceSchema } from '../../../src/query-service/graphql/schema.ts';
import { createRequestContext } from '../../../src/query-service/limits/request-context.ts';
import { openRecords } from '../../../src/query-service/records/open.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import type { NewDatabase } from '../../support/databases/engines.ts';
import { generatedDocuments } from '../../support/service/documents.ts';
import { recordsOf } from '../../support/service/reference/records.ts';
import { createReference } from '../../support/service/reference/resolvers.ts';
import { sharedBetweenRequests } from '../../support/service/request-contexts.ts';
import { executionRecord, putOrganizations, serviceNow, uuidOf } from '../../support/service/service-records.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export function plansAnswerAsResolvers(newDatabase: NewDatabase, count: number, seed: number): void {
  test(`${count} generated documents get the same bytes with plans as with resolvers`, async () => {
    const store = await openRecords(await newDatabase());
    await putOrganizations(store.writer);
    const ask = createAsk(store);
    let [run, answered] = [0, 0];
    for (const document of generatedDocuments(serviceSchema(), count, seed)) {
      const own = await ask.withPlans(document);
      // The others are refused before they run.
      if (own.data === undefined) continue;
      run += 1;
      answered += Number(own.errors === undefined);
      expect([document, bytesOf(own)]).toEqual([document, bytesOf(await ask.withResolvers(document))]);
    }
    await store.close();
    expect(run / count).toBeGreaterThan(0.8);
    expect(answered / count).toBeGreaterThan(0.6);
  }, 3_600_000);
}

const long = uuidOf('execution', 900);
const logsOf = (selection: string) =>
  `{ workflowExecutionLogs(input: { workflowExecutionUUID: "${long}" }) { ${selection} } }`;
const eventsOf = (filter: string, selection: string) =>
  `{ workflowExecutionEvents(input: { workflowExecutionUUID: "${long}" ${filter} }) { ${selection} }
     workflowExecutionLogs(input: { workflowExecutionUUID: "${long}" }) { __typename } }`;
const longDocuments: readonly string[] = [
  logsOf('data { nodeID message timestamp }'),
  logsOf('data { message nodeID __typename } __typename again: data { at: timestamp }'),
  eventsOf('', 'data { capabilityID status method startedAt finishedAt errors { error count } }'),
  eventsOf(', status: "failed"', 'data { capabilityID status method startedAt finishedAt errors { error count } }'),
  eventsOf(', capabilityID: "none"', 'data { status }'),
];

/** Logs and events over the length from which they are read one at a time. */
export function longTextsAnswerAsResolvers(newDatabase: NewDatabase): void {
  test('long logs and events get the same bytes with plans as with resolvers', async () => {
    const store = await openRecords(await newDatabase());
    await putOrganizations(store.writer);
    const logs = Array.from({ length: 4_000 }, (_, line) => ({
      ...{ nodeId: `node-${line % 7}`, timestamp: serviceNow + line },
      message: `line ${line} "quoted" \\ and é\u0001 ${'x'.repeat(60)}`,
    }));
    const events = Array.from({ length: 3_000 }, (_, event) => ({
      ...{ capabilityId: `http@${event % 3}.0.0`, status: event % 5 === 0 ? 'FAILED' : 'COMPLETED', method: null },
      ...{ startedAt: serviceNow + event, finishedAt: event % 2 === 0 ? null : serviceNow + event + 1 },
      errors: event % 5 === 0 ? [{ error: 'refused', count: 2 }] : null,
    }));
    await store.writer.putExecutions([executionRecord(900, { logs, events })]);
    const ask = createAsk(store);
    for (const query of longDocuments) {
      const wanted = bytesOf(await ask.withResolvers({ query, variables: {} }));
      expect(bytesOf(await ask.withPlans({ query, variables: {} })) === wanted, query).toBe(true);
    }
    await store.close();
  });
}

type Given = { readonly query: string; readonly variables: Readonly<Record<string, unknown>> };

function createAsk(store: RecordStore) {
  const shared = sharedBetweenRequests();
  const identity = { organizationId: 'org_harbor', memberId: 'member_dana', clock: () => serviceNow };
  const runPlan = createDocumentRunner({ schema: serviceSchema(), limitLargeDocument: (_, work) => work() });
  const runReference = createReference({ ...identity, records: recordsOf(store) });
  return {
    async withPlans({ query, variables }: Given): Promise<Outcome> {
      const request = createRequestContext({ ...shared, keyId: 'key', budget: undefined, onDisconnect: () => {} });
      const reads = store.readsFor(request, () => {}, identity.organizationId);
      const context = { caller: { ...identity, engine: store.engine }, request, reads };
      return (await runPlan({ query, variables, operationName: null }, context, quiet)).outcome;
    },
    async withResolvers({ query, variables }: Given): Promise<Outcome> {
      const { data, errors = [] } = await runReference(query, variables);
      const byPath = [...errors].sort((a, b) => (String(a.path) < String(b.path) ? -1 : 1));
      const refusals = errors.length > 0 ? { errors: byPath.map((error) => fieldRefusal(error, quiet)) } : {};
      return { ...refusals, data: JSON.stringify(data) };
    },
  };
}

/** Each fault has a reference of its own. */
function bytesOf(outcome: Outcome): string {
  return JSON.stringify(outcome).replaceAll(/"reference":"[^"]+"|reference [0-9a-f-]{36}/g, 'reference');
}
