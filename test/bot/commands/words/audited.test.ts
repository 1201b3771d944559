/** Changes by command: none is kept without its audit entry. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startTestCommands } from '../../../support/bot/commands.ts';
import { due, plan } from '../../../support/bot/outbox.ts';
import { openBeside } from '../../../support/bot/store.ts';
import { newSqlite } from '../../../support/databases/engines.ts';
import { credential } from '../../store/contracts/credentials.contract.ts';

const person = { teamId: 'T1', userId: 'UADA', channelId: 'C1' };

/** A workspace with a digest and a key, whose audit takes no entry. */
async function start() {
  const databaseUrl = await newSqlite();
  const commands = await startTestCommands({ databaseUrl, endpoints: [credential.endpoint] });
  onTestFinished(commands.close);
  const { store } = commands;
  await store.subscriptions.create('T1', plan, { userId: 'UADA', at: 1 }, due);
  await store.credentials.connect('T1', credential);
  const beside = await openBeside(databaseUrl);
  await sql`create trigger full before insert on audit begin select raise(abort, 'full'); end`.execute(beside);
  const facts = async () => [
    ...[await store.subscriptions.list('T1'), await store.outbox.page('T1', 9)],
    ...[await store.credentials.find('T1'), await store.settings.read('T1'), await store.roles.list('T1')],
  ];
  return { ...commands, facts };
}

test.each(['digest pause', 'digest now'])(
  '%s changes nothing if the audit takes no entry, and says so',
  async (line) => {
    const { type, facts } = await start();
    const before = await facts();
    const { answer, text } = await type(line, { person });
    expect([answer.isProblem, text]).toEqual([true, expect.stringContaining('went wrong')]);
    expect(await facts()).toEqual(before);
  },
);

test.each([
  ['disconnect', {}],
  ['settings', { admins: ['U1'], visibility: 'channel', readers: 'everywhere', logs: 'everywhere', redaction: 'off' }],
])('the form of %s changes nothing if the audit takes no entry, and says so', async (command, values) => {
  const { submit, facts } = await start();
  const before = await facts();
  expect(await submit({ command, actor: person, values })).toMatchObject({ kind: 'problem' });
  expect(await facts()).toEqual(before);
});
