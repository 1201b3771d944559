/** Time without the waits for a processor: Slack's deadlines are about the app, not about the machine of the tests. */
import { readFileSync } from 'node:fs';

export type FairClock = {
  /** Milliseconds that passed while no watched process was ready to run without a processor. */
  readonly now: () => number;
  readonly watch: (pid: number) => void;
};

export function createFairClock(): FairClock {
  const pids = new Set([process.pid]);
  return {
    now: () => performance.now() - [...pids].reduce((sum, pid) => sum + waitedMs(pid), 0),
    watch: (pid) => void pids.add(pid),
  };
}

/** https://docs.kernel.org/scheduler/sched-stats.html: the second number is the time on the run queue, in nanoseconds. */
function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    // Another system, or a process that has ended.
    return 0;
  }
}
