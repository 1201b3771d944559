/** A PostgreSQL server for one test, which may stop and crash it, unlike the server that all tests share. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../programs/ports.ts';

export type OwnPostgres = {
  readonly url: string;
  /** Crashes and restarts the server. */
  readonly crash: () => Promise<void>;
  /** Stops the server in order. @returns starts it again */
  readonly goDown: () => Promise<() => Promise<void>>;
  readonly goDownFor: (ms: number) => Promise<void>;
  /** Starts a streaming standby of the server from a base backup. */
  readonly startStandby: () => Promise<OwnStandby>;
  readonly close: () => Promise<void>;
};

/** A streaming standby, which ends with its primary's `close`. */
export type OwnStandby = {
  readonly url: string;
  /** Kills every process of the server at once. */
  readonly kill: () => void;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Stops every process of the server, as a machine without a scheduler. @returns continues them */
  readonly freeze: () => () => void;
};

const withPostgres = new URL('../../../.ci/with-postgres', import.meta.url).pathname;
const run = promisify(execFile);

export async function startOwnPostgres(): Promise<OwnPostgres> {
  // `cat` ends when this process closes its input or dies, and the server ends with it.
  const tell =
    'echo "$TEST_POSTGRES_URL $TEST_POSTGRES_CTL $TEST_POSTGRES_RUN $TEST_POSTGRES_FOLDER $TEST_POSTGRES_SETTINGS"; cat';
  const server = spawn(withPostgres, ['bash', '-c', tell], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const [url = '', control = '', program = '', folder = '', ...settings] = String(line).split(' ');
  const goDown = async () => {
    await run(control, ['-m', 'fast', 'stop']);
    // `start` would lose the server's options.
    return async () => void (await run(control, ['restart']));
  };
  return {
    url,
    crash: async () => void (await run(control, ['-m', 'immediate', 'restart'])),
    goDown,
    goDownFor: async (ms) => {
      const comeBack = await goDown();
      await wait(ms);
      await comeBack();
    },
    startStandby: () => startStandby({ primaryUrl: url, program, folder, settings: settings.join(' ') }),
    close: async () => {
      server.stdin.end();
      await ended;
    },
  };
}

type Primary = {
  readonly primaryUrl: string;
  /** Runs a program of PostgreSQL as the user of the servers. */
  readonly program: string;
  /** A folder of that user. */
  readonly folder: string;
  /** Flags of the server. */
  readonly settings: string;
};

async function startStandby({ primaryUrl, program, folder, settings }: Primary): Promise<OwnStandby> {
  const data = `${folder}/${randomBytes(4).toString('hex')}`;
  const [port] = await freePorts(1);
  const url = Object.assign(new URL(primaryUrl), { port });
  const backup = ['-d', primaryUrl, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
  await run(program, ['pg_basebackup', ...backup]);
  const control = (...args: readonly string[]) => run(program, ['pg_ctl', '-D', data, '-w', ...args]);
  const options = `-p ${url.port} ${settings} -c unix_socket_directories=`;
  const start = async () => void (await control('-l', `${data}.log`, '-o', options, 'start'));
  await start();
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processesOf(data)) process.kill(pid, name);
  };
  return {
    url: url.href,
    kill: () => {
      signal('SIGKILL');
      // Where processes without a parent stay as zombies, the server would take the killed one for running.
      rmSync(`${data}/postmaster.pid`);
    },
    stop: async () => void (await control('-m', 'immediate', 'stop')),
    start,
    freeze: () => {
      signal('SIGSTOP');
      return () => signal('SIGCONT');
    },
  };
}

/** @returns the server's main process, which is the first, and its children */
function processesOf(data: string): readonly number[] {
  const main = Number(readFileSync(`${data}/postmaster.pid`, 'utf8').split('\n')[0]);
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === main);
  return [main, ...children.map(Number)];
}

function parentOf(pid: string): number | undefined {
  try {
    // The name is in parentheses and may contain anything; the second field after it is the parent.
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
  } catch {
    return undefined;
  }
}
