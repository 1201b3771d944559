/** `npm run service:make-months`: makes the tables of an empty PostgreSQL database with a partition for each month. */
import './harden-process.ts';
import { parseArgs } from 'node:util';
import { createMonthlyTables } from '../query-service/records/postgres/create.ts';
import { settings } from '../shared/settings.ts';
import { fail, readEnvironment, refuseSettings } from './environment.ts';

const usage = 'Usage: npm run service:make-months -- [--database postgres://<user>:<password>@<host>/<database>]';

const url = readUrl();
const isMade = await createMonthlyTables(url).catch(fail);
console.log(isMade ? 'The tables are made, with a partition for each month.' : 'The tables had months already.');

/** Ends the program if there is no URL of a PostgreSQL database. */
function readUrl(): string {
  try {
    const { values } = parseArgs({ options: { database: { type: 'string' } } });
    const given = values.database ?? readEnvironment()['SERVICE_DATABASE_URL'];
    const parsed = settings.SERVICE_DATABASE_URL.safeParse(given || undefined);
    if (parsed.success && parsed.data.startsWith('postgres')) return parsed.data;
    return refuseSettings([
      '--database or SERVICE_DATABASE_URL must be postgres://…: SQLite has no partitions.',
      usage,
    ]);
  } catch (error) {
    return refuseSettings([error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error), usage]);
  }
}
