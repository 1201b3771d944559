/** `npm run service -- --sample`: the query service by itself. */
import './harden-process.ts';
import { startOperatedService } from '../query-service/compose.ts';
import { readServiceConfig, serviceUsage } from '../query-service/config.ts';
import { databaseName } from '../query-service/records/open.ts';
import { blocksTo, createLog } from '../shared/log/pino-logger.ts';
import { fail, readEnvironment, refuseSettings } from './environment.ts';
import { exitOnUncaught, runUntilSignal } from './shutdown.ts';

const result = readServiceConfig(process.argv.slice(2), readSettings());
if (!result.isValid) refuseSettings([...result.problems, `Usage: ${serviceUsage}`]);

const { config } = result;
// Standard output is for the readiness line, so the log goes to standard error.
const log = createLog({ level: config.logLevel, destination: blocksTo('standard error') });
exitOnUncaught(log);
const service = await startOperatedService(config, log).catch(fail);

runUntilSignal({ stop: service.close });

const { url, sampleKeys: keys, refusedSampleKeys: refusedKeys } = service;
if (config.isJson) console.log(JSON.stringify({ url, keys, refusedKeys }));
else {
  console.log(`The query service answers at ${url}, from ${databaseName(config.databaseUrl)}.`);
  for (const [organization, key] of Object.entries(keys)) console.log(`  Key of ${organization}: ${key}`);
  for (const [reason, key] of Object.entries(refusedKeys)) console.log(`  Key that is refused (${reason}): ${key}`);
  console.log('Ctrl-C stops it.');
}

function readSettings(): NodeJS.ProcessEnv {
  try {
    return readEnvironment();
  } catch (error) {
    return fail(error);
  }
}
