/** A program with its own Slack, in another process on request, that sends a token there before it is killed. */
import { spawnSync } from 'node:child_process';
import { startLocalSlack } from '../../../src/local-slack/server/server.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

if (process.argv[2] === 'elsewhere') spawnSync(process.execPath, [import.meta.filename]);
else {
  const options = { slashCommand: '/workflow', hasHome: true, commands: [], clock: Date.now, log };
  const { apiUrl, workspaces } = await startLocalSlack({ ...options, host: '127.0.0.1', port: 0 });
  const { botToken } = workspaces.first;
  await fetch(`${apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'C1', text: `It is ${botToken}` }),
  });
  process.kill(process.pid, 'SIGKILL');
}
