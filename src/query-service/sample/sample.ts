/** Makes the records of the sample organizations from a seed and the moment the sample was built. */
import type {
  AccountRecord,
  DeploymentRecord,
  ExecutionRecord,
  OrganizationRecord,
  WorkflowRecord,
} from '../records/record.ts';
import { dayMs } from './moments.ts';
import { organizations, type SampleOrganization } from './organizations.ts';
import { createRandom, seedOf, uuidFrom } from './random.ts';
import { createSchedule, executionsOf, type Schedule } from './schedule.ts';

export type TenantRecords = ReturnType<typeof tenantRecords>;

export type SampleOptions = {
  readonly seed: string;
  /** Epoch milliseconds. */
  readonly builtAt: number;
};

export function sampleRecords(options: SampleOptions) {
  const { sample, second, gated } = organizations;
  return {
    sample: tenantRecords(sample, options),
    second: tenantRecords(second, options),
    gated: tenantRecords(gated, options),
  };
}

function tenantRecords(tenant: SampleOrganization, options: SampleOptions) {
  const schedules = Object.entries(tenant.workflows).map(([key, workflow]) =>
    createSchedule(tenant, key, workflow, options),
  );
  return {
    organization: organizationRecord(tenant, options.builtAt),
    account: accountRecord(tenant, options.builtAt),
    workflows: schedules.map(workflowRecord),
    deployments: schedules.flatMap(deploymentRecords),
    /** Generated as they are read: the history up to the moment at which the sample was built. */
    executions: () => historyOf(schedules),
    schedules,
  };
}

/** The executions of these schedules up to the moment at which the sample was built. */
export function* historyOf(schedules: readonly Schedule[]): Generator<ExecutionRecord> {
  for (const schedule of schedules) {
    const { builtAt, days } = schedule;
    yield* executionsOf(schedule, { from: builtAt - days * dayMs, to: builtAt }, builtAt);
  }
}

/** `updatedAt` is the time at which the sample was built: load.ts derives the sample's age from it. */
function organizationRecord(
  { organizationId, displayName, tenantId, ageDays }: SampleOrganization,
  builtAt: number,
): OrganizationRecord {
  return {
    organizationId,
    displayName,
    restrictionStatus: 'FULL_ACCESS',
    activeStatus: 'ACTIVE',
    createdAt: builtAt - ageDays * dayMs,
    updatedAt: builtAt,
    tenantId,
  };
}

function accountRecord({ organizationId, account }: SampleOrganization, builtAt: number): AccountRecord | null {
  if (account === undefined) return null;
  const { memberId, displayName, emailAddress } = account;
  return {
    organizationId,
    memberId,
    userId: `user_${memberId.slice(-6)}`,
    displayName,
    emailAddress,
    memberStatus: 'JOINED',
    memberType: 'ADMIN',
    createdAt: builtAt - 90 * dayMs,
    updatedAt: builtAt - 20 * dayMs,
    invitedAt: builtAt - 91 * dayMs,
    joinedAt: builtAt - 90 * dayMs,
  };
}

function workflowRecord(schedule: Schedule): WorkflowRecord {
  const { organizationId, workflowUuid, name, last } = schedule;
  const deployments = deploymentRecords(schedule);
  const running = deployments.findLast(({ status }) => status === 'ACTIVE');
  return {
    organizationId,
    uuid: workflowUuid,
    name,
    workflowId: running?.workflowId ?? '',
    status: last && last.status !== 'FAILED' ? last.status : 'ACTIVE',
    ownerAddress: ownerOf(organizationId),
    registeredAt: deployments[0]?.deployedAt ?? schedule.builtAt,
    workflowSource: sourceOf(organizationId),
  };
}

function deploymentRecords(schedule: Schedule): DeploymentRecord[] {
  const { organizationId, workflowUuid, idPrefix, seed, releases, last, builtAt, isInTee = false } = schedule;
  const active = releases.map((each) => ({ ...each, status: 'ACTIVE' as const }));
  const ending = last && { release: releases.at(-1)?.release ?? '', ...last, at: builtAt - last.daysAgo * dayMs };
  return [...active, ...(ending ? [ending] : [])].map((deployment, index) => {
    const random = createRandom(seed, index, 2);
    const uuid = uuidFrom(random, idPrefix);
    // The same for every action on one release.
    const workflowId = idPrefix + createRandom(seed, seedOf(deployment.release), 3).hex(64 - idPrefix.length);
    const artifacts = `https://artifacts.example/${organizationId}/${workflowId}`;
    const hasBinary = deployment.status === 'ACTIVE' || deployment.status === 'FAILED';
    return {
      organizationId,
      uuid,
      workflowUuid,
      workflowId,
      status: deployment.status,
      deployedAt: deployment.at,
      txHash: deployment.status === 'FAILED' ? null : `0x${random.hex(64)}`,
      errorMessage: ('errorMessage' in deployment && deployment.errorMessage) || null,
      binaryUrl: hasBinary ? `${artifacts}/main.wasm` : null,
      configUrl: hasBinary ? `${artifacts}/config.json` : null,
      workflowSource: sourceOf(organizationId),
      hasTeeExecutions: isInTee,
      hasNonTeeExecutions: !isInTee,
    };
  });
}

/** Creates one owner address for an organization. */
function ownerOf(organizationId: string): string {
  return createRandom(seedOf(organizationId)).hex(40);
}

function sourceOf(organizationId: string): string {
  return `registry:${organizationId}:0x${ownerOf(organizationId)}`;
}
