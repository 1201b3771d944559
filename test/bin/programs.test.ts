/** Guarantees of every program: only its user can read its files, and no signal opens a debugger; start.test.ts has those of the playground. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../support/databases/engines.ts';
import { useProgramsInTurn } from '../support/programs/in-turn.ts';
import { expectNoDebugger, modesIn, openToOthers, useOpenUmask } from '../support/programs/privacy.ts';
import { originOf, type Program, startProgram } from '../support/programs/program.ts';
import { harborLines } from '../support/service/transfer.ts';

const source = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { scripts } = JSON.parse(source('package.json'));
/** The programs in the scripts of package.json. */
const entries = Object.values<string>(scripts).flatMap((script) => /src\/bin\/[\w-]+\.ts$/.exec(script) ?? []);

/** @returns the program if it is a server, which keeps running */
type Step = (folder: string) => Promise<Program | undefined>;

const run = useProgramsInTurn();

const databases = {
  ...{ DATABASE_URL: 'sqlite:data/bot.db', ENCRYPTION_KEYS_FILE: 'secrets/encryption.keys' },
  SERVICE_DATABASE_URL: 'sqlite:records/service.db',
};

/** Runs a program that ends by itself. */
function script(name: string, { args = [], code = 0, databaseUrl = databases.DATABASE_URL }: ScriptOptions = {}): Step {
  return async (folder) => {
    const environment = { ...databases, DATABASE_URL: databaseUrl };
    expect(await run({ entry: `src/bin/${name}.ts`, args, folder, environment })).toMatchObject({ code });
    return undefined;
  };
}

type ScriptOptions = { readonly args?: readonly string[]; readonly code?: number; readonly databaseUrl?: string };

const bot = async (folder: string) => {
  const environment = {
    ...databases,
    ...{ SLACK_SIGNING_SECRET: 'a-signing-secret-of-the-tests', SLACK_CLIENT_ID: '1.2' },
    ...{ SLACK_CLIENT_SECRET: 'a-client-secret-of-the-tests', PUBLIC_URL: 'https://bot.example' },
    ...{ PORT: '0', QUERY_SERVICE_URL: 'https://service.example/graphql' },
  };
  const program = startProgram({ entry: 'src/bin/start.ts', folder, environment });
  await originOf(program);
  return program;
};

const service = async (folder: string) => {
  const args = ['--port', '0', '--database', 'sqlite:records/service.db'];
  const program = startProgram({ entry: 'src/bin/service.ts', args, folder });
  await program.said(/Ctrl-C stops it/);
  return program;
};

/** Each program creates the input of the next; servers keep running. */
const steps: readonly (readonly [name: string, step: Step])[] = [
  ['store-make-key', script('store-make-key')],
  ['start', bot],
  ['store-rotate-keys', script('store-rotate-keys')],
  ['store-backup', script('store-backup', { args: ['backup.jsonl'] })],
  ['store-restore', script('store-restore', { args: ['backup.jsonl'], databaseUrl: 'sqlite:restored/bot.db' })],
  ['service-import', script('service-import', { args: ['records.ndjson'], code: 3 })],
  ['service', service],
  ['service-key', script('service-key', { args: ['list'] })],
  ['service-distribute', script('service-distribute', { code: 2 })],
  ['service-export', script('service-export', { args: ['--output', 'export.ndjson'] })],
];

it('every program is tested here, and hardens its process before it loads anything else', () => {
  expect(new Set(steps.map(([name]) => `src/bin/${name}.ts`))).toEqual(new Set(entries));
  for (const entry of entries) {
    expect([entry, /^import .*$/m.exec(source(entry))?.[0]]).toEqual([entry, "import './harden-process.ts';"]);
  }
});

it('only its user can read the files and folders of a program, no signal opens a debugger, and servers stop on a signal', async () => {
  useOpenUmask();
  const folder = newFolder();
  writeFileSync(join(folder, 'records.ndjson'), `{"type":"x"}\n${harborLines(20)}`, { mode: 0o600 });
  const servers: Program[] = [];
  for (const [, step] of steps) {
    const program = await step(folder);
    if (program) servers.push(program);
  }
  const modes = modesIn(folder);
  const made = ['data/bot.db-wal', 'records/service.db-shm', 'backup.jsonl', 'export.ndjson', 'records.ndjson.refused'];
  expect(Object.keys(modes)).toEqual(expect.arrayContaining(made));
  expect(openToOthers(modes)).toEqual([]);
  expect(servers).toHaveLength(2);
  await expectNoDebugger(servers);
  for (const { child } of servers) child.kill('SIGTERM');
  expect(await Promise.all(servers.map(({ ended }) => ended))).toEqual([0, 0]);
  // Nobody else could read or replace anything.
  for (const { output } of servers) expect(output()).not.toMatch(/Debugger|chmod|could open/);
});

it('what other users of the machine can read or replace is made private, or a warning says what to do', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, '.env'), 'SERVICE_RATE_LIMIT=40\n');
  chmodSync(join(folder, '.env'), 0o644);
  mkdirSync(join(folder, 'records'));
  chmodSync(join(folder, 'records'), 0o777);
  // To SQLite an empty file is an empty database.
  const files = ['', '-wal', '-shm'].map((suffix) => join(folder, `records/service.db${suffix}`));
  for (const file of files) writeFileSync(file, '');
  for (const file of files) chmodSync(file, 0o644);
  const { said } = await service(folder);
  await said(/chmod 600 \.env/);
  await said(/chmod o-w records/);
  for (const name of ['db', 'db-wal', 'db-shm']) await said(new RegExp(`could open \\S+service.${name} until`));
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
});
