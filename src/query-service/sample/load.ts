/** Puts the sample into an empty or an older database and hands out the keys to it. */
import type { Keys } from '../keys/keys.ts';
import type { Records, RecordWriter } from '../records/port.ts';
import { batchesOf } from './batches.ts';
import { dayMs, minuteMs } from './moments.ts';
import { type SampleOptions, sampleRecords, type TenantRecords } from './sample.ts';

/** A sample that is older when the service starts is built anew, so that "40 minutes ago" stays true. */
const ageMsMax = 10 * minuteMs;

/** Every sample has the same seed unless a test wants another. */
export const sampleSeed = 'harbor';

export type LoadDeps = {
  readonly records: Pick<Records, 'organization'>;
  readonly writer: RecordWriter;
  readonly keys: Pick<Keys, 'create'>;
};

export type LoadOptions = {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Whether the clock stands still: then only a sample of exactly that moment is taken over. */
  readonly isFixed: boolean;
};

export type LoadedSample = {
  /** By the organization's name: the sample organization first, the second organization second. */
  readonly keys: Readonly<Record<string, string>>;
  /** By what is the matter with them: each is refused, as a stranger's is. */
  readonly refusedKeys: {
    /** Of the sample organization, since a day ago. */
    readonly expired: string;
    /** Made before its organization was gated. */
    readonly restricted: string;
  };
  /** For the appender. */
  readonly sample: SampleOptions;
};

/**
 * Builds the sample, unless one stands that is young enough, and makes new keys to it (the texts of old ones are nowhere kept).
 * A build that was interrupted is noticed and done again.
 */
export async function loadSample(deps: LoadDeps, { now, isFixed }: LoadOptions): Promise<LoadedSample> {
  const standing = await existingSampleBuiltAt(deps, now);
  const isFresh = standing !== undefined && standing <= now && now - standing <= (isFixed ? 0 : ageMsMax);
  const options: SampleOptions = { seed: sampleSeed, builtAt: isFresh ? standing : now };
  const { sample, second, gated } = sampleRecords(options);
  if (!isFresh) {
    // The sample organization comes last, and its own record last of all: it stands only where all the rest does.
    await deps.writer.clearOrganization(sample.organization.organizationId);
    for (const tenant of [gated, second, sample]) await build(deps.writer, tenant);
  }
  return {
    keys: {
      [sample.organization.displayName]: await keyTo(deps, sample),
      [second.organization.displayName]: await keyTo(deps, second),
    },
    refusedKeys: { expired: await keyTo(deps, sample, now - dayMs), restricted: await gatedKeyTo(deps, gated) },
    sample: options,
  };
}

/** @returns when the sample that stands was built; its organization's `updatedAt` says so */
async function existingSampleBuiltAt({ records }: LoadDeps, now: number): Promise<number | undefined> {
  const { organizationId } = sampleRecords({ seed: sampleSeed, builtAt: now }).sample.organization;
  return (await records.organization(organizationId))?.updatedAt ?? undefined;
}

async function build(writer: RecordWriter, tenant: TenantRecords): Promise<void> {
  await writer.clearOrganization(tenant.organization.organizationId);
  await writer.putWorkflows(tenant.workflows);
  await writer.putDeployments(tenant.deployments);
  for (const batch of batchesOf(tenant.executions())) await writer.putExecutions(batch);
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
