/** A process that dies of an uncaught error during a query; its standard error is searched for the key: `crash-while-asking.ts <endpoint> <key>`. */

import { createQueryService } from '../../../src/bot/query/query-client.ts';
import { createLog } from '../../../src/shared/log/pino-logger.ts';

const [, , endpoint = '', apiKey = ''] = process.argv;
const query = createQueryService({ clock: Date.now, log: createLog({ level: 'trace' }), origins: [endpoint] });
const credential = { teamId: 'T1', keyId: 'k1', endpoint, apiKey };
const ask = () => query.forWorkspace(credential, { isFresh: true });

// The first query fails; the second hangs, and is in scope when the process dies of the first one's error.
const failed: unknown = await ask()
  .organization()
  .catch((error: unknown) => error);
void ask().account();
setImmediate(() => {
  throw failed;
});
