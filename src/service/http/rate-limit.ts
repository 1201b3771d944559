/** How much one key may ask: a bucket of tokens for each, in this process's memory. Every replica counts for itself. */

export type RateLimit = {
  /** Tokens that a key gets back each second. */
  readonly perSecond: number;
  /** Tokens that it may have at most, and begins with. */
  readonly burst: number;
};

/** @returns 0 where the key may ask, else the whole seconds after which it may */
export type TakeToken = (keyId: string) => number;

/** Buckets beyond this many are forgotten, those asked for longest ago first: a forgotten one is full again. */
const bucketsMax = 10_000;

/** @param clock milliseconds that only ever grow: a wall clock may stand still, or go back */
export function createRateLimit({ perSecond, burst }: RateLimit, clock: () => number) {
  const tokenMs = 1000 / perSecond;
  /** For each key the moment at which its bucket is full again, which is all there is to a bucket. */
  const fullAt = new Map<string, number>();
  const spend = (keyId: string, tokens: number) => {
    const full = Math.max(fullAt.get(keyId) ?? 0, clock()) + tokens * tokenMs;
    // Put back as the newest, so that what is forgotten is what was asked for longest ago.
    fullAt.delete(keyId);
    fullAt.set(keyId, full);
    const [oldest] = fullAt.keys();
    if (fullAt.size > bucketsMax && oldest !== undefined) fullAt.delete(oldest);
  };
  const take: TakeToken = (keyId) => {
    const emptyForMs = (fullAt.get(keyId) ?? 0) - clock() - (burst - 1) * tokenMs;
    if (emptyForMs > 0) return Math.ceil(emptyForMs / 1000);
    spend(keyId, 1);
    return 0;
  };
  return { take, spend, size: () => fullAt.size };
}
