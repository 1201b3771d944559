/** `npm run service:export -- --output <file>`: exports the service's database at one moment. The service may keep running. */
import './harden-process.ts';
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { env } from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportLines } from '../query-service/transfer/export.ts';
import { AppError } from '../shared/errors.ts';
import { runServiceScript } from './service-script.ts';

await runServiceScript({
  usage: 'npm run --silent service:export -- [--database <url>] [--organization <id>] (--output <file> | > <file>)',
  flags: { organization: { type: 'string' }, output: { type: 'string' } },
  makesDatabase: false,
  async run({ store, flags, words, refuse }) {
    if (words.length > 0) return refuse('It takes flags only.');
    const organizationId = flags.organization ?? null;
    if (organizationId !== null && (await store.records.organization(organizationId)) === null) {
      throw new AppError('not_found', `There is no organization ${organizationId}.`);
    }
    const lines = Readable.from(exportLines(store, organizationId));
    await (flags.output === undefined ? writeToStandardOutput(lines) : writeToFile(lines, flags.output));
  },
});

async function writeToStandardOutput(lines: Readable): Promise<void> {
  if (!process.stdout.isTTY && isIntroduced()) {
    console.error('npm has written lines of its own before the export: npm run --silent keeps them out.');
  }
  await pipeline(lines, process.stdout).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // The reader closed the pipe: `| head`.
    if (code !== 'EPIPE') throw incomplete(error);
  });
}

/** Creates a private file and deletes it on failure, because half an export looks like an export of fewer records. */
async function writeToFile(lines: Readable, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    const hint = 'The file must not exist yet, and its folder must exist.';
    throw new AppError('unavailable', `The export cannot be written to ${path}.`, { cause, hint });
  });
  await pipeline(lines, file.createWriteStream({ flush: true })).catch((error: unknown) => {
    rmSync(path, { force: true });
    throw incomplete(error);
  });
}

function incomplete(cause: unknown): AppError {
  return new AppError('unavailable', 'The export is incomplete.', { cause });
}

/** @returns true if npm printed the script’s name on standard output */
function isIntroduced(): boolean {
  const { npm_lifecycle_event: script, npm_config_loglevel: level } = env;
  return script !== undefined && level !== 'silent';
}
