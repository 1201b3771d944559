/** An error that nobody caught leaves a process in a state that nobody knows: it is logged, and the process ends. */
import type { Logger } from 'pino';

/** Exit code 1; a supervisor starts the bot again, and the store knows how far it was. */
export function exitOnUncaught(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'uncaught error');
    process.exit(1);
  });
}
