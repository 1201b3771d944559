/** Pages of executions into the bytes of one file: never more in memory than the file's largest size and two pages. */
import { AppError } from '../../core/errors.ts';
import { maskedCount } from '../../core/redact.ts';
import type { ExecutionFieldsFragment } from '../../generated/operations.ts';
import { csvHead, csvRow } from './csv.ts';
import { jsonHead, jsonRow, jsonTail } from './json.ts';
import { exportRow } from './row.ts';

export const exportFormats = ['csv', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Where a file ends before its window does, and why. */
export type ExportEnd = {
  readonly reason: 'size' | 'service';
  /** Start of the oldest row in it, epoch milliseconds. */
  readonly oldest: number;
};

export type ExportFile = {
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  readonly byteCount: number;
  readonly rowCount: number;
  /** Rows the service gave that could not be read. */
  readonly unreadable: number;
  readonly maskedCount: number;
  /** Null where every row of the window is in it. */
  readonly end: ExportEnd | null;
};

type Page = { readonly executions: readonly ExecutionFieldsFragment[]; readonly unreadable: number };

type ExportQuestion = {
  /** Newest first, every execution once. */
  readonly pages: AsyncIterable<Page>;
  readonly format: ExportFormat;
  /** Clean and masked already. */
  readonly workflow: string;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly bytesMax: number;
};

const encoder = new TextEncoder();

/** @throws AppError where not one page could be had, or the key is refused */
export async function collectExport({ pages, format, bytesMax, ...facts }: ExportQuestion): Promise<ExportFile> {
  const chunks = [encoder.encode(format === 'csv' ? csvHead : jsonHead(facts))];
  let byteCount = chunks[0]?.length ?? 0;
  let [rowCount, unreadable, masked] = [0, 0, 0];
  let oldest = facts.to;
  let reason: ExportEnd['reason'] | null = null;
  try {
    for await (const page of pages) {
      const texts = page.executions.map((execution, index) => {
        const row = exportRow(execution);
        return format === 'csv' ? csvRow(row) : jsonRow(row, rowCount + index);
      });
      const text = texts.join('');
      const chunk = encoder.encode(text);
      chunks.push(chunk);
      byteCount += chunk.length;
      rowCount += texts.length;
      unreadable += page.unreadable;
      masked += maskedCount(text);
      oldest = page.executions.reduce((least, { startedAt }) => Math.min(least, Date.parse(startedAt)), oldest);
      if (byteCount < bytesMax) continue;
      reason = 'size';
      break;
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'unauthorized' || rowCount === 0) throw error;
    reason = 'service';
  }
  const end = reason === null ? null : { reason, oldest };
  const tail = encoder.encode(
    format === 'csv' ? '' : jsonTail({ rowCount, isWhole: end === null && unreadable === 0 }),
  );
  return {
    chunks: [...chunks, tail],
    byteCount: byteCount + tail.length,
    rowCount,
    unreadable,
    maskedCount: masked,
    end,
  };
}
