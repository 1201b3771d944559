/** `npm run store:backup -- <file>`: writes a consistent backup of the bot's store. The bot may keep running. */
import './harden-process.ts';
import { open } from 'node:fs/promises';
import { backUp } from '../bot/store/backup.ts';
import { AppError } from '../shared/errors.ts';
import { fileArgument } from './environment.ts';
import { runStoreScript } from './store-script.ts';

const path = fileArgument('npm run store:backup -- <file>');

await runStoreScript('script', async ({ db }) => {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    const hint = 'The file must not exist yet, and its folder must exist.';
    throw new AppError('unavailable', `The backup cannot be written to ${path}.`, { cause, hint });
  });
  try {
    const write = async (lines: string) => void (await file.write(lines));
    const rows = await backUp(db, write, Date.now());
    await file.sync();
    console.log(
      `${rows} rows are in ${path}. Secrets are in it as they are stored: restoring them takes the keyring, which is not.`,
    );
  } finally {
    await file.close();
  }
});
