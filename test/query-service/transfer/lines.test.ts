/** Lines of an import: valid ones, and every reason to refuse one. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { TypedRecord } from '../../../src/query-service/records/record.ts';
import { printLine } from '../../../src/query-service/transfer/export.ts';
import { parseLine } from '../../../src/query-service/transfer/schemas.ts';
import {
  deploymentRecord,
  executionRecord,
  failureRecord,
  harbor,
  workflowRecord,
} from '../../support/service/service-records.ts';

const records: readonly TypedRecord[] = [
  { type: 'organization', record: harbor.organization },
  { type: 'account', record: harbor.account },
  { type: 'workflow', record: workflowRecord(1, { name: 'two\nlines \u2028 "quoted" 🛳 \\u0000' }) },
  { type: 'deployment', record: deploymentRecord(1, { txHash: null }) },
  { type: 'execution', record: failureRecord(1) },
  { type: 'execution', record: executionRecord(2, { creditMicros: -1, executedInTee: null, logs: [], events: [] }) },
];

test.each(records)('a line of the type $type is read as the record it was written from', (typed) => {
  const line = printLine(typed);
  expect(line.trimEnd().split(/[\n\r\u2028\u2029]/)).toHaveLength(1);
  expect(parseLine(Buffer.from(line))).toEqual({ kind: 'record', typed });
});

function execution(change: object): string {
  const { type, ...fields } = JSON.parse(printLine({ type: 'execution', record: executionRecord(1) }));
  return JSON.stringify({ type, ...fields, ...change });
}

test('nullable fields may be missing, and hexadecimal ids may be in any case', () => {
  const nulls = {
    finishedAt: null,
    classifiedStatus: null,
    detailedStatus: null,
    creditUsed: null,
    executedInTee: null,
  };
  const left = { ...nulls, errors: undefined, logs: undefined, events: undefined };
  const line = execution({ ...left, id: 'F'.repeat(64), startedAt: '2026-11-20T11:59:00+01:00' });
  const read = parseLine(Buffer.from(line.replaceAll(/"[a-zA-Z]+":null,?/g, '').replace(/,}$/, '}')));
  const record = { ...executionRecord(1), finishedAt: null, classifiedStatus: null, detailedStatus: null };
  const startedAt = Date.parse('2026-11-20T10:59:00Z');
  const expected = { ...record, creditMicros: null, executedInTee: null, id: 'f'.repeat(64), startedAt };
  expect(read).toEqual({ kind: 'record', typed: { type: 'execution', record: expected } });
});

test.each(['', ' ', '\r', '\ufeff'])('an empty line (%j) is skipped', (line) => {
  expect(parseLine(Buffer.from(line))).toEqual({ kind: 'empty' });
});

const types = 'organization, account, workflow, deployment, execution';
const time = 'must be an ISO 8601 instant with a zone, such as 2026-11-20T10:00:00Z';
const decimal = 'must be a decimal such as "0.05" with at most nine places before the point and six after it';
const plain = 'must hold neither NUL nor half of a surrogate pair';
const errors = (error: string, count: unknown) => ({ errors: [{ error, count }] });

const refusals: readonly (readonly [line: string, reason: string])[] = [
  ['{"type":"execution"', 'it is no JSON object'],
  ['[]', 'it is no JSON object'],
  ['{}', `type must be one of ${types}`],
  ['{"type":"toString"}', `type must be one of ${types}`],
  [execution({ workflowUuid: 'x' }), 'has fields that are not known: workflowUuid'],
  [execution({ '': 1 }).replace('"":', '"__proto__":'), 'has fields that are not known: __proto__'],
  [execution({ uuid: undefined }), 'uuid is missing'],
  [execution({ uuid: 'E'.repeat(36) }), 'uuid must be a uuid in lower case, with hyphens'],
  [execution({ id: `0x${'f'.repeat(64)}` }), 'id must be 64 hexadecimal characters, without 0x'],
  [
    execution({ status: 'success' }),
    'status must be one of UNKNOWN, UNSPECIFIED, TRIGGERED, IN_PROGRESS, SUCCESS, FAILURE',
  ],
  [execution({ startedAt: '2024-02-30T00:00:00Z' }), `startedAt ${time}`],
  [execution({ startedAt: '2024-13-01T00:00:00Z' }), `startedAt ${time}`],
  [execution({ startedAt: 1_700_000_000_000 }), 'startedAt must be of the type string'],
  [execution({ finishedAt: 'tomorrow' }), `finishedAt ${time}`],
  [execution({ creditUsed: 0.05 }), 'creditUsed must be of the type string'],
  [execution({ creditUsed: '0.0000001' }), `creditUsed ${decimal}`],
  [execution({ creditUsed: '1e3' }), `creditUsed ${decimal}`],
  [execution({ executedInTee: 1 }), 'executedInTee must be of the type boolean'],
  [execution(errors('a\0b', 1)), `errors.0.error ${plain}`],
  [execution(errors('\ud800', 1)), `errors.0.error ${plain}`],
  [execution(errors('x', 1.5)), 'errors.0.count must be a whole number from 0'],
  [execution(errors('x', 2 ** 31)), 'errors.0.count must be a whole number from 0'],
  [execution({ logs: [{ nodeID: 'n', message: 'm' }] }), 'logs.0.timestamp is missing'],
  [execution({ events: {} }), 'events must be of the type array'],
  [execution({ organizationId: 'two words' }), 'organizationId must be one word of printable ASCII characters'],
  [execution({ organizationId: 'x'.repeat(201) }), 'organizationId must be at most 200 characters long'],
  [execution({ startedAt: 1, status: 2 }).replace('}', ',"x":1}'), 'status must be one of'],
];

test.each(refusals)('%j is refused: %s', (line, reason) => {
  expect(parseLine(Buffer.from(line))).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) });
});

test('bytes that are not UTF-8 are refused', () => {
  const broken = Buffer.from(execution({ ...errors('\u00e9', 1) }), 'latin1');
  expect(parseLine(broken)).toEqual({ kind: 'refused', reason: 'it is not UTF-8' });
});

test('a line with a thousand errors gets a short reason', () => {
  const parsed = parseLine(Buffer.from(execution({ logs: Array.from({ length: 1000 }, () => ({})) })));
  expect(parsed.kind === 'refused' && parsed.reason.length).toBe(500);
});

test('the example in the documentation is read line by line', () => {
  const page = readFileSync(new URL('../../../docs/data.md', import.meta.url), 'utf8');
  const lines = page.match(/^\{"type".*$/gm) ?? [];
  const kinds = lines.map((line) => parseLine(Buffer.from(line)));
  expect(kinds.map((read) => read.kind === 'record' && read.typed.type)).toEqual(types.split(', '));
});
