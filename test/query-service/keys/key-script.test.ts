/** `npm run service:key` as people run it. */
import { expect, test } from 'vitest';
import { parseKeyText } from '../../../src/shared/key-shape.ts';
import { newSqlite } from '../../support/databases/engines.ts';
import { useProgramsInTurn } from '../../support/programs/in-turn.ts';
import { startTestService } from '../../support/service/service.ts';
import { putOrganizations } from '../../support/service/service-records.ts';
import { openTestRecords } from '../../support/service/transfer.ts';

const run = useProgramsInTurn();

function key(url: string, ...args: readonly string[]) {
  return run({ entry: 'src/bin/service-key.ts', args: [...args, '--database', url] });
}

async function filled(): Promise<string> {
  const url = await newSqlite();
  await putOrganizations((await openTestRecords(url)).writer);
  return url;
}

test('a new key is alone on standard output, works at once, and is listed without its secret', async () => {
  const url = await filled();
  const today = () => new Date().toISOString().slice(0, 10);
  const firstDay = today();
  const flags = [
    '--organization',
    'org_harbor',
    '--name',
    'Grafana',
    '--expires',
    '2999-01-31',
    '--member',
    'member_dana',
  ];
  const { code, stdout, stderr } = await key(url, 'create', ...flags);
  const parsed = parseKeyText(stdout.trimEnd());
  expect([code, stdout.split('\n').length]).toEqual([0, 2]);
  expect(stderr).toMatch(/^\{.*"msg":"key created"\}\n$/);
  const service = await startTestService({ databaseUrl: url, hasRecords: false, clock: Date.now });
  const query = '{ getAccountDetails { memberId } }';
  expect((await service.ask(query, null, stdout.trimEnd())).body.data).toMatchObject({
    getAccountDetails: { memberId: 'member_dana' },
  });
  await service.close();
  const list = (await key(url, 'list', '--organization', 'org_harbor')).stdout;
  // The day may end meanwhile.
  const day = `(?:${firstDay}|${today()})`;
  expect(list).toMatch(
    new RegExp(
      `^ID .*STATE\\n${parsed?.id}  org_harbor +Grafana +member_dana +${day}.*Z  ${day}.*valid until 2999-01-31T00:00Z\\n`,
    ),
  );
  for (const text of [stderr, list]) expect(text).not.toContain(parsed?.secret);
});

test('a rotated key is listed as replaced, and a revoked one as revoked', async () => {
  const url = await filled();
  const made = await key(url, 'create', '--organization', 'org_harbor', '--name', 'x');
  const id = made.stdout.slice(4, 17);
  const rotated = await key(url, 'rotate', id, '--overlap', '30m');
  const newId = rotated.stdout.slice(4, 17);
  expect((await key(url, 'revoke', newId)).stdout).toBe(`The key ${newId} no longer works.\n`);
  expect((await key(url, 'list')).stdout).toMatch(
    new RegExp(`${id} .* never  +valid until .*Z, replaced by ${newId}\\n${newId} .* never  +revoked .*Z\\n$`),
  );
});

test.each([
  [[], 2, 'Name one of create, list, revoke and rotate.'],
  [['toString'], 2, 'Name one of create, list, revoke and rotate.'],
  [['create', '--name', 'x'], 2, '--organization is needed.'],
  [['create', '--organization', 'org_harbor'], 2, '--name is needed'],
  [['create', '--organization', 'org_harbor', '--name', 'two\nlines'], 2, '--name is needed'],
  [['create', '--organization', 'org_harbor', '--name', 'x', '--expires', '2020-01-01'], 2, 'must be in the future'],
  [['create', '--organization', 'org_harbor', '--name', 'x', '--expires', 'soon'], 2, '--expires must be a date'],
  [['create', '--organization', 'org_nowhere', '--name', 'x'], 1, 'There is no organization org_nowhere.'],
  [['revoke'], 2, 'The id of one key is needed.'],
  [['revoke', 'a', '--overlap', '1h'], 2, '--overlap does not go with revoke.'],
  [['revoke', 'abc'], 1, 'There is no API key abc. npm run service:key -- list shows the ids.'],
  [['rotate', 'abc', '--overlap', '91d'], 2, '--overlap must be such as'],
] as const)('%j is refused in one clear sentence', async (args, code, sentence) => {
  const { stdout, stderr, ...ended } = await key(await filled(), ...args);
  expect([ended.code, stdout]).toEqual([code, '']);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('    at ');
});
