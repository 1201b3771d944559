/** A bucket of tokens for each key, in this process's memory: requests, or milliseconds of the database's time. */

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
  /** @returns 0 where the key has so many tokens, else the whole seconds after which it does; negative tokens are debt */
  const secondsUntil = (keyId: string, tokens: number) => {
    const missingMs = (fullAt.get(keyId) ?? 0) - clock() - (burst - tokens) * tokenMs;
    return missingMs > 0 ? Math.ceil(missingMs / 1000) : 0;
  };
  const take: TakeToken = (keyId) => {
    const seconds = secondsUntil(keyId, 1);
    if (seconds === 0) spend(keyId, 1);
    return seconds;
  };
  return { take, spend, secondsUntil, size: () => fullAt.size };
}
