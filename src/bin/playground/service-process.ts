/** Runs the query service as a child process that the bot reaches over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';

export type ServiceProcess = {
  /** Address of its endpoint, `http://…/graphql`. */
  readonly url: string;
  /** The API key of the sample's first organization. */
  readonly apiKey: string;
  /** API keys of all sample organizations, by the organizations' names. */
  readonly keys: Readonly<Record<string, string>>;
  /** Further keys, which it refuses, by the reason. */
  readonly refusedKeys: Readonly<Record<string, string>>;
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
  readonly stop: () => Promise<void>;
};

type ServiceProcessOptions = {
  readonly port: number;
  /** For example `sqlite:data/service.db`. */
  readonly databaseUrl: string;
  /** Receives the process's standard error. */
  readonly log: Logger;
};

const entryPoint = new URL('../service.ts', import.meta.url).pathname;
/** The same preload as in `npm run service`. */
const preload = ['--import', new URL('../node-version.mjs', import.meta.url).href];
const stopMs = 5000;
/** A log line below warning level. */
const infoLine = /^\{"level":"(trace|debug|info)"/;

/** @throws AppError `unavailable` with the output of the process if it ends before it is ready */
export async function startServiceProcess({ port, databaseUrl, log }: ServiceProcessOptions): Promise<ServiceProcess> {
  const where = ['--host', '127.0.0.1', '--port', String(port), '--database', databaseUrl];
  const flags = [...where, '--sample', '--json', '--rate-limit', '0'];
  const child = spawn(
    process.execPath,
    [...preload, '--disable-sigusr1', '--disable-warning=ExperimentalWarning', entryPoint, ...flags],
    {
      // The IPC channel carries no messages: its end tells the service that this process has ended.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const exited = once(child, 'exit').then(() => undefined);
  const { url, keys, refusedKeys } = await readiness(child, log);
  const [apiKey] = Object.values(keys);
  if (apiKey === undefined) throw new AppError('unavailable', 'The query service started without a sample key.');
  return { url, apiKey, keys, refusedKeys, exited, stop: () => stop(child, exited) };
}

type Readiness = Pick<ServiceProcess, 'url' | 'keys' | 'refusedKeys'>;

/**
 * Reads the first line of standard output that begins with `{`. Later output is read and dropped, so that the pipe
 * never fills.
 */
function readiness(child: ChildProcess, log: Logger): Promise<Readiness> {
  const complaints: string[] = [];
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (infoLine.test(line)) return log.debug({ line }, 'the query service says');
      if (complaints.length < 20) complaints.push(line);
      log.warn({ line }, 'the query service says');
    });
  }
  return new Promise((resolve, reject) => {
    if (!child.stdout) throw new Error('The child process has no standard output.');
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line) as Readiness);
    });
    child.once('error', (cause) =>
      reject(new AppError('unavailable', 'The query service could not be started.', { cause })),
    );
    child.once('exit', () =>
      reject(new AppError('unavailable', complaints.join('\n').trim() || 'The query service ended at once.')),
    );
  });
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exited;
  clearTimeout(killer);
}
