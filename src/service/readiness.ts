/** Whether the service can answer: asked of the database at most once a second, whoever and how many want to know. */
import type { Logger } from '../core/log.ts';

const freshMs = 1_000;

/** @param check rejects while the database does not answer, or lacks a table @returns never rejects; a change is logged once */
export function createReadiness(check: () => Promise<void>, log: Logger): () => Promise<boolean> {
  let asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;
  let wasReady = true;
  const ask = async () => {
    const fault = await check().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (fault && wasReady) log.error({ err: fault.error }, 'not ready: the database does not answer as it should');
    if (!fault && !wasReady) log.info({}, 'ready again');
    wasReady = fault === null;
    return wasReady;
  };
  return () => {
    if (asked === undefined || performance.now() - asked.at >= freshMs)
      asked = { at: performance.now(), answer: ask() };
    return asked.answer;
  };
}
