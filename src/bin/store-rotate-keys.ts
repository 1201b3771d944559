/** `npm run store:rotate-keys`: encrypts every stored secret with the first key of the keyring. The bot may keep running. */
import './harden-process.ts';
import { rotateKeys } from '../bot/store/secrets/stored-secrets.ts';
import { AppError } from '../shared/errors.ts';
import { runStoreScript } from './store-script.ts';

await runStoreScript('script', async ({ db, keys }) => {
  if (!keys) {
    const hint = 'Set ENCRYPTION_KEYS_FILE, as for the bot.';
    throw new AppError('usage', 'There is no keyring, so there is nothing to rotate.', { hint });
  }
  const onProgress = (rewrapped: number) => console.log(`${rewrapped} secrets encrypted`);
  const { keyId, rewrapped, unreadable } = await rotateKeys({ db, keys, onProgress });
  for (const { teamId, column, problem } of unreadable) console.error(`${teamId} ${column}: ${problem}`);
  console.log(`${rewrapped} secrets are encrypted with the key ${keyId}; ${unreadable.length} cannot be read.`);
  if (unreadable.length > 0) process.exitCode = 1;
  else console.log('The keys below it are no longer needed once every bot that shares this store reads this keyring.');
});
