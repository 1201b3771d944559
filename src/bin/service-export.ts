/** `npm run service:export > file`: everything in the service's database, as it is at one moment. The service may go on meanwhile. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../core/errors.ts';
import { exportLines } from '../service/transfer/export.ts';
import { readEnvironment } from './environment.ts';
import { runServiceScript } from './service-script.ts';

await runServiceScript({
  usage: 'npm run --silent service:export -- [--database <url>] [--organization <id>] > <file>',
  flags: { organization: { type: 'string' } },
  makesDatabase: false,
  async run({ store, flags, words, refuse }) {
    if (words.length > 0) return refuse('It takes flags only.');
    const organizationId = flags.organization ?? null;
    if (organizationId !== null && (await store.records.organization(organizationId)) === null) {
      throw new AppError('not_found', `There is no organization ${organizationId}.`);
    }
    if (!process.stdout.isTTY && isIntroduced()) {
      console.error('npm has written lines of its own before the export: npm run --silent keeps them out.');
    }
    await pipeline(Readable.from(exportLines(store, organizationId)), process.stdout).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // Whoever reads has had enough: `| head`.
      if (code !== 'EPIPE')
        throw new AppError('unavailable', 'The export was not written to its end.', { cause: error });
    });
  },
});

/** Whether npm has said what it runs, which it does on standard output. */
function isIntroduced(): boolean {
  const { npm_lifecycle_event: script, npm_config_loglevel: level } = readEnvironment();
  return script !== undefined && level !== 'silent';
}
