/** Writes the sample to a database, creates keys to it, and continues its schedules. */
import type { Keys } from '../keys/keys.ts';
import type { RecordWriter } from '../records/port.ts';
import type { Lookups } from '../records/reads/read-people.ts';
import type { ExecutionRecord } from '../records/record.ts';
import { dayMs, minuteMs } from './moments.ts';
import { type SampleOptions, sampleRecords, type TenantRecords } from './sample.ts';
import { durationMsMax, executionsOf } from './schedule.ts';

/** An older sample is rebuilt when the service starts, so that "40 minutes ago" stays true. */
const ageMsMax = 10 * minuteMs;

/** Every sample has the same seed unless a test wants another. */
export const sampleSeed = 'harbor';

export type LoadDeps = {
  readonly records: Pick<Lookups, 'organization'>;
  readonly writer: RecordWriter;
  readonly keys: Pick<Keys, 'create'>;
};

export type LoadedSample = Awaited<ReturnType<typeof loadSample>>;

/**
 * Builds the sample unless the database has a recent one, and creates new keys to it. An interrupted build is detected
 * and repeated.
 * @param now epoch milliseconds
 * @param isFixed true if the clock is fixed; then only a sample of exactly that moment is reused
 * @returns the keys by organization, the sample organization first; a key that expired a day ago, and one of a gated
 *   organization
 */
export async function loadSample(
  deps: LoadDeps,
  { now, isFixed }: { readonly now: number; readonly isFixed: boolean },
) {
  const builtAt = await existingSampleBuiltAt(deps, now);
  const isFresh = builtAt !== undefined && builtAt <= now && now - builtAt <= (isFixed ? 0 : ageMsMax);
  const options: SampleOptions = { seed: sampleSeed, builtAt: isFresh ? builtAt : now };
  const { sample, second, gated } = sampleRecords(options);
  if (!isFresh) {
    // The record of the sample organization comes last: it exists only in a complete sample.
    await deps.writer.clearOrganization(sample.organization.organizationId);
    for (const tenant of [gated, second, sample]) await build(deps.writer, tenant);
  }
  return {
    keys: {
      [sample.organization.displayName]: await keyTo(deps, sample),
      [second.organization.displayName]: await keyTo(deps, second),
    },
    refusedKeys: { expired: await keyTo(deps, sample, now - dayMs), restricted: await gatedKeyTo(deps, gated) },
    /** Options for the appender. */
    sample: options,
  } as const;
}

/** @returns the `updatedAt` of its organization */
async function existingSampleBuiltAt({ records }: LoadDeps, now: number): Promise<number | undefined> {
  const { organizationId } = sampleRecords({ seed: sampleSeed, builtAt: now }).sample.organization;
  return (await records.organization(organizationId))?.updatedAt ?? undefined;
}

async function build(writer: RecordWriter, tenant: TenantRecords): Promise<void> {
  await writer.clearOrganization(tenant.organization.organizationId);
  await writer.putWorkflows(tenant.workflows);
  await writer.putDeployments(tenant.deployments);
  await putExecutions(writer, tenant.executions());
  if (tenant.account !== null) await writer.putAccount(tenant.account);
  await writer.putOrganization(tenant.organization);
}

async function keyTo(
  { keys }: LoadDeps,
  { organization: { organizationId }, account }: TenantRecords,
  expiresAt: number | null = null,
): Promise<string> {
  const name = expiresAt === null ? 'sample' : 'sample, expired';
  return (await keys.create({ organizationId, name, memberId: account?.memberId ?? null, expiresAt })).text;
}

async function gatedKeyTo(deps: LoadDeps, gated: TenantRecords): Promise<string> {
  await deps.writer.putOrganization(gated.organization);
  const key = await keyTo(deps, gated);
  await deps.writer.putOrganization({ ...gated.organization, restrictionStatus: 'GATED' });
  return key;
}

/** Limit for one transaction. Few large transactions are faster, because each rewrites pages of every index. */
const executionsMax = 30_000;
const linesMax = 100_000;

async function putExecutions(
  writer: Pick<RecordWriter, 'putExecutions'>,
  executions: Iterable<ExecutionRecord>,
): Promise<void> {
  let batch: ExecutionRecord[] = [];
  let lines = 0;
  for (const execution of executions) {
    batch.push(execution);
    lines += (execution.logs?.length ?? 0) + (execution.events?.length ?? 0);
    if (batch.length < executionsMax && lines < linesMax) continue;
    await writer.putExecutions(batch);
    batch = [];
    lines = 0;
  }
  if (batch.length > 0) await writer.putExecutions(batch);
}

/**
 * A tick writes the executions that the schedules started, continued or finished since the last successful tick. It
 * replaces existing records, so that a late, repeated or failed tick neither loses nor duplicates anything.
 */
export function createSampleAppender(writer: Pick<RecordWriter, 'putExecutions'>, options: SampleOptions) {
  const schedules = Object.values(sampleRecords(options)).flatMap((tenant) => tenant.schedules);
  let appendedUpTo = options.builtAt;
  return {
    /** @param now epoch milliseconds */
    async tick(now: number): Promise<void> {
      const since = appendedUpTo;
      const changed = function* () {
        for (const schedule of schedules) {
          for (const execution of executionsOf(schedule, { from: since - durationMsMax, to: now }, now)) {
            const { startedAt, finishedAt } = execution;
            if (startedAt > since || finishedAt === null || finishedAt > since) yield execution;
          }
        }
      };
      await putExecutions(writer, changed());
      appendedUpTo = Math.max(appendedUpTo, now);
    },
  };
}
