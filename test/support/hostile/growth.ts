/** Growth of processor time with the length of a text, as a ratio of two measurements, which does not depend on the machine's load. */

/** Short enough for quadratic work to end. */
const [shortUnits, longUnits] = [10_000, 100_000];
/** For ten times the text; quadratic work takes a hundred times as long, and the rest is tolerance. */
const ratioMax = 40;
/** A long text that takes less is linear, whatever the ratio. */
const floorMs = 30;
/** Only work in doubt is measured so often: on a busy machine its least time is that of a quiet moment. */
const attempts = 30;

type Growth = { readonly isLinear: boolean; readonly shortMs: number; readonly longMs: number };

/** @param work reads a text @param unit repeated until the text is long enough */
function growthOf(work: (text: string) => unknown, unit: string): Growth {
  const [short, long] = [shortUnits, longUnits].map((units) => unit.repeat(Math.ceil(units / unit.length)));
  let shortMs = Number.POSITIVE_INFINITY;
  let longMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    longMs = Math.min(
      longMs,
      timeOf(() => work(long ?? '')),
    );
    if (longMs < floorMs) return { isLinear: true, shortMs, longMs };
    // The same number of characters in total: a single short text takes less than the clock's resolution.
    shortMs = Math.min(shortMs, timeOf(() => repeatedly(() => work(short ?? ''))) / (longUnits / shortUnits));
    const isPlain = longMs <= (ratioMax / 2) * shortMs || (longMs > 1000 && longMs > 3 * ratioMax * shortMs);
    if (isPlain) break;
  }
  return { isLinear: longMs <= ratioMax * shortMs, shortMs, longMs };
}

function repeatedly(work: () => unknown): void {
  for (let time = 0; time < longUnits / shortUnits; time += 1) work();
}

function timeOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** @returns the first unit on which the work grows faster than the text, with both times; empty if there is none */
export function superlinear(work: (text: string) => unknown, units: readonly string[]): readonly string[] {
  for (const unit of units) {
    const { isLinear, shortMs, longMs } = growthOf(work, unit);
    if (!isLinear)
      return [`${JSON.stringify(unit.slice(0, 60))}: ${shortMs.toFixed(1)} ms, then ${longMs.toFixed(1)} ms`];
  }
  return [];
}
