/** The environment that settings are read from, and how a program ends that cannot go on. */
import { AppError } from '../core/errors.ts';

/** @returns what the environment says, and below it the file `.env` where there is one @throws AppError `unavailable` */
export function readEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile('.env');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const hint = 'Is it a folder, or somebody else’s?';
    if (!isMissing) throw new AppError('unavailable', 'The file .env cannot be read.', { cause, hint });
  }
  return process.env;
}

/** Ends the program with exit code 2 and every problem at once. */
export function refuseSettings(problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(2);
}

/** Ends the program with exit code 1 and one sentence, where there is one for people. */
export function fail(error: unknown): never {
  console.error(error instanceof AppError ? [error.publicMessage, error.hint ?? ''].join(' ').trim() : error);
  process.exit(1);
}
