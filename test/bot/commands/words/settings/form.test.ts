/** The form of `settings` refuses values that its menus never offer. */
import { expect, test } from 'vitest';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const commands = useTestCommands();
const filled = { visibility: 'ephemeral', readers: 'everywhere', logs: 'everywhere', redaction: 'on' };

test.each([
  ['admins', ['__proto__']],
  ['admins', ['0']],
  ['operators', ['U1', '<!channel>']],
  ['operators', ['C1']],
  ['readersChannels', ['general']],
  ['logsChannels', ['U1']],
  ['visibility', 'everybody'],
  ['readers', '1'],
  ['logs', 'all'],
  ['redaction', 'true'],
])('%s of %j gets an error beside the input, and nothing changes', async (input, value) => {
  const values = { ...filled, ...{ readers: 'chosen', readersChannels: ['C1'] }, [input]: value };
  const answer = await commands().submit({ command: 'settings', actor: { teamId: 'T1', userId: 'U1' }, values });
  expect(answer).toMatchObject({ kind: 'errors', errors: { [input]: expect.any(String) } });
  expect(await commands().store.audit.page('T1', 10)).toEqual([]);
});
