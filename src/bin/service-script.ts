/** Runs a script on the service's records: parses flags, opens the database, and prints one sentence on failure. */
import { existsSync } from 'node:fs';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { openRecords } from '../query-service/records/open.ts';
import type { RecordStore } from '../query-service/records/store.ts';
import { AppError } from '../shared/errors.ts';
import { readSettings } from '../shared/settings.ts';
import { fail, readEnvironment, refuseSettings, warn } from './environment.ts';

type ServiceScript<Flags extends ParseArgsOptionsConfig> = {
  readonly store: RecordStore;
  /** URL of the database. */
  readonly url: string;
  readonly flags: ReturnType<typeof parseArgs<{ options: Flags }>>['values'];
  readonly words: readonly string[];
  /** Ends the program with exit code 2, and prints the problem and the usage. */
  readonly refuse: (problem: string) => never;
};

type ScriptOptions<Flags extends ParseArgsOptionsConfig> = {
  readonly usage: string;
  /** Flags of the script, beside `--database`. */
  readonly flags: Flags;
  /** True if a missing database is created. */
  readonly makesDatabase: boolean;
  readonly run: (script: ServiceScript<Flags>) => Promise<void>;
};

/** Ends the program if the script fails. */
export async function runServiceScript<const Flags extends ParseArgsOptionsConfig>(
  options: ScriptOptions<Flags>,
): Promise<void> {
  const refuse = (problem: string) => refuseSettings([problem, `Usage: ${options.usage}`]);
  try {
    const { values: flags, positionals: words } = readArguments(options.flags, refuse);
    const { database } = flags as { readonly database?: string };
    const { serviceDatabaseUrl: url } = readDatabase(database, refuse);
    const file = /^sqlite:(.+)$/.exec(url)?.[1];
    if (!options.makesDatabase && file !== undefined && !existsSync(file)) {
      const hint = 'Check the database in --database or SERVICE_DATABASE_URL.';
      throw new AppError('unavailable', `There is no database ${file}.`, { hint });
    }
    const store = await openRecords(url, { cache: 'large', warn });
    await options.run({ store, url, flags, words, refuse }).finally(store.close);
  } catch (error) {
    fail(error);
  }
}

function readArguments<Flags extends ParseArgsOptionsConfig>(flags: Flags, refuse: (problem: string) => never) {
  try {
    const options = { ...flags, database: { type: 'string' } } as const;
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    // The first sentence says what is wrong.
    return refuse(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

/** @param flag value of `--database`, which overrides the setting */
function readDatabase(flag: string | undefined, refuse: (problem: string) => never) {
  const name = 'SERVICE_DATABASE_URL';
  const environment = { ...readEnvironment(), ...(flag !== undefined && { [name]: flag }) };
  const labelOf = (setting: string) => (setting === name && flag !== undefined ? '--database' : setting);
  const { values, problems } = readSettings(environment, [name], labelOf);
  return problems[0] === undefined ? values : refuse(problems[0]);
}
