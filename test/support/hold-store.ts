/** A bot's store as a process of its own: says that it is open and stays so until it is ended. Its argument is the URL. */
import { AppError } from '../../src/core/errors.ts';
import { openStore } from '../../src/store/store.ts';

try {
  await openStore(process.argv[2] ?? '');
  process.stdout.write('open\n');
  process.stdin.resume();
} catch (error) {
  process.stdout.write(error instanceof AppError ? `${error.publicMessage} ${error.hint}\n` : String(error));
  process.exitCode = 1;
}
