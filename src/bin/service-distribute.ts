/** `npm run service:distribute`: distributes the records of a PostgreSQL database over the nodes of Citus. */
import './harden-process.ts';
import { distributeTables } from '../query-service/records/postgres/distribute.ts';
import { runServiceScript } from './service-script.ts';

await runServiceScript({
  usage: 'npm run service:distribute -- [--database postgres://<user>:<password>@<host>/<database>]',
  flags: {},
  makesDatabase: true,
  // Opening the records has made the tables.
  async run({ url, words, refuse }) {
    if (words.length > 0) return refuse('It takes flags only.');
    if (url.startsWith('sqlite:')) return refuse('Only PostgreSQL with the extension citus can be distributed.');
    const tables = await distributeTables(url);
    console.log(tables.length === 0 ? 'The tables were distributed already.' : `Distributed: ${tables.join(', ')}.`);
  },
});
