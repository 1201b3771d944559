/** Imports and exports for tests: in this process on an open store, and as the scripts that people run. */
import { onTestFinished } from 'vitest';
import { openRecords } from '../../../src/query-service/records/open.ts';
import type { TypedRecord } from '../../../src/query-service/records/record.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { exportLines, printLine } from '../../../src/query-service/transfer/export.ts';
import {
  fromStart,
  type ImportDeps,
  type ImportFigures,
  importRecords,
} from '../../../src/query-service/transfer/import.ts';
import type { RefusedLine } from '../../../src/query-service/transfer/refused-lines.ts';
import { type Program, startProgram } from '../programs/program.ts';
import { executionRecord, failureRecord, harbor, serviceNow, workflowRecord } from './service-records.ts';

/** Closed when the test ends. */
export async function openTestRecords(url: string): Promise<RecordStore> {
  const store = await openRecords(url);
  onTestFinished(() => store.close());
  return store;
}

/** @returns an export of all records */
export async function exportOf(store: RecordStore, organizationId: string | null = null): Promise<string> {
  let text = '';
  for await (const lines of exportLines(store, organizationId)) text += lines;
  return text;
}

export type Imported = ImportFigures & { readonly refusedLines: readonly RefusedLine[] };

/** @param input lines with their line breaks, or pieces */
export async function importInto(
  store: RecordStore,
  input: string | readonly Buffer[],
  options: Pick<ImportDeps, 'sizes'> = {},
): Promise<Imported> {
  const refusedLines: RefusedLine[] = [];
  const deps: ImportDeps = {
    store,
    input: pieces(typeof input === 'string' ? [Buffer.from(input)] : input),
    refusedLines: { add: (lines) => refusedLines.push(...lines), close: () => {} },
    clock: () => serviceNow,
    onProgress: () => {},
    ...options,
  };
  return { ...(await importRecords(deps, fromStart(null))), refusedLines };
}

export async function* pieces(buffers: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* buffers;
}

/** Harbor with two workflows and `executions` executions, every tenth of which failed and has logs and events. */
export function harborLines(executions: number): string {
  const records: TypedRecord[] = [
    { type: 'organization', record: harbor.organization },
    { type: 'account', record: harbor.account },
    { type: 'workflow', record: workflowRecord(1) },
    { type: 'workflow', record: workflowRecord(2) },
  ];
  const lines = Array.from({ length: executions }, (_, number) =>
    printLine({ type: 'execution', record: (number % 10 === 0 ? failureRecord : executionRecord)(number) }),
  );
  return records.map(printLine).join('') + lines.join('');
}

/** `import`, `export` or `key`, as a process. */
export function startServiceScript(name: string, ...args: readonly string[]): Program {
  return startProgram({ entry: `src/bin/service-${name}.ts`, args });
}
