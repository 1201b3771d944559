/** A look at an index of SQLite's that tells whether a group of rows is small enough to be read on the main thread. */
import type { DatabaseSync } from 'node:sqlite';
import { type Group, groupMax, type Reach } from '../reach.ts';
import { hourMs } from '../reads/periods.ts';

/** @returns whether a read has to leave the main thread */
export function createReachCheck(database: DatabaseSync): (reach: Reach) => boolean {
  const beyond = 'limit 1 offset cast(? as integer)';
  const workflows = database.prepare(`select 1 from workflow where organization_id = ? ${beyond}`);
  const deployments = database.prepare(
    `select 1 from deployment where organization_id = ? and workflow_uuid = ? ${beyond}`,
  );
  const hours = database.prepare(
    `select sum(executions) as n from execution_count
     where organization_id = ? and workflow_uuid = ? and period_ms = ${hourMs} and period_start in (?, ?)`,
  );
  const isLarge = (group: Group): boolean => {
    const { organizationId } = group;
    if (group.of === 'workflows') return workflows.get(organizationId, groupMax.workflows) !== undefined;
    if (group.of === 'deployments')
      return deployments.get(organizationId, group.workflowUuid, groupMax.deployments) !== undefined;
    const counted = hours.get(organizationId, group.workflowUuid, ...group.hours)?.['n'];
    return Number(counted ?? 0) > groupMax.hours;
  };
  return (reach) => (typeof reach === 'string' ? reach === 'unbounded' : isLarge(reach));
}
