/** A PostgreSQL server for one test, which may stop and crash it, unlike the server that all tests share. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

export type OwnPostgres = {
  readonly url: string;
  /** Crashes and restarts the server. */
  readonly crash: () => Promise<void>;
  /** Stops the server in order. @returns starts it again */
  readonly goDown: () => Promise<() => Promise<void>>;
  readonly goDownFor: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

const withPostgres = new URL('../../.ci/with-postgres', import.meta.url).pathname;
const run = promisify(execFile);

export async function startOwnPostgres(): Promise<OwnPostgres> {
  // `cat` ends when this process closes its input or dies, and the server ends with it.
  const tell = 'echo "$TEST_POSTGRES_URL $TEST_POSTGRES_CTL"; cat';
  const server = spawn(withPostgres, ['bash', '-c', tell], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const [url = '', control = ''] = String(line).split(' ');
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
    close: async () => {
      server.stdin.end();
      await ended;
    },
  };
}
