/** Ends a program: cleanly on a signal, at once on an uncaught error. */
import type { Logger } from 'pino';

type Running = { readonly stop: () => Promise<void> };

/** Longer than the grace periods of running work and of open connections together. */
const stopMs = 15_000;

/**
 * Exit code 0 when everything stopped, 1 when something did not in time. Repeated signals change nothing: npm passes
 * Ctrl-C on to a program that has already had it from the terminal.
 * @returns whether a signal has come
 */
export function runUntilSignal({ stop }: Running): () => boolean {
  let isStopping = false;
  const onSignal = async () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), stopMs).unref();
    await stop();
    process.exit(0);
  };
  process.on('SIGINT', () => void onSignal());
  process.on('SIGTERM', () => void onSignal());
  // The parent process ended without a signal.
  process.on('disconnect', () => void onSignal());
  return () => isStopping;
}

/** Exit code 1; a supervisor starts the bot again, and the store knows how far it was. */
export function exitOnUncaught(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'uncaught error');
    process.exit(1);
  });
}
