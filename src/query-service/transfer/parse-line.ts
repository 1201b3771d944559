/** Parses a line of an import into a record, or returns the reason why it is refused. */
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { isRecord, parseJson } from '../../shared/json.ts';
import type { TypedRecord } from '../records/record.ts';
import { schemas } from './schemas.ts';

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
