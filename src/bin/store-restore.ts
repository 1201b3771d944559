/** `npm run store:restore -- <file>`: fills an empty store of either engine from a backup. No bot may use it meanwhile. */
import './harden-process.ts';
import { open } from 'node:fs/promises';
import { restore } from '../bot/store/backup.ts';
import { AppError } from '../shared/errors.ts';
import { fileArgument } from './environment.ts';
import { runStoreScript } from './store-script.ts';

const path = fileArgument('npm run store:restore -- <file>');

await runStoreScript('restore', async ({ db }) => {
  const file = await open(path).catch((cause: unknown) => {
    throw new AppError('unavailable', `The backup ${path} cannot be read.`, { cause });
  });
  try {
    const rows = await restore(db, file.readLines());
    console.log(
      `${rows} rows are restored. What is encrypted in them takes the keyring of the bot that was backed up.`,
    );
  } finally {
    await file.close();
  }
});
