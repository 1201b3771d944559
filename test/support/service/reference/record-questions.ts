/** Reads of the records, at least one for each query plan. */

import { hashOf, serviceNow, uuidOf } from '../service-records.ts';
import type { Records } from './records.ts';

export const organizationId = 'org_harbor';
const workflowUuid = uuidOf('workflow', 1);
export const slice = { limit: 20, offset: 0 };
const span = { from: serviceNow - 30 * 86_400_000 - 1, until: serviceNow };
const filter = { workflowUuid, statuses: null, span, search: null };
export const newest = { field: 'STARTED_AT', direction: 'DESC' } as const;
const failures = { ...filter, statuses: ['FAILURE', 'IN_PROGRESS'] } as const;
const byId = { ...filter, search: hashOf(1) };

export const questions: Readonly<Record<string, (records: Records) => Promise<unknown>>> = {
  'a list': (records) => records.executions(organizationId, filter, newest, slice),
  'a list, oldest first': (records) =>
    records.executions(organizationId, filter, { field: 'STARTED_AT', direction: 'ASC' }, slice),
  'a list by status': (records) => records.executions(organizationId, failures, newest, slice),
  'a list of the organization': (records) =>
    records.executions(organizationId, { ...failures, workflowUuid: null }, newest, slice),
  'a list in the order of the status': (records) =>
    records.executions(organizationId, filter, { field: 'STATUS', direction: 'DESC' }, slice),
  'a list by the whole id': (records) => records.executions(organizationId, byId, newest, slice),
  'a list of one status by the whole id': (records) =>
    records.executions(organizationId, { ...byId, statuses: ['FAILURE'] }, newest, slice),
  'a total': (records) => records.executionCount(organizationId, failures),
  'a total of the organization': (records) => records.executionCount(organizationId, { ...filter, workflowUuid: null }),
  counts: (records) => records.counts(organizationId, workflowUuid, span),
  'counts of the organization': (records) => records.counts(organizationId, null, span),
  days: (records) => records.countsByDay(organizationId, null, span),
  'a workflow': (records) => records.workflow(organizationId, workflowUuid, span),
  'workflows by their latest execution': (records) =>
    records.workflows(
      organizationId,
      { statuses: null, search: null, ownerAddresses: null },
      { field: 'EXECUTED_AT', direction: 'DESC' },
      slice,
    ),
  deployments: (records) =>
    records.deployments(
      organizationId,
      { workflowUuid, statuses: null, search: null, span: { from: null, until: null } },
      { field: 'DEPLOYED_AT', direction: 'DESC' },
      slice,
    ),
  'an execution': (records) => records.execution(organizationId, uuidOf('execution', 1)),
  'its logs': (records) => records.executionDetail(organizationId, uuidOf('execution', 1), new Set(['logs'])),
  'its logs and events': (records) =>
    records.executionDetail(organizationId, uuidOf('execution', 1), new Set(['logs', 'events'])),
  'a page and its total': (records) => records.executionPage(organizationId, failures, newest, slice),
  'a list of one status': (records) =>
    records.executions(organizationId, { ...filter, statuses: ['FAILURE'] }, newest, slice),
  'a page of one status and its total': (records) =>
    records.executionPage(organizationId, { ...filter, statuses: ['FAILURE'] }, newest, slice),
  'a list of one status of the organization': (records) =>
    records.executions(organizationId, { ...filter, workflowUuid: null, statuses: ['FAILURE'] }, newest, slice),
};
