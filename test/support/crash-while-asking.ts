/** A process that dies of an uncaught error with a question under way, for what it leaves on standard error: `crash-while-asking.ts <endpoint> <key>`. */

import { createQueryService } from '../../src/bot/query/query-client.ts';
import { createLog } from '../../src/shared/log/pino-logger.ts';

const [, , endpoint = '', apiKey = ''] = process.argv;
const query = createQueryService({ clock: Date.now, log: createLog({ level: 'trace' }), origins: [endpoint] });
const credential = { teamId: 'T1', keyId: 'k1', endpoint, apiKey };
const ask = () => query.forWorkspace(credential, { isFresh: true, onWait: () => undefined });

// The first is answered by a failure; the second hangs, and is in scope when the process dies of what the first threw.
const failed: unknown = await ask()
  .organization()
  .catch((error: unknown) => error);
void ask().account();
setImmediate(() => {
  throw failed;
});
