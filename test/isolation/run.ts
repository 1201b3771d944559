/** One run: an installation, random actions until each organization’s data was read, and the data in the wrong place afterwards. */
import { createRandom } from '../../src/query-service/sample/random.ts';
import { seed } from '../support/runner/seed.ts';
import { type Size, startInstallation } from './installation.ts';
import { findLeaks } from './judge.ts';
import { type Actions, actAtRandom, type IsOver } from './people.ts';

export type Run = {
  readonly leaks: readonly string[];
  readonly actions: Actions;
  /** Organizations whose data was read. */
  readonly read: number;
  /** Findings as text, with the seed for `TEST_SEED`. */
  readonly told: string;
};

export async function runIsolation(size: Size, isOver: IsOver): Promise<Run> {
  const on = await startInstallation(size);
  const { markers } = on.organizations;
  const readCount = () => markers.filter((marker) => on.sent.some(({ text }) => text.includes(marker))).length;
  // Beside other load the answers come long after the actions.
  const isAllRead = () => readCount() === markers.length;
  const actions = await actAtRandom(on, createRandom(seed), (...so) => isOver(...so) && isAllRead());
  const { evidence, expected } = await on.finish();
  const { sent, logged, cached } = evidence;
  const read = readCount();
  const sizes = `${sent.length} to Slack, ${logged.length} log lines, ${cached.length} answers kept`;
  const told = `TEST_SEED=${seed} ${JSON.stringify(actions)}, ${sizes}`;
  return { leaks: findLeaks(evidence, expected), actions, read, told };
}
