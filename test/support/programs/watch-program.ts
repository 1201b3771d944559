/** Loaded into each process of a program that a test starts: writes its outgoing traffic into a folder for the test. */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchDoors } from '../runner/recorded-traffic.ts';

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';

// Written at once, because the process may be killed.
watchDoors({
  secret: (text) => appendFileSync(join(folder, 'secrets'), `${JSON.stringify(text)}\n`),
  leaveBit: (where) => {
    const file = join(folder, randomUUID());
    appendFileSync(file, `${where}\n`);
    return (bit) => appendFileSync(file, bit);
  },
});
