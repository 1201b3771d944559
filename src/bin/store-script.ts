/** Runs a script on the bot's store: reads settings, opens the database, and prints one sentence on failure. */
import { readStoreConfig } from '../bot/config.ts';
import { type Database, type DatabaseUse, openDatabase } from '../bot/store/database.ts';
import type { KeyProvider } from '../bot/store/secrets/envelope.ts';
import { loadKeys } from '../bot/store/secrets/keyring-file.ts';
import type { Logger } from '../shared/log/logger.ts';
import { fail, readEnvironment, refuseSettings, warn } from './environment.ts';

type StoreScript = Pick<Database, 'db'> & { readonly keys: KeyProvider | undefined };

const log: Pick<Logger, 'warn'> = { warn: (_, message) => warn(message) };

/** Closes the database after `run`. Ends the program if the script fails. */
export async function runStoreScript(use: DatabaseUse, run: (script: StoreScript) => Promise<void>): Promise<void> {
  try {
    const result = readStoreConfig(readEnvironment());
    if (!result.isValid) return refuseSettings(result.problems);
    const keys = loadKeys(result.config.keyring, log);
    const { db, close } = await openDatabase(result.config.databaseUrl, use, warn);
    await run({ db, keys }).finally(close);
  } catch (error) {
    fail(error);
  }
}
