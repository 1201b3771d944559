/** Reads the environment and `.env`, and ends a program that cannot continue. */
import { statSync } from 'node:fs';
import { AppError } from '../shared/errors.ts';

/**
 * Warns if other users of the machine can read `.env`, which contains secrets.
 * @returns the environment; the file `.env` adds variables that are not set
 * @throws AppError `unavailable` if the file cannot be read
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile('.env');
    if ((statSync('.env').mode & 0o077) !== 0 && process.platform !== 'win32') {
      warn('Other users of the machine can read the secrets in .env: chmod 600 .env');
    }
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const hint = 'Is it a folder, or another user’s file?';
    if (!isMissing) throw new AppError('unavailable', 'The file .env cannot be read.', { cause, hint });
  }
  return process.env;
}

/** Prints a warning to standard error. */
export function warn(sentence: string): void {
  console.error(`Warning: ${sentence}.`);
}

/** Ends the program with exit code 2 and every problem at once. */
export function refuseSettings(problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(2);
}

/** @returns the only argument, a file, or the usual one. Ends the program with exit code 2 without either, for more, and for an option */
export function fileArgument(usage: string, usual?: string): string {
  const [file = usual, ...rest] = process.argv.slice(2);
  if (file === undefined || file.startsWith('-') || rest.length > 0) return refuseSettings([`Usage: ${usage}`]);
  return file;
}

/** Ends the program with exit code 1; an AppError is shown as one sentence. */
export function fail(error: unknown): never {
  console.error(error instanceof AppError ? [error.publicMessage, error.hint ?? ''].join(' ').trim() : error);
  process.exit(1);
}
