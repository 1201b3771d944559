/** Plans answer what the resolvers answer, byte for byte. */
import { expect, test } from 'vitest';
import { createDocumentRunner, type DocumentAnswer } from '../../../src/query-service/graphql/documents.ts';
import { createContext, type ServiceContext } from '../../../src/query-service/graphql/resolvers/context.ts';
import { weightOf } from '../../../src/query-service/graphql/resolvers/input.ts';
import { createSchema } from '../../../src/query-service/graphql/schema.ts';
import { createRequestContext } from '../../../src/query-service/limits/request-context.ts';
import { openRecords } from '../../../src/query-service/records/open.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import type { NewDatabase } from '../../support/databases/engines.ts';
import { generatedDocuments } from '../../support/service/documents.ts';
import { sharedBetweenRequests } from '../../support/service/request-contexts.ts';
import { executionRecord, putOrganizations, serviceNow, uuidOf } from '../../support/service/service-records.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export function plansAnswerAsResolvers(newDatabase: NewDatabase, count: number, seed: number): void {
  test(`${count} generated documents get the same bytes with plans as without`, async () => {
    const store = await openRecords(await newDatabase());
    await putOrganizations(store.writer);
    const ways: string[] = [];
    const ask = createAsk(store, (way) => ways.push(way));
    let planned = 0;
    for (const document of generatedDocuments(createSchema(), count, seed)) {
      const [own, wanted] = [await ask.withPlans(document), await ask.withResolvers(document)];
      planned += Number(typeof own.outcome === 'string');
      expect([document, bytesOf(own)]).toEqual([document, bytesOf(wanted)]);
    }
    await store.close();
    for (const way of ['failed', 'no_plan']) expect(ways).not.toContain(way);
    // The others are refused, find nothing, or no index bounds their reads.
    expect(planned / count).toBeGreaterThan(0.6);
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
  test('long logs and events get the same bytes with plans as without', async () => {
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
    const ways: string[] = [];
    const ask = createAsk(store, (way) => ways.push(way));
    for (const query of longDocuments) {
      const wanted = bytesOf(await ask.withResolvers({ query, variables: {} }));
      expect(bytesOf(await ask.withPlans({ query, variables: {} })) === wanted, query).toBe(true);
    }
    await store.close();
    expect(ways).toEqual(longDocuments.map(() => 'plan'));
  });
}

type Given = { readonly query: string; readonly variables: Readonly<Record<string, unknown>> };

function createAsk(store: RecordStore, onRun: (way: string) => void) {
  const shared = sharedBetweenRequests();
  const schema = createSchema();
  const clock = () => serviceNow;
  const caller = { keyId: 'key', organizationId: 'org_harbor', memberId: 'member_dana' };
  const context = (): ServiceContext => {
    const request = createRequestContext({ ...shared, keyId: 'key', budget: undefined, onDisconnect: () => {} });
    return createContext({ caller, request, reads: store.readsFor(request, () => {}, caller.organizationId), clock });
  };
  const resolvers = createDocumentRunner<ServiceContext>({ schema, weightOf });
  const plans = createDocumentRunner<ServiceContext>({
    schema,
    weightOf,
    onRun,
    runPlan: (plan, inputs, { reads }) => plan(inputs, { ...caller, engine: reads.engine, clock }, reads),
  });
  const asked = ({ query, variables }: Given) => ({ query, variables, operationName: null });
  return {
    withPlans: async (given: Given): Promise<DocumentAnswer> => plans(asked(given), context(), quiet),
    withResolvers: async (given: Given): Promise<DocumentAnswer> => resolvers(asked(given), context(), quiet),
  };
}

function bytesOf({ outcome }: DocumentAnswer): string {
  if (typeof outcome === 'string') return `{"data":${outcome}}`;
  // Each fault has a reference of its own.
  return JSON.stringify(outcome).replaceAll(/"reference":"[^"]+"|reference [0-9a-f-]{36}/g, 'reference');
}
