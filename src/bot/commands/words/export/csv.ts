/** Executions as CSV (RFC 4180), safe to open in a program that calculates. */
import type { ExportRow } from './row.ts';

const columns = [
  'workflow',
  'execution_uuid',
  'execution_id',
  'status',
  'classified_status',
  'started_at',
  'finished_at',
  'duration_ms',
  'error',
  'error_nodes',
  'other_errors',
] as const;

/** What a spreadsheet takes for a formula, full-width forms included: https://owasp.org/www-community/attacks/CSV_Injection */
const formulaStart = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

export const csvHead = line(columns);

export function csvRow(row: ExportRow): string {
  const [first, ...others] = row.errors;
  return line([
    row.workflow,
    row.executionUuid,
    row.executionId,
    row.status,
    row.classifiedStatus,
    row.startedAt,
    row.finishedAt,
    row.durationMs,
    first?.error,
    first?.nodes,
    others.length + row.errorsLeftOut,
  ]);
}

type Value = string | number | null | undefined;

function line(values: readonly Value[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = formulaStart.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
