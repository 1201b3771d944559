/** Recent positions in the log of the primary, from which the lag of a standby is known without comparing clocks. */

export type Positions = {
  /** @param position of the primary, now */
  readonly add: (position: number) => void;
  /** @param replayed position of a standby @returns age of the oldest known position that it has not replayed; 0 if there is none */
  readonly lagMsOf: (replayed: number) => number;
};

type Sample = { readonly at: number; readonly position: number };

/** A position is kept if the one before it is older. Together they cover the lags that are distinguished. */
const everyMs = 100;
const samplesMax = 1_000;

/** @param clock monotonic milliseconds */
export function createPositions(clock: () => number): Positions {
  let samples: Sample[] = [];
  return {
    add(position) {
      const last = samples.at(-1);
      // Another server has become the primary, and its log is shorter.
      if (last && position < last.position) samples = [];
      else if (last && (position === last.position || clock() - last.at < everyMs)) return;
      samples.push({ at: clock(), position });
      if (samples.length > samplesMax) samples.shift();
    },
    lagMsOf(replayed) {
      const missing = samples.find(({ position }) => position > replayed);
      return missing ? clock() - missing.at : 0;
    },
  };
}
