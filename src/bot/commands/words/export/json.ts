/** Executions as one JSON document, made row by row. */
import type { ExportRow } from './row.ts';

/** Opens the document. @param facts what it is of */
export function jsonHead(facts: { readonly workflow: string; readonly from: number; readonly to: number }): string {
  const window = { from: new Date(facts.from).toISOString(), to: new Date(facts.to).toISOString() };
  return `{"workflow":${JSON.stringify(facts.workflow)},"window":${JSON.stringify(window)},"executions":[`;
}

export function jsonRow(row: ExportRow, index: number): string {
  return `${index === 0 ? '' : ','}\n${JSON.stringify(row)}`;
}

/** Closes the document. @param counts what is in it, and what is not */
export function jsonTail(counts: { readonly rowCount: number; readonly isWhole: boolean }): string {
  return `\n],"rowCount":${counts.rowCount},"isWhole":${counts.isWhole}}\n`;
}
