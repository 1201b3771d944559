/** Messages about a workspace's installation and its key. */
import { expect, it } from 'vitest';
import {
  installedMessage,
  keyRefusedMessage,
  missingScopesMessage,
} from '../../../../src/bot/views/notices/workspace-notices.ts';

it.each([
  [true, /no new data .* until the key works again, or a workspace admin or bot admin enters a new one\.$/m],
  [false, /no new data .* until that service is allowed again, or .* enters a key for an allowed one\.$/m],
])('a key that is out of use (refused: %s) may be back without a new key', (isListed, words) => {
  expect(keyRefusedMessage({ since: 0, organization: null, isListed }).text).toMatch(words);
});

it('a workspace that is not connected may have answers already, with the default key', () => {
  const installed = { slashCommand: '/workflow', isConnected: false, isOrganization: false };
  expect(installedMessage(installed).text).toMatch(/Until then, the bot’s default key is used, if there is one\./);
});

it.each(['channels:read', 'channels:read and groups:read'])(
  'one permission and several are named alike: %s',
  (scopes) => {
    const { text } = missingScopesMessage({ scopes, installUrl: 'https://bot.example/slack/install' });
    expect(text).toContain(`does not have these permissions: ${scopes}.`);
  },
);
