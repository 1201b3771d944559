/** A server in a process of its own: started, watched from outside, and stopped. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Dialect } from './questions.ts';

export type Contender = {
  readonly name: string;
  readonly dialect: Dialect;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Processor time since it was started, collector and compiler included; the database server's is not in it. */
  readonly cpuMs: () => number;
  readonly residentMB: () => number;
  readonly stop: () => Promise<void>;
};

type Start = Pick<Contender, 'name' | 'dialect'> & {
  readonly entry: URL;
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly apiKey?: string;
};

/** Connections to PostgreSQL that every contender has. */
export const poolSize = 10;

const preload = new URL('../../src/bin/node-version.mjs', import.meta.url).href;
const stopMs = 10_000;

/** @returns once it says, as a line of JSON, where it listens @throws Error where it ends before */
export async function startContender(start: Start): Promise<Contender> {
  const { name, dialect, entry, args = [], environment, apiKey } = start;
  const options = ['--import', preload, '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...options, fileURLToPath(entry), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', POOL_SIZE: String(poolSize), ...environment },
    // What is logged goes where nobody reads, as a log file does: writing it is part of the work. The channel carries nothing;
    // its end tells the child that we are gone.
    stdio: ['ignore', 'pipe', process.env['BENCH_VERBOSE'] ? 'inherit' : 'ignore', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started.`);
  return {
    name,
    dialect,
    origin: new URL(await urlOf(child, name)).origin,
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Apikey ${apiKey}` }) },
    cpuMs: () => processorMs(pid),
    residentMB: () => residentMB(pid),
    stop: () => stop(child),
  };
}

async function urlOf(child: ChildProcess, name: string): Promise<string> {
  if (!child.stdout) throw new Error('A child without standard output.');
  // Read to its end, so that the pipe never fills.
  const lines = createInterface({ input: child.stdout });
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('{')) resolve(String((JSON.parse(line) as { readonly url: unknown }).url));
    });
    child.once('exit', () =>
      reject(new Error(`${name} ended before it listened; BENCH_VERBOSE=1 shows what it said.`)),
    );
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exited;
  clearTimeout(killer);
}

/** Linux alone tells these; elsewhere the columns stay empty. */
const isTold = existsSync('/proc/self/stat');
const ticksPerSecond = isTold ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : Number.NaN;

function processorMs(pid: number): number {
  if (!isTold) return Number.NaN;
  // The name, in parentheses, may hold anything; the 14th and 15th field of the line are counted from its end.
  const [, after = ''] = /\) (.*)$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const fields = after.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

function residentMB(pid: number): number {
  if (!isTold) return Number.NaN;
  const kB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kB) * 1024) / 1e6;
}
