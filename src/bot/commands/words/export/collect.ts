/** Collects pages of executions into one CSV or JSON file, with at most the file's maximum size and two pages in memory. */
import { AppError } from '../../../../shared/errors.ts';
import { maskedCount } from '../../../../shared/redaction/redact.ts';
import { mapCooperatively } from '../../../../shared/time/cooperative.ts';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { outsideError } from '../../../views/format/outside-text.ts';

export const exportFormats = ['csv', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Why a file ends before its window, and where. */
type ExportEnd = {
  readonly reason: 'size' | 'service';
  /** Start of the oldest row in it, epoch milliseconds. */
  readonly oldest: number;
};

/** Progress of an export. */
export type ExportSoFar = {
  readonly rowCount: number;
  /** Start of the oldest row so far, epoch milliseconds. */
  readonly oldest: number;
};

export type ExportFile = {
  readonly kind: 'file';
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  readonly byteCount: number;
  readonly rowCount: number;
  /** Rows that could not be read. */
  readonly unreadable: number;
  readonly maskedCount: number;
  /** Null if the file is complete. */
  readonly end: ExportEnd | null;
};

type CancelledExport = { readonly kind: 'cancelled'; readonly rowCount: number };

type Page = { readonly executions: readonly ExecutionFieldsFragment[]; readonly unreadable: number };

type ExportFacts = {
  readonly format: ExportFormat;
  /** Clean and masked already. */
  readonly workflow: string;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
};

type ExportRequest = ExportFacts & {
  /** Newest first, every execution once. */
  readonly pages: AsyncIterable<Page>;
  readonly bytesMax: number;
  /** Aborts the pages. */
  readonly signal: AbortSignal;
  /** Called after each page. */
  readonly onRows: (soFar: ExportSoFar) => void;
};

/** @throws AppError if no page could be read, or the key is refused */
export async function collectExport(request: ExportRequest): Promise<ExportFile | CancelledExport> {
  const { pages, bytesMax, signal, onRows, ...facts } = request;
  const file = createFile(facts);
  try {
    for await (const page of pages) {
      await file.add(page);
      onRows(file.soFar());
      if (file.byteCount() >= bytesMax) return file.finish('size');
    }
    return signal.aborted ? cancelled(file.soFar()) : file.finish(null);
  } catch (error) {
    if (signal.aborted) return cancelled(file.soFar());
    const isWorthless = !(error instanceof AppError) || error.code === 'unauthorized' || file.soFar().rowCount === 0;
    if (isWorthless) throw error;
    return file.finish('service');
  }
}

function cancelled({ rowCount }: ExportSoFar): CancelledExport {
  return { kind: 'cancelled', rowCount };
}

const encoder = new TextEncoder();

function createFile({ format, ...facts }: ExportFacts) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let [byteCount, rowCount, unreadable, masked, oldest] = [0, 0, 0, 0, facts.to];
  const write = (text: string) => {
    const chunk = encoder.encode(text);
    chunks.push(chunk);
    byteCount += chunk.length;
  };
  write(format === 'csv' ? csvHead : jsonHead(facts));
  return {
    add: async (page: Page) => {
      const before = rowCount;
      const texts = await mapCooperatively(page.executions, (execution, index) => {
        const row = exportRow(execution);
        const text = format === 'csv' ? csvRow(row) : `${before + index === 0 ? '' : ','}\n${JSON.stringify(row)}`;
        masked += maskedCount(text);
        return text;
      });
      write(texts.join(''));
      rowCount += texts.length;
      unreadable += page.unreadable;
      oldest = page.executions.reduce((least, { startedAt }) => Math.min(least, Date.parse(startedAt)), oldest);
    },
    soFar: (): ExportSoFar => ({ rowCount, oldest }),
    byteCount: () => byteCount,
    finish: (reason: ExportEnd['reason'] | null): ExportFile => {
      if (format === 'json') write(`\n],"rowCount":${rowCount},"isWhole":${reason === null && unreadable === 0}}\n`);
      const end = reason === null ? null : { reason, oldest };
      return { kind: 'file', chunks, byteCount, rowCount, unreadable, maskedCount: masked, end };
    },
  };
}

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

const csvHead = line(columns);

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
function jsonHead(facts: { readonly workflow: string; readonly from: number; readonly to: number }): string {
  const window = { from: new Date(facts.from).toISOString(), to: new Date(facts.to).toISOString() };
  return `{"workflow":${JSON.stringify(facts.workflow)},"window":${JSON.stringify(window)},"executions":[`;
}
