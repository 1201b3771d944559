/** `npm run store:make-key -- [file]`: creates a keyring, or puts a new key in front of the existing ones. */
import './harden-process.ts';
import { existsSync } from 'node:fs';
import { makeKey } from '../bot/store/secrets/make-key.ts';
import { fail, fileArgument, readEnvironment } from './environment.ts';

try {
  const usual = readEnvironment()['ENCRYPTION_KEYS_FILE'] || 'encryption.keys';
  const path = fileArgument('npm run store:make-key -- [file]', usual);
  const isNew = !existsSync(path);
  const id = makeKey(path, Date.now());
  console.log(`The key ${id} is in ${path} and encrypts from now on.`);
  if (isNew) {
    console.log(`Set ENCRYPTION_KEYS_FILE=${path}. Keep a copy of the file, apart from the backups of the database:`);
    console.log('secrets that a key encrypts cannot be read without it.');
  } else
    console.log('Keep the keys below it until npm run store:rotate-keys has encrypted their secrets with the new key.');
} catch (error) {
  fail(error);
}
