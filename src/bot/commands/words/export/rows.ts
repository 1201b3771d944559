/** Rows of an export, as CSV (RFC 4180, safe to open in a spreadsheet) and as JSON. External texts are cleaned and masked. */
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { outsideError } from '../../../views/format/outside-text.ts';

/** Read by programs: null means unknown. */
export type ExportRow = {
  readonly workflow: string;
  readonly executionUuid: string;
  readonly executionId: string;
  /** As the service spells them. */
  readonly status: string;
  readonly classifiedStatus: string | null;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  /** The one most nodes reported first. */
  readonly errors: readonly { readonly error: string; readonly nodes: number }[];
  /** How many more errors there are. */
  readonly errorsLeftOut: number;
};

const valueUnitsMax = 400;
const errorUnitsMax = 4000;
const errorsMax = 20;

export function exportRow(execution: ExecutionFieldsFragment): ExportRow {
  const { workflowName, uuid, id, status, classifiedStatus, startedAt, finishedAt } = execution;
  const errors = execution.errors ?? [];
  const durationMs = finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);
  return {
    workflow: readable(workflowName),
    executionUuid: readable(uuid),
    executionId: readable(id),
    status: readable(status),
    classifiedStatus: classifiedStatus === null ? null : readable(classifiedStatus),
    startedAt: isoText(startedAt),
    finishedAt: finishedAt === null ? null : isoText(finishedAt),
    durationMs: durationMs !== null && durationMs >= 0 ? durationMs : null,
    errors: errors
      .slice(0, errorsMax)
      .map(({ error, count }) => ({ error: readable(error, errorUnitsMax), nodes: count })),
    errorsLeftOut: Math.max(0, errors.length - errorsMax),
  };
}

/** Keeps an empty text empty, unlike the views. */
function readable(text: string, max = valueUnitsMax): string {
  return text === '' ? '' : outsideError(text, max);
}

/** @param text a time that could be read */
function isoText(text: string): string {
  return new Date(Date.parse(text)).toISOString();
}

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

/** Characters that start a spreadsheet formula, including full-width forms: https://owasp.org/www-community/attacks/CSV_Injection */
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
