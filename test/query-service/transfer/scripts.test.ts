/** The import and export scripts as people run them: output, resumption and exit codes. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { describeEngines, newFolder, newSqlite } from '../../support/databases/engines.ts';
import { useProgramsInTurn } from '../../support/programs/in-turn.ts';
import { putOrganizations, serviceNow } from '../../support/service/service-records.ts';
import {
  exportOf,
  harborLines,
  importInto,
  openTestRecords,
  startServiceScript,
} from '../../support/service/transfer.ts';
import { expectSameAfterKills } from './kills.ts';

const run = useProgramsInTurn();
const script = (name: 'import' | 'export', ...args: readonly string[]) =>
  run({ entry: `src/bin/service-${name}.ts`, args });

describeEngines('an import that is killed', (newDatabase) => {
  test('ends like one without kills', async () => {
    await expectSameAfterKills(newDatabase, 1, 5_000, (file, url) => script('import', file, '--database', url));
  });
});

test('the scripts export what they import, report refused lines in a file, and replace no export', async () => {
  const [url, folder] = [await newSqlite(), newFolder()];
  const [input, output] = [join(folder, 'records.ndjson'), join(folder, 'export.ndjson')];
  writeFileSync(input, `{"type":"x"}\n${harborLines(20)}`);
  const imported = await script('import', input, '--database', url);
  expect(imported.code).toBe(3);
  expect(imported.output).toContain(
    '25 lines read. Written: 1 organization, 1 account, 2 workflows, 0 deployments, 20 executions.\n',
  );
  expect(JSON.parse(readFileSync(`${input}.refused`, 'utf8'))).toEqual({
    line: 1,
    reason: expect.stringMatching(/^type must be/),
  });
  const exported = await script('export', '--database', url, '--output', output);
  expect([exported.code, readFileSync(output, 'utf8'), exported.output]).toEqual([0, harborLines(20), '']);
  writeFileSync(input, harborLines(20));
  const again = await script('export', '--database', url, '--output', input);
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('must not exist yet')]);
  expect(readFileSync(input, 'utf8')).toBe(harborLines(20));
  expect((await script('import', input, '--database', url)).code).toBe(0);
  expect(existsSync(`${input}.refused`)).toBe(false);
});

test('an import starts over if its imported range has changed, resumes after it otherwise, and starts over on request', async () => {
  const [url, file] = [await newSqlite(), join(newFolder(), 'records.ndjson')];
  const store = await openTestRecords(url);
  writeFileSync(file, `bad\n${harborLines(0)}`);
  const progress = { bytes: 4, lines: 1, digest: 'of other bytes', refused: 1, refusedBytes: 2, at: serviceNow };
  await store.imports.put(file, progress);
  const changed = await script('import', file, '--database', url);
  expect([changed.code, changed.output]).toEqual([3, expect.stringContaining('5 lines read. Written: 1')]);

  const done = readFileSync(file);
  const digest = createHash('sha256').update(done).digest('hex');
  const refusedBytes = readFileSync(`${file}.refused`).length;
  const half = { ...progress, bytes: done.length, lines: 5, digest, refusedBytes };
  await store.imports.put(file, half);
  // Reported, but not known to be: the import was killed in between.
  appendFileSync(`${file}.refused`, 'what comes next');
  appendFileSync(file, 'worse\n');
  const resumed = await script('import', file, '--database', url);
  expect(resumed.code).toBe(3);
  // Lines of two streams, in any order.
  for (const expected of ['Continues after line 5', '6 lines read, 5 of them before', '2 lines refused']) {
    expect(resumed.output).toContain(expected);
  }
  const lines = readFileSync(`${file}.refused`, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual([1, 6]);
  expect(await store.imports.find(file)).toBeNull();

  await store.imports.put(file, half);
  const whole = await script('import', file, '--database', url, '--from-start');
  expect([whole.code, whole.output]).toEqual([3, expect.stringContaining('6 lines read. Written: 1')]);
});

test('an import reads standard input to its end, and creates the database', async () => {
  const url = await newSqlite();
  const { child, ended, output } = startServiceScript('import', '-', '--database', url);
  child.stdin?.end(harborLines(3));
  expect([await ended, output()]).toEqual([0, expect.stringContaining('7 lines read.')]);
  expect(await exportOf(await openTestRecords(url))).toBe(harborLines(3));
});

test('an import reads a named pipe', async () => {
  const [url, pipe] = [await newSqlite(), join(newFolder(), 'pipe')];
  execFileSync('mkfifo', [pipe]);
  const [{ code, output }] = await Promise.all([
    script('import', pipe, '--database', url),
    writeFile(pipe, harborLines(3)),
  ]);
  expect([code, output]).toEqual([0, expect.stringContaining('7 lines read.')]);
});

test('an import that fails in the database prints the reason, and how to resume', async () => {
  const [url, file] = [await newSqlite(), join(newFolder(), 'records.ndjson')];
  writeFileSync(file, harborLines(3));
  await openTestRecords(url);
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  onTestFinished(() => other.close());
  other.exec(`create trigger full before insert on execution begin select raise(abort, 'disk full'); end`);
  const { code, output } = await script('import', file, '--database', url);
  const sentence = 'The import has stopped: disk full. Run the same import again to continue where it stopped.\n';
  expect([code, output]).toEqual([1, sentence]);
});

test('the reader of an export may stop at any time', async () => {
  const url = await newSqlite();
  await importInto(await openTestRecords(url), harborLines(1000));
  const { child, ended, output } = startServiceScript('export', '--database', url);
  if (child.stdout) await once(child.stdout, 'data');
  child.stdout?.destroy();
  expect([await ended, output()]).toEqual([0, expect.not.stringContaining('Error')]);
});

const usage = /\nUsage: npm run /;

test.each([
  ['import', ['a', 'b'], 2, usage],
  ['import', ['a', '--verbose'], 2, /Unknown option '--verbose'\nUsage/],
  ['import', ['none.ndjson', '--database', 'sqlite::memory:'], 1, /^The file none.ndjson cannot be read.\n$/],
  ['import', ['.', '--database', 'sqlite::memory:'], 1, /^The file . cannot be read.\n$/],
  ['import', ['a', '--database', 'mysql://x'], 2, /^--database must be sqlite:<file> or postgres.*\nUsage/],
  [
    'export',
    ['--database', 'sqlite:none.db'],
    1,
    /^There is no database none.db. Check the database in --database or SERVICE_DATABASE_URL\./,
  ],
] as const)('%s %j is refused in one clear sentence', async (name, args, code, sentence) => {
  const ended = await script(name, ...args);
  expect([ended.code, ended.output]).toEqual([code, expect.stringMatching(sentence)]);
  expect(ended.output).not.toContain('    at ');
});

test('an unknown organization cannot be exported', async () => {
  const url = await newSqlite();
  await putOrganizations((await openTestRecords(url)).writer);
  const { code, output } = await script('export', '--database', url, '--organization', 'org_nowhere');
  expect([code, output]).toEqual([1, 'There is no organization org_nowhere.\n']);
});
