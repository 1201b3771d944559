/** A service that another program has started ends with it, also when nobody reads its output any more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../support/databases/engines.ts';
import { programFlags } from '../support/programs/node-flags.ts';

const root = new URL('../../', import.meta.url).pathname;

it('the service ends when its parent is gone, and nobody reads its log', async () => {
  const flags = ['--port', '0', '--database', 'sqlite:service.db', '--json'];
  const child = spawn(process.execPath, [...programFlags, join(root, 'src/bin/service.ts'), ...flags], {
    cwd: newFolder(),
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const [line] = child.stdout ? await once(child.stdout, 'data') : [];
  // Its line in the log waits for others.
  await fetch(JSON.parse(String(line)).url, { method: 'POST' });
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.disconnect();
  const [, signal] = await ended;
  expect(signal).toBeNull();
});
