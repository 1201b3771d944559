/** What each kind of line holds: the fields as the specification names them, read into a record. */
import { z } from 'zod';
import type { TypedRecord } from '../records/record.ts';
import { count, credits, hex, orNull, text, time, uuid, word } from './fields.ts';

const deploymentStatus = z.enum(['PENDING', 'FAILED', 'ACTIVE', 'PAUSED', 'DELETED']);
const errors = orNull(z.array(z.strictObject({ error: text, count })));

const organization = z.strictObject({
  organizationId: word,
  displayName: text,
  restrictionStatus: z.enum(['GATED', 'FULL_ACCESS']),
  activeStatus: z.enum(['ACTIVE', 'DELETED']),
  createdAt: time,
  updatedAt: orNull(time),
  tenantId: count,
});

const account = z.strictObject({
  organizationId: word,
  memberId: word,
  userId: orNull(text),
  displayName: text,
  emailAddress: text,
  memberStatus: z.enum(['INVITED', 'JOINED', 'REMOVED']),
  memberType: orNull(z.enum(['ROOT', 'ADMIN'])),
  createdAt: time,
  updatedAt: orNull(time),
  invitedAt: orNull(time),
  joinedAt: orNull(time),
});

const workflow = z.strictObject({
  organizationId: word,
  uuid,
  name: text,
  workflowId: hex(64),
  status: deploymentStatus,
  ownerAddress: hex(40),
  registeredAt: time,
  workflowSource: text,
});

const deployment = z
  .strictObject({
    organizationId: word,
    uuid,
    workflowUUID: uuid,
    workflowID: hex(64),
    status: deploymentStatus,
    deployedAt: time,
    txHash: orNull(text),
    errorMessage: orNull(text),
    binaryURL: orNull(text),
    configURL: orNull(text),
    workflowSource: text,
    hasTeeExecutions: z.boolean(),
    hasNonTeeExecutions: z.boolean(),
  })
  .transform(({ workflowUUID, workflowID, binaryURL, configURL, ...rest }) => ({
    ...rest,
    workflowUuid: workflowUUID,
    workflowId: workflowID,
    binaryUrl: binaryURL,
    configUrl: configURL,
  }));

const log = z
  .strictObject({ nodeID: text, message: text, timestamp: time })
  .transform(({ nodeID, message, timestamp }) => ({ nodeId: nodeID, message, timestamp }));

const event = z
  .strictObject({
    capabilityID: text,
    status: text,
    method: orNull(text),
    startedAt: time,
    finishedAt: orNull(time),
    errors,
  })
  .transform(({ capabilityID, ...rest }) => ({ capabilityId: capabilityID, ...rest }));

const execution = z
  .strictObject({
    organizationId: word,
    uuid,
    id: hex(64),
    workflowUUID: uuid,
    status: z.enum(['UNKNOWN', 'UNSPECIFIED', 'TRIGGERED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE']),
    classifiedStatus: orNull(z.enum(['UNSPECIFIED', 'SUCCESS', 'USER_ERROR', 'SYSTEM_ERROR'])),
    detailedStatus: orNull(z.enum(['UNSPECIFIED', 'COMPLETED', 'COMPLETED_WITH_ERRORS', 'FAILED', 'FAILED_NO_DETAIL'])),
    startedAt: time,
    finishedAt: orNull(time),
    creditUsed: orNull(credits),
    executedInTee: orNull(z.boolean()),
    errors,
    logs: orNull(z.array(log)),
    events: orNull(z.array(event)),
  })
  .transform(({ workflowUUID, creditUsed, ...rest }) => ({
    ...rest,
    workflowUuid: workflowUUID,
    creditMicros: creditUsed,
  }));

type RecordOf<Type extends TypedRecord['type']> = Extract<TypedRecord, { readonly type: Type }>['record'];

export const schemas = { organization, account, workflow, deployment, execution } satisfies {
  readonly [Type in TypedRecord['type']]: z.ZodType<RecordOf<Type>>;
};
