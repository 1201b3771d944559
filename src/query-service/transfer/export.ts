/** Exports records as lines of JSON. Importing an export again changes nothing. */

import type { EventRecord, LogRecord, TypedRecord } from '../records/record.ts';
import type { RecordStore } from '../records/store.ts';
import { storedEvent, storedLog } from '../records/tables/details.ts';
import { printCredits, printInstant } from '../scalar-text.ts';

/** @param organizationId null for every organization @returns the lines, some at a time */
export async function* exportLines(
  { dump }: Pick<RecordStore, 'dump'>,
  organizationId: string | null,
): AsyncGenerator<string> {
  for await (const batch of dump(organizationId)) yield batch.map(printLine).join('');
}

/** @returns the line with its line break */
export function printLine(typed: TypedRecord): string {
  // JSON does not escape these two characters, which some readers take for line breaks.
  const line = JSON.stringify({ type: typed.type, ...fieldsOf(typed) })
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  return `${line}\n`;
}

/** Fields whose names in the contract differ. */
const contractNames: Readonly<Record<string, string>> = {
  workflowUuid: 'workflowUUID',
  binaryUrl: 'binaryURL',
  configUrl: 'configURL',
  creditMicros: 'creditUsed',
};

const times: ReadonlySet<string> = new Set(
  'createdAt updatedAt invitedAt joinedAt registeredAt deployedAt startedAt finishedAt'.split(' '),
);

function fieldsOf({ type, record }: TypedRecord): object {
  const fields = Object.entries(record).map(([name, value]): readonly [string, unknown] => {
    if (name === 'workflowId' && type === 'deployment') return ['workflowID', value];
    return [contractNames[name] ?? name, value === null ? null : printed(name, value)];
  });
  return Object.fromEntries(fields);
}

function printed(name: string, value: unknown): unknown {
  if (times.has(name)) return printInstant(Number(value));
  if (name === 'creditMicros') return printCredits(Number(value));
  if (name === 'logs') return (value as readonly LogRecord[]).map(storedLog);
  return name === 'events' ? (value as readonly EventRecord[]).map(storedEvent) : value;
}
