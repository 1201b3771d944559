/** `npm run service:import -- <file|->`: writes records into the service's database. The service may keep running. */
import './harden-process.ts';
import { createReadStream, realpathSync, statSync } from 'node:fs';
import type { ImportRecords } from '../query-service/records/import-progress.ts';
import { fromStart, type ImportFigures, importRecords, resumeOrStart } from '../query-service/transfer/import.ts';
import { createProgress } from '../query-service/transfer/progress.ts';
import { openRefusedLines } from '../query-service/transfer/refused-lines.ts';
import { AppError } from '../shared/errors.ts';
import { runServiceScript } from './service-script.ts';

const usage =
  'npm run service:import -- <file|-> [--database <url>] [--refused <file>] [--from-start] (docs/data.md has the form of the lines)';

/** Exit code if some records were refused; all others are written. */
const refusedExitCode = 3;
const chunkBytes = 1024 * 1024;

await runServiceScript({
  usage,
  flags: { refused: { type: 'string' }, 'from-start': { type: 'boolean' } },
  makesDatabase: true,
  async run({ store, flags, words: [name, ...others], refuse }) {
    if (name === undefined || others.length > 0) return refuse('One file is needed, or - for standard input.');
    const isStream = name === '-' || !isRegular(name);
    const { begin, totalBytes, input } = isStream
      ? streamInput(name)
      : await fileInput(name, store.imports, flags['from-start'] ?? false);
    if (begin.lines > 0) {
      console.error(
        `Continues after line ${begin.lines.toLocaleString('en')}, where the last import stopped; --from-start starts over.`,
      );
    }
    const refusedPath = flags.refused ?? (isStream ? 'import.refused' : `${name}.refused`);
    const refusedLines = openRefusedLines(refusedPath, begin.refusedBytes);
    const before = { bytes: begin.bytes, lines: begin.lines };
    const write = (text: string) => void process.stderr.write(text);
    const isTerminal = process.stderr.isTTY;
    const progress = createProgress({ write, isTerminal, totalBytes, before, clock: Date.now });
    const deps = { store, input, refusedLines, clock: Date.now, onProgress: progress.show };
    const figures = await importRecords(deps, begin)
      .finally(() => {
        progress.end();
        refusedLines.close();
      })
      .catch(stop);
    report(figures, before.lines, refusedPath);
  },
});

/** @returns true for a regular file @throws AppError if the file is missing or is a folder */
function isRegular(name: string): boolean {
  try {
    const stats = statSync(name);
    if (!stats.isDirectory()) return stats.isFile();
  } catch (cause) {
    throw unreadable(name, cause);
  }
  throw unreadable(name);
}

function unreadable(name: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The file ${name} cannot be read.`, { cause });
}

/** Standard input or a named pipe: it cannot be read again, so the import cannot be resumed. */
function streamInput(name: string) {
  const input = name === '-' ? process.stdin : createReadStream(name, { highWaterMark: chunkBytes });
  return { begin: fromStart(null), totalBytes: null, input };
}

async function fileInput(name: string, imports: ImportRecords, isFromStart: boolean) {
  const path = realpathSync(name);
  const begin = isFromStart ? fromStart(path) : await resumeOrStart(imports, path);
  const input = createReadStream(path, { start: begin.bytes, highWaterMark: chunkBytes });
  return { begin, totalBytes: statSync(path).size, input };
}

/** Explains errors of files and databases; rethrows bugs of this program. */
function stop(error: unknown): never {
  if (!(error instanceof Error && 'code' in error)) throw error;
  const reason = error.message.replace(/\.?$/, '.');
  const hint = 'Run the same import again to continue where it stopped.';
  throw new AppError('unavailable', `The import has stopped: ${reason}`, { cause: error, hint });
}

function report({ lines, refused, written }: ImportFigures, before: number, refusedPath: string): void {
  const shown = (value: number, one: string) => `${value.toLocaleString('en')} ${one}${value === 1 ? '' : 's'}`;
  const records = Object.entries(written).map(([type, count]) => shown(count, type));
  const left = before === 0 ? '' : `, ${before.toLocaleString('en')} of them before`;
  console.log(`${shown(lines, 'line')} read${left}. Written: ${records.join(', ')}.`);
  if (refused === 0) return;
  console.error(`${shown(refused, 'line')} refused: ${refusedPath} says which, and why. Correct and import them.`);
  process.exitCode = refusedExitCode;
}
