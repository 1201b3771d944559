/** Guarantees of every program: only its user can read its files, and no signal opens a debugger. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../support/databases/engines.ts';
import { ownPorts, startPlayground } from '../support/programs/playground.ts';
import { originOf, type Program, startProgram } from '../support/programs/program.ts';
import { harborLines } from '../support/service/transfer.ts';

const source = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { scripts } = JSON.parse(source('package.json'));
/** The programs in the scripts of package.json. */
const entries = Object.values<string>(scripts).flatMap((script) => /src\/bin\/[\w-]+\.ts$/.exec(script) ?? []);

type Step = (folder: string) => Promise<Program>;

const databases = {
  ...{ DATABASE_URL: 'sqlite:data/bot.db', ENCRYPTION_KEYS_FILE: 'secrets/encryption.keys' },
  SERVICE_DATABASE_URL: 'sqlite:records/service.db',
};

/** Runs a program that ends by itself. */
function script(name: string, { args = [], code = 0, databaseUrl = databases.DATABASE_URL }: ScriptOptions = {}): Step {
  return async (folder) => {
    const environment = { ...databases, DATABASE_URL: databaseUrl };
    const program = startProgram({ entry: `src/bin/${name}.ts`, args, folder, environment });
    expect([await program.ended, program.output()]).toEqual([code, expect.anything()]);
    return program;
  };
}

type ScriptOptions = { readonly args?: readonly string[]; readonly code?: number; readonly databaseUrl?: string };

const playground: Step = async (folder) => {
  const own = join(folder, 'playground');
  mkdirSync(own, { mode: 0o700 });
  const program = startProgram({ entry: 'src/bin/start.ts', folder: own, environment: ownPorts });
  await program.said(/Ctrl-C stops everything/);
  return program;
};

const bot: Step = async (folder) => {
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

const service: Step = async (folder) => {
  const args = ['--port', '0', '--database', 'sqlite:records/service.db'];
  const program = startProgram({ entry: 'src/bin/service.ts', args, folder });
  await program.said(/Ctrl-C stops it/);
  return program;
};

/** Each program creates the input of the next; servers keep running. */
const steps: readonly (readonly [name: string, step: Step])[] = [
  ['start', playground],
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

/** @returns the mode of each file and folder that the test did not create itself */
function modesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'records.ndjson');
  const shown = (name: string) => `${statSync(join(folder, name)).isDirectory() ? 'folder' : 'file'} ${mode(name)}`;
  const mode = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
  return Object.fromEntries(names.map((name) => [name, shown(name)]));
}

let umask = 0;
beforeEach(() => {
  umask = process.umask(0o022);
});
afterEach(() => void process.umask(umask));

it('every program is tested here, and hardens its process before it loads anything else', () => {
  expect(new Set(steps.map(([name]) => `src/bin/${name}.ts`))).toEqual(new Set(entries));
  for (const entry of entries) {
    expect([entry, /^import .*$/m.exec(source(entry))?.[0]]).toEqual([entry, "import './harden-process.ts';"]);
  }
});

it('only its user can read the files and folders of a program, under an open umask', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'records.ndjson'), `{"type":"x"}\n${harborLines(20)}`);
  for (const [, step] of steps) await step(folder);
  const modes = modesIn(folder);
  const made = ['data/bot.db-wal', 'records/service.db-shm', 'backup.jsonl', 'export.ndjson', 'records.ndjson.refused'];
  expect(Object.keys(modes)).toEqual(expect.arrayContaining([...made, 'playground/data/playground.log']));
  const open = Object.entries(modes).filter(([, mode]) => mode !== 'file 600' && mode !== 'folder 700');
  expect(open).toEqual([]);
});

it('no signal opens a debugger, and the program continues', async () => {
  const folder = newFolder();
  await script('store-make-key')(folder);
  const { program } = await startPlayground();
  const servers = [program, await bot(folder), await service(folder)];
  for (const { child } of servers) child.kill('SIGUSR1');
  const isListening = await fetch('http://127.0.0.1:9229/json/list').then(
    () => true,
    () => false,
  );
  for (const { child } of servers) child.kill('SIGTERM');
  const codes = await Promise.all(servers.map(({ ended }) => ended));
  expect([isListening, codes]).toEqual([false, [0, 0, 0]]);
  for (const { output } of servers) expect(output()).not.toContain('Debugger');
});

describe('a file that other users of the machine can read', () => {
  it('that is a database gets mode 0600 with its side files, and a warning says so', async () => {
    const folder = newFolder();
    await service(folder);
    const files = ['', '-wal', '-shm'].map((suffix) => join(folder, `records/service.db${suffix}`));
    for (const file of files) chmodSync(file, 0o644);
    const later = await service(folder);
    for (const name of ['db', 'db-wal', 'db-shm']) await later.said(new RegExp(`could open \\S+service.${name} until`));
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  });

  it('that is .env is used, and a warning says what to do', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, '.env'), 'SERVICE_RATE_LIMIT=40\n');
    chmodSync(join(folder, '.env'), 0o644);
    await (await service(folder)).said(/chmod 600 \.env/);
    chmodSync(join(folder, '.env'), 0o600);
    const quiet = await service(folder);
    quiet.child.kill('SIGTERM');
    expect([await quiet.ended, quiet.output()]).toEqual([0, expect.not.stringContaining('chmod')]);
  });

  it('causes a warning if every user can replace it in its folder', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'records'));
    chmodSync(join(folder, 'records'), 0o777);
    await (await service(folder)).said(/chmod o-w records/);
  });
});
