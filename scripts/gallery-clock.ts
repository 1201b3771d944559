/** The gallery's clock, as a preload of its programs and a script of its pages: each run begins at the same instant. */
import { env } from 'node:process';

export type ReplacedClock = {
  /** Epoch milliseconds of the machine's clock when the replaced one shows `start`. */
  readonly from: number;
  readonly start: number;
  /** Seconds of the machine in one second of the replaced clock; 1 by default. */
  readonly slowness?: number;
};

/** A Tuesday morning. */
export const galleryStart = Date.UTC(2026, 10, 24, 9, 30);

/** Replaces the clock of this process or page. It refers to nothing outside of it, because it also runs in a browser. */
export function replaceClock({ from, start, slowness = 1 }: ReplacedClock): void {
  const MachineDate = Date;
  const now = () => Math.floor(start + (MachineDate.now() - from) / slowness);
  globalThis.Date = new Proxy(MachineDate, {
    construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** The environment of a program that starts others. @param clocks each replaces the one before */
export function clockEnvironment(...clocks: readonly ReplacedClock[]) {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, GALLERY_CLOCKS: JSON.stringify(clocks) };
}

const clocks: readonly ReplacedClock[] = JSON.parse(env['GALLERY_CLOCKS'] ?? '[]');
for (const clock of clocks) replaceClock(clock);
