/** Replicas as processes: started, killed, frozen and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Failpoint } from '../../../src/bot/outbox/failpoints.ts';
import { memoryFlags, programFlags } from '../programs/node-flags.ts';
import type { PostMoment } from './judge.ts';
import type { ReplicaOptions } from './replica.ts';

/** When a process is killed. */
export type Kill =
  | { readonly kind: 'failpoint'; readonly failpoint: Failpoint; readonly nth: number }
  | {
      readonly kind: 'post';
      readonly moment: PostMoment;
      readonly nth: number;
      /** SIGKILL if absent. */
      readonly signal?: 'SIGTERM';
    }
  /** Uses all its memory at a failpoint. */
  | { readonly kind: 'memory'; readonly failpoint: Failpoint; readonly nth: number }
  /** A time after its start. */
  | { readonly kind: 'random'; readonly afterMs: number }
  /** Frozen and resumed before it is killed. */
  | { readonly kind: 'freeze'; readonly afterMs: number; readonly forMs: number };

export type Replica = {
  readonly name: string;
  readonly child: ChildProcess;
  /** Resolves when it works, or has ended before. */
  readonly started: Promise<unknown>;
  readonly ended: Promise<unknown>;
};

const entry = new URL('./replica.ts', import.meta.url).pathname;

/** @param onLine what it says, line by line */
export function startReplica(options: ReplicaOptions, onLine: (line: string) => void): Replica {
  const isStarved = options.kill?.kind === 'memory';
  const flags = [...memoryFlags, ...programFlags, ...(isStarved ? ['--max-old-space-size=96'] : [])];
  const child = spawn(process.execPath, [...flags, entry, JSON.stringify(options)], {
    // An out-of-memory end prints forty lines.
    stdio: ['pipe', 'pipe', isStarved ? 'ignore' : 'inherit'],
  });
  const lines = createInterface({ input: child.stdout }).on('line', onLine);
  const ended = once(child, 'exit');
  return { name: options.name, child, started: Promise.race([once(lines, 'line'), ended]), ended };
}

/** Waits until the process is dead. If it never reaches its failpoint, it is killed from outside. */
export async function killReplica({ child, started, ended }: Replica, kill: Kill, deadlineMs: number): Promise<void> {
  await started;
  switch (kill.kind) {
    case 'random':
      await Promise.race([ended, wait(kill.afterMs)]);
      break;
    case 'freeze':
      await Promise.race([ended, wait(kill.afterMs)]);
      child.kill('SIGSTOP');
      await wait(kill.forMs);
      child.kill('SIGCONT');
      await Promise.race([ended, wait(deadlineMs)]);
      break;
    case 'failpoint':
    case 'memory':
    case 'post':
      await Promise.race([ended, wait(deadlineMs)]);
  }
  child.kill('SIGKILL');
  await ended;
}
