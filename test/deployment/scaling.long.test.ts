/** The commands of docs/scaling.md, as they are there: the bot answers while one process grows to two replicas of each program and a standby. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import { freePorts } from '../support/programs/ports.ts';
import { harborLines } from '../support/service/transfer.ts';
import { localSlack } from '../support/slack/local-slack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Below the limit of a person, 10 requests in 10 s. */
const askEveryMs = 1_100;

type Step = { readonly title: string; readonly commands: readonly string[] };

/** @returns the commands below each numbered heading of the page */
function stepsOfPage(): readonly Step[] {
  const page = readFileSync(join(root, 'docs/scaling.md'), 'utf8');
  return page
    .split(/^### (?=\d\. )/m)
    .slice(1)
    .map((section) => ({
      title: /^.*$/m.exec(section)?.[0] ?? '',
      commands: [...(section.split(/^##/m)[0]?.matchAll(/^```sh\n(.*?)^```$/gms) ?? [])].map(([, block = '']) => block),
    }));
}

/** The ports of the page, which may be taken here. */
const portsOfPage = ['4000', '4001', '4002', '4003', '5432', '5433', '8080', '8081', '8082'] as const;

/** @returns a folder with the project’s files, in which the programs make their own */
function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scaling-'));
  chmodSync(folder, 0o755);
  for (const name of ['package.json', 'src', 'queries', 'node_modules'])
    symlinkSync(join(root, name), join(folder, name));
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
  writeFileSync(join(folder, 'records.ndjson'), harborLines(200));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs commands one after the other in one shell. */
function startShell(folder: string, environment: Readonly<Record<string, string>>) {
  const shell: ChildProcess = spawn('bash', ['-eu'], { cwd: folder, env: environment, detached: true });
  onTestFinished(() => {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream?.on('data', (text) => (output += String(text)));
  let count = 0;
  return async (commands: string) => {
    const due = Date.now() + 60_000;
    const mark = `commands ${count++} have run`;
    shell.stdin?.write(`${commands}\necho "${mark}"\n`);
    while (!output.includes(mark)) {
      if (shell.exitCode !== null || Date.now() > due)
        throw new Error(`${commands}\nended with:\n${output.slice(-5_000)}`);
      await wait(50);
    }
  };
}

it('the bot answers throughout, except while its store moves to PostgreSQL', { timeout: 240_000 }, async () => {
  const {
    PATH: programs = '',
    TEST_POSTGRES_URL: primary = '',
    TEST_POSTGRES_RUN: asServer = '',
    TEST_POSTGRES_FOLDER: copies = '',
  } = env;
  const slack = await localSlack({ clock: Date.now });
  const ports = await freePorts(portsOfPage.length);
  const replaced = new Map<string, string>([
    ...portsOfPage.map((port, index): [string, string] => [port, String(ports[index])]),
    ['5432', new URL(primary).port],
    ['/var/lib/postgresql', copies],
    ['sudo -u postgres', asServer],
    ['deploy/postgres', '$PWD/deploy/postgres'],
  ]);
  const here = (commands: string) => [...replaced].reduce((text, [from, to]) => text.replaceAll(from, to), commands);
  const shell = startShell(projectFolder(), {
    PATH: programs,
    ...{ SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken, SLACK_API_URL: slack.apiUrl },
    ...{ LOG_LEVEL: 'warn', PORT: here('8080'), npm_config_update_notifier: 'false' },
  });
  const person = { user: personId('ada'), channel: channelId('general') };
  const ask = async () => {
    const answer = slack.nextMessage({
      viewer: person.user,
      matches: ({ text }) => /^Workflows|failed with/.test(text),
    });
    void slack.command({ ...person, text: '/workflow list' });
    return answer.then(({ text }) => (text.startsWith('Workflows') ? 'answered' : text), String);
  };
  const outcomes = new Map<string, Set<string>>();
  for (const { title, commands } of stepsOfPage()) {
    const state = { isOver: false };
    const seen = new Set<string>();
    outcomes.set(title, seen);
    const asking = (async () => {
      for (; !state.isOver; await wait(askEveryMs)) seen.add(await ask());
    })();
    for (const block of commands) await shell(here(block));
    await wait(3_000);
    state.isOver = true;
    await asking;
    expect(await ask(), title).toBe('answered');
  }
  expect([...outcomes.keys()]).toHaveLength(4);
  for (const [title, seen] of [...outcomes].slice(2)) expect([title, [...seen]]).toEqual([title, ['answered']]);
  const standby = here('postgres://postgres@127.0.0.1:5433/service');
  const { stdout } = await run('psql', [
    standby,
    '-Atc',
    "select count(*) > 1 from pg_stat_activity where datname = 'service'",
  ]);
  expect(stdout.trim(), 'connections to the standby, beside this one').toBe('t');
});
