/** Resource use of processes, as Linux counts it. */
import { readFileSync } from 'node:fs';

/** A clock tick of the kernel's counters, the same on every machine. */
const tickMs = 10;

/** @returns processor milliseconds so far; undefined if the process has ended */
export function cpuMs(pid: number | string): number | undefined {
  // The second field is a name in parentheses, which may contain anything.
  const fields = read(pid, 'stat')?.split(') ').at(-1)?.split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** @returns resident memory in MiB */
export function residentMiB(pid: number | string): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status') ?? '')?.[1]) / 1024;
}

function read(pid: number | string, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
