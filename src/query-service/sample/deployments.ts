/** Workflows and their deployments as records. */
import type { DeploymentRecord, WorkflowRecord } from '../records/record.ts';
import type { Course } from './course.ts';
import { createRandom, seedOf, uuidFrom } from './random.ts';

export function workflowRecord(course: Course): WorkflowRecord {
  const { workflow } = course;
  const deployments = deploymentRecords(course);
  const running = deployments.findLast(({ status }) => status === 'ACTIVE') ?? deployments[0];
  return {
    organizationId: course.organizationId,
    uuid: course.workflowUuid,
    name: workflow.name,
    workflowId: running?.workflowId ?? '',
    status: workflow.status,
    ownerAddress: ownerOf(course),
    registeredAt: deployments[0]?.deployedAt ?? course.moments.builtAt,
    workflowSource: sourceOf(course),
  };
}

export function deploymentRecords(course: Course): DeploymentRecord[] {
  const { workflow, organizationId, workflowUuid } = course;
  return workflow.deployments.map((plan, index) => {
    const random = createRandom(course.seed, index, 2);
    const uuid = uuidFrom(random, course.idPrefix);
    const workflowId = artifactId(course, plan.release);
    const artifacts = `https://artifacts.example/${organizationId}/${workflowId}`;
    const hasBinary = plan.status === 'ACTIVE' || plan.status === 'FAILED';
    return {
      organizationId,
      uuid,
      workflowUuid,
      workflowId,
      status: plan.status,
      deployedAt: plan.at(course.moments),
      txHash: plan.status === 'FAILED' ? null : `0x${random.hex(64)}`,
      errorMessage: plan.errorMessage ?? null,
      binaryUrl: hasBinary ? `${artifacts}/main.wasm` : null,
      configUrl: hasBinary ? `${artifacts}/config.json` : null,
      workflowSource: sourceOf(course),
      hasTeeExecutions: workflow.isInTee,
      hasNonTeeExecutions: !workflow.isInTee,
    };
  });
}

/** The same for every action on one release. */
function artifactId({ seed, idPrefix }: Course, release: string): string {
  return idPrefix + createRandom(seed, seedOf(release), 3).hex(64 - idPrefix.length);
}

/** One owner for an organization. */
function ownerOf({ organizationId }: Course): string {
  return createRandom(seedOf(organizationId)).hex(40);
}

function sourceOf(course: Course): string {
  return `registry:${course.organizationId}:0x${ownerOf(course)}`;
}
