/** A program that dies of an uncaught error, such as that of a promise that is not awaited. */
import { exitOnUncaught } from '../../../src/bin/shutdown.ts';
import { createLog } from '../../../src/shared/log/pino-logger.ts';

exitOnUncaught(createLog({ level: 'info' }));
setInterval(() => undefined, 1000);
void Promise.reject(new Error('sent Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345'));
