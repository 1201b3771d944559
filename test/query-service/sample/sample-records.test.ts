/** The sample's records as a whole: the same from the same seed, within the volumes of the rulings, apart by organization. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ExecutionRecord } from '../../../src/query-service/records/record.ts';
import { foreignIdPrefix } from '../../../src/query-service/sample/organizations.ts';
import { foreignMarker } from '../../../src/query-service/sample/recipes.ts';
import { sampleRecords, type TenantRecords } from '../../../src/query-service/sample/sample.ts';
import { holdsSecret } from '../../../src/shared/redaction/redact.ts';
import { failuresOf, gather, sampleAt } from '../../support/service/sample.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const { builtAt, sample, second, gated } = sampleAt('2026-11-20T10:00:00Z');
const everything = [sample, second, gated];
const executions = everything.flatMap((tenant) => tenant.executions);
const detailed = executions.filter(({ logs }) => logs !== null);

/** One hash over every byte of a sample. */
function digest(tenants: Iterable<object>, runs: Iterable<ExecutionRecord>): string {
  const hash = createHash('sha256');
  for (const record of [...tenants, ...runs]) hash.update(JSON.stringify(record));
  return hash.digest('hex');
}

describe('the sample', () => {
  it('is the same to the last byte from the same seed and moment, and another from another seed', () => {
    const again = Object.values(sampleRecords({ seed: 'harbor', builtAt }));
    const factsOf = ({ organization, account, workflows, deployments }: Omit<TenantRecords, 'executions'>) => [
      { organization, account },
      ...workflows,
      ...deployments,
    ];
    const repeated = digest(
      again.flatMap(factsOf),
      again.flatMap((tenant) => [...tenant.executions()]),
    );
    expect(repeated).toBe(digest(everything.flatMap(factsOf), executions));
    const known = new Set(executions.map(({ uuid }) => uuid));
    const ofAnother = sampleRecords({ seed: 'haven', builtAt }).sample.executions();
    const newest = Array.from({ length: 1_000 }, () => ofAnother.next().value?.uuid ?? '');
    expect(newest.filter((uuid) => known.has(uuid) || uuid === '')).toEqual([]);
  });

  it('keeps the ids of workflows, deployments and executions when it is rebuilt later', () => {
    const later = gather(sampleRecords({ seed: 'harbor', builtAt: builtAt + 12 * minuteMs }).sample);
    const idOf = ({ uuid }: { readonly uuid: string }) => uuid;
    // One of each kind of schedule; 30 seconds are the shortest.
    const names = ['fx-rates', 'carbon-credits', 'loyalty-points', 'legacy-payouts', 'risk-model'];
    const runs = names.flatMap(later.runsOf).filter(({ startedAt }) => startedAt <= builtAt);
    const known = new Set(sample.executions.map(idOf));
    expect(later.workflows.map(idOf)).toEqual(sample.workflows.map(idOf));
    expect(later.deployments.map(idOf)).toEqual(sample.deployments.map(idOf));
    expect(runs.length).toBeGreaterThan(10_000);
    // Only the ends of the silent, the paused and the deleted workflow have moved on with the clock.
    expect(runs.filter(({ uuid }) => !known.has(uuid)).length).toBeLessThanOrEqual(3);
  });

  it('has ids of the forms in the rulings, no uuid twice', () => {
    const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/;
    const rows = everything.flatMap((tenant) => [...tenant.workflows, ...tenant.deployments, ...tenant.executions]);
    const ids = [...executions.map(({ id }) => id), ...everything.flatMap((t) => t.workflows.map((w) => w.workflowId))];
    expect(rows.filter(({ uuid }) => !uuidForm.test(uuid))).toEqual([]);
    expect(ids.filter((id) => !/^[0-9a-f]{64}$/.test(id))).toEqual([]);
    expect(sample.workflows.filter(({ ownerAddress }) => !/^[0-9a-f]{40}$/.test(ownerAddress))).toEqual([]);
    expect(new Set(rows.map(({ uuid }) => uuid)).size).toBe(rows.length);
  });

  it('has the marks of the second organization in all of its records and in no other', () => {
    const marks = new RegExp(`${foreignMarker}|${foreignIdPrefix}`, 'i');
    const isMarked = (record: object) => marks.test(JSON.stringify(record));
    const recordsOf = ({ organization, account, workflows, deployments, executions: runs }: typeof sample) => [
      organization,
      ...(account === null ? [] : [account]),
      ...workflows,
      ...deployments,
      ...runs,
    ];
    expect([sample, gated].flatMap(recordsOf).filter(isMarked)).toEqual([]);
    expect(recordsOf(second).filter((record) => !isMarked(record))).toEqual([]);
    expect(second.workflows.some(({ name }) => name === 'payments')).toBe(true);
  });

  it('ends every execution within five minutes, and none after the moment it was built', () => {
    const lengths = executions.flatMap(({ startedAt, finishedAt }) =>
      finishedAt === null ? [] : [finishedAt - startedAt],
    );
    const ends = executions.map(({ startedAt, finishedAt }) => finishedAt ?? startedAt);
    expect(lengths.reduce((longest, length) => Math.max(longest, length))).toBeLessThanOrEqual(5 * minuteMs);
    expect(lengths.reduce((shortest, length) => Math.min(shortest, length))).toBeGreaterThan(1_000);
    expect(ends.filter((end) => end > builtAt)).toEqual([]);
  });

  it('logs at most 1,000 lines of 1 KB an execution, from 7 to 10 nodes where the platform is well', () => {
    const nodes = detailed
      .filter(({ status, classifiedStatus }) => status === 'SUCCESS' || classifiedStatus === 'USER_ERROR')
      .map(({ logs }) => new Set(logs?.map(({ nodeId }) => nodeId)).size);
    const lines = detailed.flatMap(({ logs }) => logs ?? []);
    expect(detailed.filter(({ logs }) => (logs?.length ?? 0) > 1_000)).toEqual([]);
    expect(lines.filter(({ message }) => Buffer.byteLength(message) > 1_024)).toEqual([]);
    expect([...new Set(nodes)].sort()).toEqual([10, 7, 9]);
  });

  it('keeps events and logs of every failure, of the last 24 h, and of the good run before each failure', () => {
    for (const { uuid } of sample.workflows) {
      const runs = sample.executions.filter(({ workflowUuid }) => workflowUuid === uuid);
      const wanted = runs.filter(
        (run, index) =>
          run.status === 'FAILURE' || run.startedAt > builtAt - dayMs || runs[index - 1]?.status === 'FAILURE',
      );
      expect(wanted.filter(({ events, logs }) => !events?.length || logs === null)).toEqual([]);
    }
  });

  it("puts events inside their execution, in the platform's mixed-case words", () => {
    const strays = detailed.filter(({ events, startedAt, finishedAt }) =>
      events?.some((event) => event.startedAt < startedAt || (event.finishedAt ?? 0) > (finishedAt ?? builtAt)),
    );
    const words = new Set(detailed.flatMap(({ events }) => events?.map(({ status }) => status) ?? []));
    expect(strays).toEqual([]);
    expect([...words].sort()).toEqual(['COMPLETED', 'FAILURE', 'Failure', 'IN_PROGRESS', 'SUCCESS', 'failure']);
  });

  it('holds a made-up secret in the logs of a failed payments run, and in no error', () => {
    const [run] = failuresOf(sample.runsOf('payments'));
    const secrets = new Set(run?.logs?.map(({ message }) => message).filter(holdsSecret));
    expect([...secrets]).toEqual(['POST /v2/payouts Authorization: Bearer not-a-real-token-0000000042']);
    expect(sample.executions.filter(({ errors }) => errors?.some(({ error }) => holdsSecret(error)))).toEqual([]);
  });

  it('has a failure of which the platform kept no detail', () => {
    const [run] = sample.executions.filter(({ detailedStatus }) => detailedStatus === 'FAILED_NO_DETAIL');
    expect(run).toMatchObject({ status: 'FAILURE', classifiedStatus: 'SYSTEM_ERROR', errors: null });
    expect(run?.events?.at(-1)).toMatchObject({ status: 'FAILURE' });
  });
});
