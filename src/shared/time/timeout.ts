/** Timeouts, and work that runs once. */

/** @param ms the longest wait; the work goes on after it @throws what the work throws until then */
export async function waitUpTo(ms: number, work: Promise<unknown>): Promise<void> {
  await race(ms, work, (late) => late.resolve(undefined));
}

/** @param ms so long at the most @param tooLate what is said after that @throws Error that says so; what the work throws until then */
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

/** @returns a function that begins the work at its first call; every call waits for that work */
export function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}

/** @returns the same, which does something the first time alone */
export function onlyOnce(run: () => void): () => void {
  let hasRun = false;
  return () => {
    if (hasRun) return;
    hasRun = true;
    run();
  };
}
