/** Medians, Markdown tables and JSON files of all benchmarks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** @param values in any order, at least one @param share from 0 to 1 @returns the quantile */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** Three significant digits. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

type Row = readonly (string | number)[];

/** A Markdown table for a page of docs. @returns lines with aligned columns */
export function table(head: readonly string[], rows: readonly Row[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? shown(cell) : cell)))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length), 3));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '')[column === 0 ? 'padEnd' : 'padStart'](width)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [first = [], ...rest] = cells;
  return [line(first), rule, ...rest.map(line)].join('\n');
}

/** Node version and number of cores, without a machine's name. */
export function machine(): string {
  return `${availableParallelism()} shared cores, Node ${process.versions.node}`;
}

/** @returns the path of the written file */
export function writeFigures(figure: string, figures: Readonly<Record<string, unknown>>): string {
  mkdirSync('data/bench', { recursive: true });
  const file = `data/bench/${figure}.json`;
  writeFileSync(file, `${JSON.stringify({ machine: machine(), ...figures }, null, 2)}\n`);
  return file;
}
