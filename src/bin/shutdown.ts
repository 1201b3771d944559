/** Ends a program: cleanly after a signal, at once after an uncaught error. */
import type { Logger } from 'pino';

type Running = { readonly stop: () => Promise<void> };

/** Longer than the grace periods of running work and of open connections together. */
const stopMs = 15_000;

/**
 * Ends with exit code 0 if everything stopped in time, otherwise 1. Repeated signals change nothing, because npm
 * forwards Ctrl-C to a program that the terminal has already signalled.
 * @returns a function that returns true once a signal has come
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

/** Ends with exit code 1. A supervisor restarts the bot, which continues from the state in the store. */
export function exitOnUncaught(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'uncaught error');
    process.exit(1);
  });
}
