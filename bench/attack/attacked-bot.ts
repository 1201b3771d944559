/** The bot over HTTP in its own process; says its address, and reports how long its event loop was blocked since the last report. */
import { startBot } from '../../src/bot/compose.ts';
import type { HttpConfig } from '../../src/bot/config.ts';
import { createLog } from '../../src/shared/log/pino-logger.ts';

const everyMs = 5;
/** The longest time between two ticks of a timer; and the longest processor time of this thread in one. */
let [heldMs, workedMs] = [0, 0];
let [at, worked] = [performance.now(), threadMs()];

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

setInterval(() => {
  const [now, workedNow] = [performance.now(), threadMs()];
  heldMs = Math.max(heldMs, now - at - everyMs);
  workedMs = Math.max(workedMs, workedNow - worked);
  [at, worked] = [now, workedNow];
}, everyMs);

const config = JSON.parse(process.argv[2] ?? '{}') as HttpConfig;
const { origin } = await startBot(config, createLog({ level: 'info' }));

process.on('message', () => {
  process.send?.({ heldMs, workedMs });
  [heldMs, workedMs] = [0, 0];
});
process.on('disconnect', () => process.exit());
process.send?.({ origin });
