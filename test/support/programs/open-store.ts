/** Opens a bot's store in its own process, prints `open` and keeps it open. Arguments: the URL and a keyring file. */

import { loadKeys } from '../../../src/bot/store/secrets/keyring-file.ts';
import { openStore } from '../../../src/bot/store/store.ts';
import { AppError } from '../../../src/shared/errors.ts';

try {
  const [url = '', path] = process.argv.slice(2);
  const keyring = path === undefined ? undefined : ({ kind: 'file', path } as const);
  await openStore(url, { keys: loadKeys(keyring, { warn: () => {} }) });
  process.stdout.write('open\n');
  process.stdin.resume();
} catch (error) {
  process.stdout.write(error instanceof AppError ? `${error.publicMessage} ${error.hint}\n` : String(error));
  process.exitCode = 1;
}
