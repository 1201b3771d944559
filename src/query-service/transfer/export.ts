/** Exports the records as lines: what an import of them changes is nothing. */
import type { RecordStore } from '../records/port.ts';
import { printLine } from './print-line.ts';

/** @param organizationId null for every organization @returns the lines, some at a time */
export async function* exportLines(
  { dump }: Pick<RecordStore, 'dump'>,
  organizationId: string | null,
): AsyncGenerator<string> {
  for await (const batch of dump(organizationId)) yield batch.map(printLine).join('');
}
