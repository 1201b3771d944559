/** Asks a database whether it is ready, at most once a second, however many want to know. */
import { AppError } from '../errors.ts';
import type { Logger } from '../log/logger.ts';

const freshMs = 1_000;

/**
 * @param check rejects while the database does not answer, takes no writes, or lacks a table
 * @returns what is wrong, in a line, or undefined; never rejects; a change is logged once
 */
export function createReadiness(check: () => Promise<void>, log: Logger): () => Promise<string | undefined> {
  let known: string | undefined;
  return onceASecond(async () => {
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
  });
}

/** @returns a function that asks anew once the latest answer is a second old, and meanwhile gives that one to everybody */
export function onceASecond<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let latest: { readonly answer: Promise<Answer>; freshUntil: number } | undefined;
  return () => {
    if (latest !== undefined && performance.now() < latest.freshUntil) return latest.answer;
    const entry = { answer: ask(), freshUntil: Number.POSITIVE_INFINITY };
    const markFresh = () => {
      entry.freshUntil = performance.now() + freshMs;
    };
    entry.answer.then(markFresh, markFresh);
    latest = entry;
    return entry.answer;
  };
}
