/** The query service by itself: `npm run service -- --sample`. */
import { AppError } from '../core/errors.ts';
import { createLog } from '../log.ts';
import { startService } from '../service/service.ts';
import { readServiceConfig, serviceUsage } from '../service-config.ts';
import { runUntilSignal } from './signals.ts';

const result = readServiceConfig(process.argv.slice(2), process.env);
if (!result.isValid) {
  for (const problem of result.problems) console.error(problem);
  console.error(`Usage: ${serviceUsage}`);
  process.exit(2);
}

const { config } = result;
// Standard output belongs to the answer; what is logged goes beside it.
const log = createLog({ level: config.logLevel, destination: process.stderr });
const service = await startService({ ...config, log }).catch((error: unknown) => {
  const isKnown = error instanceof AppError;
  console.error(isKnown ? [error.publicMessage, error.hint ?? ''].join(' ').trim() : error);
  process.exit(1);
});

runUntilSignal({ stop: service.close });

const { url, sampleKeys: keys, refusedSampleKeys: refusedKeys } = service;
if (config.isJson) console.log(JSON.stringify({ url, keys, refusedKeys }));
else {
  console.log(`The query service answers at ${url}, from ${config.databaseUrl}.`);
  for (const [organization, key] of Object.entries(keys)) console.log(`  Key of ${organization}: ${key}`);
  for (const [reason, key] of Object.entries(refusedKeys)) console.log(`  Key that is refused (${reason}): ${key}`);
  console.log('Ctrl-C stops it.');
}
