/** A server in its own process: started, measured from outside, and stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { memoryFlags, programFlags } from '../../test/support/programs/node-flags.ts';
import { familyProcessorMs, processorMs, residentMB } from './processes.ts';
import type { Dialect } from './questions.ts';

export type Contender = {
  readonly name: string;
  readonly dialect: Dialect;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Processor time of the process. */
  readonly ownMs: () => number;
  /** Processor time of the database server, for all clients; 0 without one. */
  readonly databaseMs: () => number;
  readonly residentMB: () => number;
  readonly stop: () => Promise<void>;
};

type Start = Pick<Contender, 'name' | 'dialect'> & {
  readonly entry: URL;
  readonly args?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  /** The database server's main process; undefined without one. */
  readonly serverPid?: number | undefined;
};

/** Connections of each contender to PostgreSQL. */
const poolSize = 10;

const stopMs = 10_000;

/** @returns when it has printed its address as a line of JSON @throws Error if it ends before */
export async function startContender(start: Start): Promise<Contender> {
  const { name, dialect, entry, args = [], environment, apiKey, serverPid } = start;
  // As in package.json and compose.yml; the same for each contender.
  const child = spawn(process.execPath, [...memoryFlags, ...programFlags, fileURLToPath(entry), ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      MALLOC_ARENA_MAX: '1',
      POOL_SIZE: String(poolSize),
      ...environment,
    },
    // The log goes to /dev/null, like a log file: writing it is part of the work. The channel carries no messages; it closes
    // when this process ends.
    stdio: ['ignore', 'pipe', process.env['BENCH_VERBOSE'] ? 'inherit' : 'ignore', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started.`);
  return {
    name,
    dialect,
    origin: new URL(await urlOf(child, name)).origin,
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Apikey ${apiKey}` }) },
    ownMs: () => processorMs(pid),
    databaseMs: () => (serverPid === undefined ? 0 : familyProcessorMs(serverPid)),
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
