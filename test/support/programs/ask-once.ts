/** A process that sends one query, for settings that Node reads only at its start: `ask-once.ts <endpoint>`. */
import { createTestQuery } from '../bot/query.ts';

const [, , endpoint = ''] = process.argv;
const query = createTestQuery(endpoint, 'key-of-the-child');
const outcome = await query
  .ask()
  .organization()
  .then(
    ({ data }) => data.displayName,
    (error: { code: string }) => error.code,
  );
process.stdout.write(outcome);
await query[Symbol.asyncDispose]();
