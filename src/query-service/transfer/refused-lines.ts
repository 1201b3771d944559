/** The side file of an import: the number of each refused line and the reason. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { AppError } from '../../shared/errors.ts';

export type RefusedLine = { readonly number: number; readonly reason: string };

export type RefusedLines = {
  /** @returns the length of the file afterwards, in bytes */
  add(lines: readonly RefusedLine[]): number;
  close(): void;
};

/**
 * Creates no file if no line is refused.
 * @param reportedBytes length that an interrupted import has saved; the rest is cut; 0 starts a new file
 */
export function openRefusedLines(path: string, reportedBytes: number): RefusedLines {
  let file: number | undefined;
  let size = 0;
  const open = () => {
    file = openSync(path, 'a', 0o600);
    size = Math.min(reportedBytes, fstatSync(file).size);
    ftruncateSync(file, size);
    return file;
  };
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (cause) {
      const hint = 'Choose another with --refused.';
      throw new AppError('unavailable', `Refused lines cannot be written to ${path}.`, { cause, hint });
    }
  };
  guarded(() => (reportedBytes > 0 ? open() : rmSync(path, { force: true })));
  return {
    add(lines) {
      if (lines.length === 0) return size;
      const text = lines.map(({ number, reason }) => `${JSON.stringify({ line: number, reason })}\n`).join('');
      return guarded(() => {
        size += writeSync(file ?? open(), text);
        return size;
      });
    },
    close() {
      if (file === undefined) return;
      fsyncSync(file);
      closeSync(file);
    },
  };
}
