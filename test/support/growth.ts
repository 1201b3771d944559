/** How time grows with the length of a text: a ratio of two measurements, so that a slow machine changes nothing. */

/** Short enough that work which squares with them ends. */
const [shortUnits, longUnits] = [10_000, 100_000];
/** Ten times the text; what squares takes a hundred times as long, and the rest is for what a processor does besides. */
const ratioMax = 40;
/** Below it the long text is read at once, whatever the ratio. */
const floorMs = 30;
const attempts = 6;

export type Growth = { readonly isLinear: boolean; readonly shortMs: number; readonly longMs: number };

/** @param work reads a text @param unit repeated until the text is long enough */
export function growthOf(work: (text: string) => unknown, unit: string): Growth {
  const [short, long] = [shortUnits, longUnits].map((units) => unit.repeat(Math.ceil(units / unit.length)));
  let shortMs = timeOf(work, short ?? '');
  let longMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    longMs = Math.min(longMs, timeOf(work, long ?? ''));
    const isLinear = longMs < floorMs || longMs <= ratioMax * shortMs;
    // The short text was slow once: then the ratio is too good, and it is measured again.
    const isPlain = isLinear ? attempt > 0 || longMs < floorMs : longMs > 1000 && longMs > 3 * ratioMax * shortMs;
    if (isPlain) return { isLinear, shortMs, longMs };
    shortMs = Math.min(shortMs, timeOf(work, short ?? ''));
  }
  return { isLinear: longMs <= ratioMax * shortMs, shortMs, longMs };
}

function timeOf(work: (text: string) => unknown, text: string): number {
  const startedAt = performance.now();
  work(text);
  return performance.now() - startedAt;
}

/** @returns the first unit on which the work grows faster than the text, with both times; none where there is no such unit */
export function superlinear(work: (text: string) => unknown, units: readonly string[]): readonly string[] {
  for (const unit of units) {
    const { isLinear, shortMs, longMs } = growthOf(work, unit);
    if (!isLinear)
      return [`${JSON.stringify(unit.slice(0, 60))}: ${shortMs.toFixed(1)} ms, then ${longMs.toFixed(1)} ms`];
  }
  return [];
}
