/** Loaded into each process of a program that a test starts: writes down for the test what goes out by its doors, in a folder. */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchDoors } from './doors.ts';

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';

// At once, as whoever is killed writes nothing any more.
watchDoors({
  secret: (text) => appendFileSync(join(folder, 'secrets'), `${JSON.stringify(text)}\n`),
  leaveBit: (where) => {
    const file = join(folder, randomUUID());
    appendFileSync(file, `${where}\n`);
    return (bit) => appendFileSync(file, bit);
  },
});
