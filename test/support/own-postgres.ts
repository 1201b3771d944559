/** A PostgreSQL server for one test alone, which it may end as it likes: the one of all tests is nobody's to restart. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

export type OwnPostgres = {
  readonly url: string;
  /** As if its power failed, and back at once. */
  readonly crash: () => Promise<void>;
  /** Ended as an administrator ends it. @returns starts it again */
  readonly goDown: () => Promise<() => Promise<void>>;
  readonly goDownFor: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

const withPostgres = new URL('../../.ci/with-postgres', import.meta.url).pathname;
const run = promisify(execFile);

export async function startOwnPostgres(): Promise<OwnPostgres> {
  // It is there until nobody writes to `cat` any more, and so never longer than this process.
  const tell = 'echo "$TEST_POSTGRES_URL $TEST_POSTGRES_CTL"; cat';
  const server = spawn(withPostgres, ['bash', '-c', tell], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  const [url = '', control = ''] = String(line).split(' ');
  const goDown = async () => {
    await run(control, ['-m', 'fast', 'stop']);
    // `start` would begin with none of the options that it had.
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
