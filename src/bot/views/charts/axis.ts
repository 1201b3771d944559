/** Ticks of an axis at round steps. */

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const timeSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((step) => step * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((step) => step * minuteMs),
  ...[1, 2, 3, 6, 12].map((step) => step * hourMs),
];

export type Tick = { readonly value: number; readonly label: string };

/** @param totalMs above 0 @returns ticks from 0, at most `ticksMax` after it */
export function timeTicks(totalMs: number, ticksMax: number): readonly Tick[] {
  const stepMs = timeSteps.find((step) => totalMs / step <= ticksMax) ?? decimalStep(totalMs / dayMs, ticksMax) * dayMs;
  return ticksOf(totalMs, stepMs).map((value) => ({ value, label: timeLabel(value, stepMs, totalMs) }));
}

function timeLabel(ms: number, stepMs: number, totalMs: number): string {
  if (ms === 0) return '0';
  if (totalMs < secondMs) return `${ms} ms`;
  if (stepMs < minuteMs) return `${ms / secondMs} s`;
  if (stepMs < hourMs) return `${ms / minuteMs} min`;
  return stepMs < dayMs ? `${ms / hourMs} h` : `${ms / dayMs} d`;
}

/** 1, 2 or 5 times a power of ten, at least 1. */
function decimalStep(most: number, ticksMax: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(most / ticksMax)));
  return [1, 2, 5].map((step) => step * power).find((step) => most / step <= ticksMax) ?? 10 * power;
}

function ticksOf(end: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}
