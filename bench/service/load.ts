/** Loads the data set into an empty database through the writer of imports, and creates a key. */
import { createKeys } from '../../src/query-service/keys/keys.ts';
import type { ExecutionRecord } from '../../src/query-service/records/record.ts';
import type { RecordStore } from '../../src/query-service/records/store.ts';
import { deployments, execution, organization, organizationId, workflows } from './data-set.ts';

export type Loaded = { readonly apiKey: string; readonly rowsPerSecond: number };

const batchSize = 5_000;

/** @returns executions a second, without the time to generate them */
export async function load({ writer, keys }: RecordStore, executions: number): Promise<Loaded> {
  await writer.putOrganization(organization);
  await writer.putWorkflows(workflows);
  await writer.putDeployments(deployments);
  let writingMs = 0;
  for (let from = 0; from < executions; from += batchSize) {
    const batch: ExecutionRecord[] = [];
    for (let index = from; index < Math.min(executions, from + batchSize); index += 1) {
      batch.push(execution(index, executions));
    }
    const startedAt = performance.now();
    await writer.putExecutions(batch);
    writingMs += performance.now() - startedAt;
  }
  const { text } = await (await createKeys({ keys, clock: Date.now })).create({ organizationId, name: 'bench' });
  return { apiKey: text, rowsPerSecond: executions / (writingMs / 1000) };
}
