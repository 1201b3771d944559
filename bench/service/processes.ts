/** Resource use of other processes. Linux only; elsewhere every number is NaN. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const isTold = existsSync('/proc/self/stat');
const ticksPerSecond = isTold ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : Number.NaN;

type Stat = { readonly parent: number; readonly own: number; readonly ofEndedChildren: number };

/** @returns processor time in ms since the start of the process, with garbage collection and compilation */
export function processorMs(pid: number): number {
  return readStat(pid)?.own ?? Number.NaN;
}

/** @returns the same for a process with all its children, also ended ones */
export function familyProcessorMs(pid: number): number {
  const own = readStat(pid);
  if (!own) return Number.NaN;
  const children = readdirSync('/proc').map((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : undefined));
  return children.reduce(
    (sum, child) => sum + (child?.parent === pid ? child.own + child.ofEndedChildren : 0),
    own.own + own.ofEndedChildren,
  );
}

export function parentOf(pid: number): number {
  return readStat(pid)?.parent ?? Number.NaN;
}

/** @returns megabytes in memory */
export function residentMB(pid: number): number {
  const kB = isTold ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] : undefined;
  return (Number(kB) * 1024) / 1e6;
}

function readStat(pid: number): Stat | undefined {
  if (!isTold) return undefined;
  try {
    // The name is in parentheses and may contain anything; the third field follows it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [, parent = Number.NaN] = fields;
    const ms = (first: number) => (((fields[first] ?? 0) + (fields[first + 1] ?? 0)) * 1000) / ticksPerSecond;
    return { parent, own: ms(11), ofEndedChildren: ms(13) };
  } catch {
    // The process has ended.
    return undefined;
  }
}
