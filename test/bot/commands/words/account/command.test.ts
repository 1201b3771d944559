/** `account` against the sample organization. */
import { expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/bot/commands.ts';

const test = useTestCommands();

it('the account names the organization and the member, and never the key', async () => {
  const { answer, text } = await test().type('account');
  expect(text).toContain('Organization Harbor Markets');
  expect(text).toMatch(/the member \S/);
  expect(JSON.stringify(answer) + test().logged()).not.toContain(test().apiKey);
});

it('the account accepts no arguments', async () => {
  expect((await test().type('account payments')).text).toContain('takes no arguments');
});
