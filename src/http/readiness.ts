/** Asks a database at most once a second whether it is ready, whoever and how many want to know. */
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';

const freshMs = 1_000;

/**
 * @param check rejects while the database does not answer, takes no writes, or lacks a table
 * @returns what is wrong, in a line, or undefined; never rejects; a change is logged once
 */
export function createReadiness(check: () => Promise<void>, log: Logger): () => Promise<string | undefined> {
  let asked: { readonly at: number; readonly answer: Promise<string | undefined> } | undefined;
  let known: string | undefined;
  const ask = async () => {
    const fault = await check().then(
      () => undefined,
      (error: unknown) => ({ error, problem: error instanceof AppError ? error.publicMessage : 'no answer' }),
    );
    if (fault && fault.problem !== known) {
      log.error({ err: fault.error, problem: fault.problem }, 'not ready: the database does not answer as it should');
    }
    if (!fault && known !== undefined) log.info({}, 'ready again');
    known = fault?.problem;
    return known;
  };
  return () => {
    if (asked === undefined || performance.now() - asked.at >= freshMs)
      asked = { at: performance.now(), answer: ask() };
    return asked.answer;
  };
}
