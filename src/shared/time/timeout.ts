/** Timeouts, waits that an abort ends, and functions that run once. */

/** @param ms the longest wait; the work continues after it @throws the error of the work until then */
export async function waitUpTo(ms: number, work: Promise<unknown>): Promise<void> {
  await race(ms, work, (late) => late.resolve(undefined));
}

/** @param ms the longest wait; the work continues after it @param late makes the value after that @throws the error of the work until then */
export function valueWithin<Value, Late = Value>(
  ms: number,
  work: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  return race<Value | Late>(ms, work, ({ resolve }) => resolve(late()));
}

/**
 * @param ms the longest wait
 * @param tooLate message of the timeout
 * @throws Error with `tooLate`, or the error of the work until then
 */
export function withTimeout<Done>(ms: number, work: Promise<Done>, tooLate: string): Promise<Done> {
  return race(ms, work, (late) => late.reject(new Error(tooLate)));
}

async function race<Done>(
  ms: number,
  work: Promise<Done>,
  end: (late: PromiseWithResolvers<Done>) => void,
): Promise<Done> {
  const late = Promise.withResolvers<Done>();
  const timer = setTimeout(end, ms, late);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The work continues after an abort. @throws the reason of the signal, or the error of the work until then */
export async function unlessAborted<Done>(signal: AbortSignal | null | undefined, work: Promise<Done>): Promise<Done> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** @returns a function that starts the work at its first call; every call waits for that work */
export function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}
