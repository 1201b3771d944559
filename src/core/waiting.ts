/** Waiting for work: not for ever, and not for the same work twice. */

/** @param ms so long at the most @returns when the work is done, or will be without anybody waiting @throws what it throws until then */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** @returns begins the work, once: whoever asks again waits for the end of the first time */
export function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}
