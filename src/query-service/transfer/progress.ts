/** Progress of an import: a bar on a terminal, a line every ten seconds elsewhere. */
import type { Clock } from '../../shared/time/clock.ts';
import type { ImportFigures } from './import.ts';

export type ProgressOptions = {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Length of the whole input; null if unknown. */
  readonly totalBytes: number | null;
  /** Figures of an earlier import. */
  readonly before: Pick<ImportFigures, 'bytes' | 'lines'>;
  readonly clock: Clock;
};

const redrawMs = 100;
const plainMs = 10_000;
const barWidth = 24;

/** Call `show` after every block; `end` clears the bar. */
export function createProgress(options: ProgressOptions) {
  const { write, isTerminal, clock } = options;
  const begun = clock();
  let shownAt = isTerminal ? 0 : begun;
  return {
    show(figures: ImportFigures): void {
      const now = clock();
      if (now - shownAt < (isTerminal ? redrawMs : plainMs)) return;
      shownAt = now;
      const text = progressText(figures, options, now - begun);
      write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`);
    },
    end(): void {
      if (isTerminal) write('\r\x1b[K');
    },
  };
}

/** @param elapsedMs since the start of this import */
function progressText(
  figures: ImportFigures,
  { totalBytes, before, isTerminal }: Pick<ProgressOptions, 'totalBytes' | 'before' | 'isTerminal'>,
  elapsedMs: number,
): string {
  const seconds = Math.max(elapsedMs, 1) / 1000;
  const facts = [`${number(figures.lines)} lines`, `${number((figures.lines - before.lines) / seconds)} lines/s`];
  if (figures.refused > 0) facts.push(`${number(figures.refused)} refused`);
  if (totalBytes === null || totalBytes === 0) return facts.join(' · ');
  const share = Math.min(1, figures.bytes / totalBytes);
  const bytesPerSecond = (figures.bytes - before.bytes) / seconds;
  if (bytesPerSecond > 0) facts.push(`${duration(Math.max(0, totalBytes - figures.bytes) / bytesPerSecond)} left`);
  const filled = Math.round(share * barWidth);
  const bar = isTerminal ? `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ` : '';
  return `${bar}${Math.floor(share * 100)} % · ${facts.join(' · ')}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}
