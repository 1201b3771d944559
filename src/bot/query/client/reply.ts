/** Untrusted reply to one document: its parts and its errors. */
import type { QueryError } from './graphql-errors.ts';

export type Reply<Data> = {
  /** @returns the value of one root field, by its name or alias in the document; undefined where it is missing or null */
  readonly part: (name: Extract<keyof Data, string>) => Readonly<Record<string, unknown>> | undefined;
  /** Whether an error came that is about this part, or about none in particular. */
  readonly hasFailed: (name: Extract<keyof Data, string>) => boolean;
  /** The errors that came beside the data. */
  readonly errors: readonly QueryError[];
};

/** @returns undefined for what is no object */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
