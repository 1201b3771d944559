/** The sample's records, all of them a function of a seed and a moment; nothing is kept in memory that was handed out. */
import type {
  AccountRecord,
  DeploymentRecord,
  ExecutionRecord,
  OrganizationRecord,
  WorkflowRecord,
} from '../records/record.ts';
import { type Course, courseOf } from './course.ts';
import { deploymentRecords, workflowRecord } from './deployments.ts';
import { executionsOf } from './history.ts';
import { dayMs, type Moments, momentsOf } from './moments.ts';
import { type Tenant, tenants } from './tenants.ts';

export type TenantRecords = {
  readonly organization: OrganizationRecord;
  readonly account: AccountRecord | null;
  readonly workflows: readonly WorkflowRecord[];
  readonly deployments: readonly DeploymentRecord[];
  /** Made as they are read: the history up to the moment the sample was built. */
  readonly executions: () => Iterable<ExecutionRecord>;
  readonly courses: readonly Course[];
};

export type SampleOptions = {
  readonly seed: string;
  /** Epoch milliseconds. */
  readonly builtAt: number;
};

/** The sample organization, the second one, and the one that was gated after it had got its key. */
export function sampleRecords(options: SampleOptions) {
  return {
    sample: tenantRecords(tenants.sample, options),
    second: tenantRecords(tenants.second, options),
    gated: tenantRecords(tenants.gated, options),
  };
}

function tenantRecords({ organization, account, idPrefix, workflows }: Tenant, options: SampleOptions): TenantRecords {
  const moments = momentsOf(options.builtAt);
  const record = organization(moments);
  const { organizationId } = record;
  const courses = workflows.map((workflow) =>
    courseOf({ organizationId, workflow, idPrefix, moments, seed: options.seed }),
  );
  return {
    organization: record,
    account: account?.(moments) ?? null,
    workflows: courses.map(workflowRecord),
    deployments: courses.flatMap(deploymentRecords),
    executions: () => historyOf(courses, moments),
    courses,
  };
}

function* historyOf(courses: readonly Course[], { builtAt }: Moments): Generator<ExecutionRecord> {
  for (const course of courses) {
    const from = builtAt - course.workflow.historyDays * dayMs;
    yield* executionsOf(course, { from, to: builtAt }, builtAt);
  }
}
