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
  /** Ended as an administrator ends it, and started again after so long. */
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
  return {
    url,
    crash: async () => void (await run(control, ['-m', 'immediate', 'restart'])),
    goDownFor: async (ms) => {
      await run(control, ['-m', 'fast', 'stop']);
      await wait(ms);
      // `start` would begin with none of the options that it had.
      await run(control, ['restart']);
    },
    close: async () => {
      server.stdin.end();
      await ended;
    },
  };
}
