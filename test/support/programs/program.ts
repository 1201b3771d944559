/** Starts a program as a process in its own folder, with only the test's environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { leave, secret } from '../runner/canaries.ts';
import { programFlags } from './node-flags.ts';

export type Program = {
  readonly child: ChildProcess;
  /** All output so far, standard output and standard error. */
  readonly output: () => string;
  /** Waits until the output matches. @throws Error if the program ends first */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Its own, empty at first. */
  readonly folder: string;
  /** @returns the exit code */
  readonly ended: Promise<number | null>;
};

const root = new URL('../../../', import.meta.url).pathname;
const cache = join(root, 'node_modules/.cache/compiled');
const watching = new URL('./watch-program.ts', import.meta.url).href;

export type ProgramOptions = {
  /** Such as `src/bin/start.ts`. */
  readonly entry: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Puts files into its folder before it starts. */
  readonly prepare?: (folder: string) => void;
  /** A folder that a test shares between programs and removes; a new one if absent. */
  readonly folder?: string;
  /** Takes what ends it, for a program that lasts longer than a test. */
  readonly atEnd?: AtEnd;
};

type AtEnd = (end: () => Promise<void>) => void;

/** @param path such as `src/bin/start.ts` */
export const pathOf = (path: string) => join(root, path);

/** @returns an empty folder, which is removed at the end */
export function newProgramFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'workflow-bot-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function registerSecrets(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) if (/(TOKEN|SECRET|KEY)$/.test(name)) secret(value);
}

type Spawned = Pick<ProgramOptions, 'entry' | 'args' | 'environment'> & {
  readonly folder: string;
  /** True if it takes messages. */
  readonly hasChannel?: boolean;
};

/** Starts a process whose traffic is recorded. @returns also what records the traffic, for after its end */
export function spawnWatched({ entry, args = [], environment = {}, folder, hasChannel = false }: Spawned) {
  const doors = mkdtempSync(join(tmpdir(), 'doors-'));
  registerSecrets(environment);
  const child = spawn(process.execPath, [...programFlags, pathOf(entry), ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
    // Unlike arguments, the processes that it starts inherit these. The cache is that of the programs, for the watcher too.
    env: {
      LOG_LEVEL: 'trace',
      NODE_OPTIONS: `--import=${watching}?folder=${doors}`,
      NODE_COMPILE_CACHE: cache,
      ...environment,
    },
  });
  const leaveTraffic = () => {
    leaveDoors(doors);
    rmSync(doors, { recursive: true, force: true });
  };
  return { child, leaveTraffic };
}

/** Starts it with this Node; it is killed when the test ends. */
export function startProgram({ entry, args = [], environment = {}, prepare, ...options }: ProgramOptions): Program {
  const { atEnd = onTestFinished } = options;
  const folder = options.folder ?? newProgramFolder(atEnd);
  prepare?.(folder);
  const { child, leaveTraffic } = spawnWatched({ entry, args, environment, folder });
  const news = new EventEmitter();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      news.emit('said');
    });
  }
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    news.emit('said');
    return typeof code === 'number' ? code : null;
  });
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
    leave(`the output of ${entry}`, withoutOffers(output));
    leaveFiles(folder);
    leaveTraffic();
  });
  const said = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(output);
      if (match) return match;
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode} and said: ${output}`);
      await once(news, 'said');
    }
  };
  return { child, folder, output: () => output, said, ended };
}

/** @returns the address that a bot printed once it listened; it takes a free port itself, for `PORT=0` */
export async function originOf({ said }: Program): Promise<string> {
  return (await said(/"origin":"(http[^"]+)".*the bot is listening/))[1] ?? '';
}

/** Removes the keys that a playground prints for its user. */
function withoutOffers(output: string): string {
  return output.replaceAll(/^ {2}\S.* {2}wfq_\S+$/gm, '');
}

/** Records the database and log files of a program that may have been killed before it closed them. */
export function leaveFiles(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (/bot\.db(-wal)?$|\.log$/.test(name)) leave(name, readFileSync(join(folder, name)));
  }
}

/** Records the traffic that `watch-program.ts` wrote to files. */
function leaveDoors(folder: string): void {
  for (const name of readdirSync(folder)) {
    const left = readFileSync(join(folder, name));
    const lines = () => left.toString().trimEnd().split('\n');
    if (name === 'secrets') for (const line of lines()) secret(JSON.parse(line));
    else leave(lines()[0] ?? '', left.subarray(left.indexOf('\n') + 1));
  }
}
