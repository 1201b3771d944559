/** Reads the SQLSTATE of an error of PostgreSQL. */
import { DatabaseError } from 'pg';
import { AppError } from '../errors.ts';

/** @param error as a statement throws it @returns undefined for an error that the server did not send */
export function sqlStateOf(error: unknown): string | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof DatabaseError ? cause.code : undefined;
}
