/** Parses the lines of an import into records: fields named as in the specification, or the reason of a refusal. */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { TypedRecord } from '../records/record.ts';
import { parseCredits, parseInstant } from '../scalar-text.ts';

/** Text that both engines can store and that is valid in JSON. */
const text = z
  .string()
  .refine(
    (value) => value.isWellFormed() && !value.includes('\0'),
    'must hold neither NUL nor half of a surrogate pair',
  );

const wordUnitsMax = 200;

/** An id: one word that people can type. */
const word = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters')
  .max(wordUnitsMax, `must be at most ${wordUnitsMax} characters long`);

const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a uuid in lower case, with hyphens');

/** @param digits count @returns lower case */
const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`, 'i'), `must be ${digits} hexadecimal characters, without 0x`)
    .transform((value) => value.toLowerCase());

/** @returns epoch milliseconds */
const time = z.string().transform((value, context) => {
  const instant = parseInstant(value);
  if (instant !== null) return instant;
  context.addIssue('must be an ISO 8601 instant with a zone, such as 2026-11-20T10:00:00Z');
  return z.NEVER;
});

/** @returns millionths */
const credits = z.string().transform((value, context) => {
  const micros = parseCredits(value);
  if (micros !== null) return micros;
  context.addIssue('must be a decimal such as "0.05" with at most nine places before the point and six after it');
  return z.NEVER;
});

const int32Max = 2_147_483_647;

/** The range of GraphQL's Int. */
const count = z
  .number()
  .refine((value) => Number.isInteger(value) && value >= 0 && value <= int32Max, 'must be a whole number from 0');

/** A nullable field may be missing. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

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

const schemas = { organization, account, workflow, deployment, execution } satisfies {
  readonly [Type in TypedRecord['type']]: z.ZodType<RecordOf<Type>>;
};

export type ParsedLine =
  | { readonly kind: 'record'; readonly typed: TypedRecord }
  | { readonly kind: 'empty' }
  /** @property reason without a full stop */
  | { readonly kind: 'refused'; readonly reason: string };

/** Limit for a reason, because an execution may have thousands of errors. */
const reasonUnitsMax = 500;

/** @param bytes of the line, with or without its line break */
export function parseLine(bytes: Buffer): ParsedLine {
  if (!isUtf8(bytes)) return refused('it is not UTF-8');
  // Some files begin with a byte order mark.
  const line = bytes.toString().replace(/^\ufeff/, '');
  if (line.trim() === '') return { kind: 'empty' };
  const value = parseJson(line);
  if (!isRecord(value)) return refused('it is no JSON object');
  const { type, ...fields } = value;
  switch (type) {
    case 'organization':
      return read(schemas.organization, fields, (record) => ({ type, record }));
    case 'account':
      return read(schemas.account, fields, (record) => ({ type, record }));
    case 'workflow':
      return read(schemas.workflow, fields, (record) => ({ type, record }));
    case 'deployment':
      return read(schemas.deployment, fields, (record) => ({ type, record }));
    case 'execution':
      return read(schemas.execution, fields, (record) => ({ type, record }));
    default:
      return refused(`type must be one of ${Object.keys(schemas).join(', ')}`);
  }
}

function read<Record>(schema: z.ZodType<Record>, fields: object, typedOf: (record: Record) => TypedRecord): ParsedLine {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return { kind: 'record', typed: typedOf(parsed.data) };
  // Parsed again for the messages: with a custom error map, zod takes twice as long for every line.
  const issues = schema.safeParse(fields, { error: sentenceOf }).error?.issues ?? [];
  const reasons = issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim());
  return refused(reasons.join('; ').slice(0, reasonUnitsMax));
}

/** Wording for zod's general issues; fields word their own. */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be of the type ${issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.join(', ')}`;
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}`;
    default:
      return undefined;
  }
}

function refused(reason: string): ParsedLine {
  return { kind: 'refused', reason };
}
