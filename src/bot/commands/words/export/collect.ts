/** Collects pages of executions into one file, with at most the file's maximum size and two pages in memory. */
import { AppError } from '../../../../shared/errors.ts';
import { maskedCount } from '../../../../shared/redaction/redact.ts';
import { mapCooperatively } from '../../../../shared/time/cooperative.ts';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { csvHead, csvRow, exportRow, jsonHead, jsonRow, jsonTail } from './rows.ts';

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
        const text = format === 'csv' ? csvRow(row) : jsonRow(row, before + index);
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
      if (format === 'json') write(jsonTail({ rowCount, isWhole: reason === null && unreadable === 0 }));
      const end = reason === null ? null : { reason, oldest };
      return { kind: 'file', chunks, byteCount, rowCount, unreadable, maskedCount: masked, end };
    },
  };
}
