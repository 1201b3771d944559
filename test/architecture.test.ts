/** Rules of the repository that lint cannot check. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as registry from '../src/bot/commands/registry.ts';
import { settings } from '../src/shared/settings.ts';

const root = new URL('../', import.meta.url).pathname;
const text = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const commandFolders = readdirSync(`${root}src/bot/commands/words`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('the commands', () => {
  it('are exactly the folders of src/bot/commands/words', () => {
    expect(Object.keys(registry).sort()).toEqual(commandFolders.sort());
  });

  it.each(commandFolders)('%s imports no other command', (folder) => {
    const others = commandFolders.filter((other) => other !== folder);
    for (const file of readdirSync(`${root}src/bot/commands/words/${folder}`)) {
      const source = text(`src/bot/commands/words/${folder}/${file}`);
      for (const other of others) expect(source).not.toContain(`'../${other}/`);
    }
  });
});

it('documents name files and folders that exist', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(`${root}docs`)
      .filter((name) => /\.md$/.test(name))
      .map((name) => `docs/${name}`),
  ];
  const named = documents.flatMap((document) =>
    [...text(document).matchAll(/\b(?:src|test|bench|scripts|queries)\/[\w./-]*\w(?![*\w])/g)].map(([path]) => ({
      document,
      path,
    })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ path }) => !existsSync(root + path))).toEqual([]);
});

describe('the size of the code', () => {
  /** Budgets. A smaller number replaces one when code goes; a larger one needs its reason in the commit. */
  const linesMax = { bin: 1_025, bot: 42_084, 'query-service': 9_720, 'local-slack': 8_000, shared: 5_770 };
  const placesMax = {
    '\\.\\.\\.deps\\b': 0,
    'Pick<[A-Za-z]*Deps': 0,
    'Pick<': 130,
    '(type|interface) [A-Za-z]*Deps\\b': 29,
  };
  /** @returns the lines that git finds; its status is 1 if there is none, and more for an error */
  const grep = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync('git', ['grep', '-h', ...args], { cwd: root, encoding: 'utf8' });
    expect(status).toBeOneOf([0, 1]);
    return stdout.match(/.+/g) ?? [];
  };

  it.each(Object.entries(linesMax))('src/%s has at most %i lines', (folder, max) => {
    const lines = grep('-c', '', '--', `src/${folder}`).reduce((sum, count) => sum + Number(count), 0);
    expect(lines).toBeLessThanOrEqual(max);
  });

  it('has at most 18 entries in each folder, but for the one with a folder for each command', () => {
    const folders = [...listed('src'), ...listed('test')].filter(([folder]) => !folder.endsWith('/commands/words'));
    expect(folders.filter(([, entries]) => entries.size > 18)).toEqual([]);
  });

  /** The tracked folders below this one, with their entries. */
  function listed(top: string): readonly (readonly [string, ReadonlySet<string>])[] {
    const folders = new Map<string, Set<string>>();
    for (const path of execFileSync('git', ['ls-files', top], { cwd: root, encoding: 'utf8' }).trim().split('\n')) {
      const parts = path.split('/');
      for (let depth = 1; depth < parts.length; depth += 1) {
        const folder = parts.slice(0, depth).join('/');
        folders.set(folder, (folders.get(folder) ?? new Set()).add(parts[depth] ?? ''));
      }
    }
    return [...folders];
  }

  it.each(Object.entries(placesMax))('%s is in at most %i places', (pattern, max) => {
    expect(grep('-oE', pattern, '--', 'src').length).toBeLessThanOrEqual(max);
  });
});

describe('the documents', () => {
  it('name every setting in the README and in .env.example', () => {
    for (const name of Object.keys(settings)) {
      expect(text('README.md')).toContain(`\`${name}\``);
      expect(text('.env.example')).toContain(`${name}=`);
    }
  });
});

it('the manifest’s slash command is the default one', () => {
  const manifest = parse(text('manifest.yml'));
  expect(manifest.features.slash_commands[0].command).toBe(settings.SLACK_COMMAND.parse(undefined));
});

describe('the dependencies', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text('package.json'));
  type Locked = { readonly integrity?: string; readonly resolved?: string; readonly cpu?: readonly string[] };
  const lock: Readonly<Record<string, Locked>> = JSON.parse(text('package-lock.json')).packages;

  /** Builds for platforms that the registry lacks, without a hash (scripts/complete-lockfile.ts). */
  const builds = {
    '@biomejs/cli':
      'android-arm64 android-x64 darwin-arm64 darwin-x64 linux-arm64-musl linux-x64-musl win32-arm64 win32-x64',
    '@napi-rs/canvas':
      'android-arm64 darwin-arm64 darwin-x64 linux-arm-gnueabihf linux-arm64-musl linux-riscv64-gnu linux-x64-musl win32-arm64-msvc win32-x64-msvc',
    '@oxc-parser/binding':
      'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu openharmony-arm64 win32-arm64-msvc win32-ia32-msvc win32-x64-msvc',
  };
  const withoutIntegrity = Object.entries(builds).flatMap(([name, platforms]) =>
    platforms.split(' ').map((platform) => `${name}-${platform}`),
  );

  it('are pinned exactly', () => {
    const { 'node-24': own, ...optional } = optionalDependencies;
    expect(own).toBe('file:scripts/node-24');
    const ofOwn = JSON.parse(text('scripts/node-24/package.json')).optionalDependencies;
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optional, ...ofOwn });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
  });

  it('are locked with an integrity and without an address, and no install script runs', () => {
    const own = ['', 'node_modules/node-24', 'scripts/node-24'];
    const packages = Object.entries(lock).filter(([path]) => !own.includes(path));
    const unknown = packages.filter(([, { integrity }]) => !integrity);
    expect(unknown.map(([path]) => path.replace('node_modules/', '')).sort()).toEqual([...withoutIntegrity].sort());
    expect(packages.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([]);
    expect(text('.npmrc')).toContain('ignore-scripts=true');
  });
});

describe('docs/security.md', () => {
  const [, section = ''] = /^## Threat by threat\n(.*?)^## /ms.exec(text('docs/security.md')) ?? [];
  const rows = section.matchAll(/^\| (?!Threat |-)([^|]+) \|[^|]+\| ([^|]+) \|$/gm);
  const threats = [...rows].map(([, threat = '', tests = '']) => ({ threat, tests }));

  it.each(threats)('names an existing test for: $threat', ({ tests }) => {
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(named.filter((path) => path.startsWith('test/'))).not.toEqual([]);
    expect(named.filter((path) => !existsSync(root + path))).toEqual([]);
  });
});

it('no test mocks one of our modules or runs exclusively', () => {
  const files = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' }).split('\n');
  const sources = files.filter(
    (file) => file.endsWith('.ts') && existsSync(root + file) && !file.includes('architecture'),
  );
  const offending = sources.filter((file) =>
    /\bvi\.(mock|doMock)\(|\b(it|test|describe)\.(only|todo)\b/.test(text(file)),
  );
  expect(offending).toEqual([]);
});

describe('the normal run of the tests', () => {
  it('holds no file of the long run', () => {
    const { stdout, stderr } = spawnSync('npx', ['vitest', 'list', '--filesOnly'], { cwd: root, encoding: 'utf8' });
    const files = stdout.split('\n').filter((line) => line.includes('.test.ts'));
    expect(stderr).toBe('');
    expect(files).toContainEqual(expect.stringContaining('test/architecture.test.ts'));
    expect(files.filter((file) => file.includes('.long.test.ts'))).toEqual([]);
  });

  /** Files that read a clock or wait, with the reason. A limit for a test is a control beside it: test/support/runner/control.ts. */
  const clockReaders: Readonly<Record<string, string>> = {
    'test/bot/insight/executions/consensus.test.ts': 'a ratio of processor times',
    'test/bot/slack/outbound/delivery/outbox-posting.test.ts': 'moves the monotonic clock',
    'test/bot/slack/inbound/receivers/clock-check.test.ts': 'is a clock that is ahead',
    'test/bot/store/several-bots.test.ts': 'is a clock that is ahead',
    'test/deployment/deploy.test.ts': 'is a slow client',
    'test/hostile/process.test.ts': 'counts the timers of a program',
    'test/bot/metrics.test.ts': 'blocks the event loop, which the metrics must show',
    'test/query-service/http/drain.test.ts': 'waits for longer than the service does',
    'test/query-service/limits/event-loop-scheduler.test.ts': 'is the work that takes time',
    'test/query-service/records/standbys.test.ts': 'the pace of a writer',
    'test/query-service/transfer/kills.ts': 'kills at random moments',
    'test/shared/http/connection-limit.test.ts': 'is a slow client',
    'test/shared/http/network-failure.test.ts': 'is a client that gives up',
    'test/shared/time/cooperative.test.ts': 'is the work that takes time',
    'test/support/bot/bot.ts': 'answers after the acknowledgement',
    'test/support/runner/control.ts': 'the control',
    'test/support/databases/database-line.ts': 'is a slow line',
    'test/support/delivery/fleet.ts': 'kills at random moments',
    'test/support/delivery/judge.ts': 'is a slow Slack',
    'test/support/delivery/replica.ts': 'is a process of its own',
    'test/support/delivery/trial.ts': 'polls processes',
    'test/support/documented-slack/fair-clock.ts': 'the time that a process had',
    'test/support/documented-slack/response-urls.ts': 'lets an address expire, as Slack does',
    'test/support/hostile/growth.ts': 'a ratio of processor times',
    'test/support/databases/own-postgres.ts': 'polls a server',
    'test/support/programs/throw-uncaught.ts': 'is a program that would go on',
    'test/support/service/hostile-http.ts': 'is a slow service',
    'test/support/service/slow-service.ts': 'is a slow service',
    'test/support/slack/faults.ts': 'is a slow Slack',
    'test/support/slack/socket-mode.ts': 'is Slack, which waits for an acknowledgement',
    'test/support/slack/wait-for.ts': 'says what was seen when the awaited does not come',
  };

  it('passes or fails by no clock of the machine', () => {
    const clocks =
      'performance\\.now|hrtime|[cC]puUsage|eventLoopUtilization|\\bset(Timeout|Interval)\\b|Date\\.now\\(\\) *[-+]';
    const limitsBelowAMinute = 'imeout: ([0-9]{1,4}|[0-9]_[0-9]{3}|[1-5][0-9]_?[0-9]{3})\\b';
    const reading = `${clocks}|${limitsBelowAMinute}`;
    const files = ['test', ':!*.long.test.ts', ':!test/fixtures', ':!test/architecture.test.ts'];
    const { stdout } = spawnSync('git', ['grep', '-lE', reading, '--', ...files], { cwd: root, encoding: 'utf8' });
    expect(stdout.trim().split('\n').toSorted()).toEqual(Object.keys(clockReaders).toSorted());
  });

  it('draws nothing at random that its seed does not repeat', () => {
    const { stdout } = spawnSync('git', ['grep', '-nE', 'Math\\.random|\\brandomInt\\(', '--', 'test'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('test/architecture.test.ts:'))).toEqual(
      [],
    );
  });
});
