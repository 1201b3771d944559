/** The bot in a Slack written from Slack's documentation, over Socket Mode: each command, and one deed of each kind. */
import { expect, it, vi } from 'vitest';
import { commands, manifest, ofEachKind, words } from '../../support/documented-slack/bot.ts';
import { caused, expectAcceptedInSocketMode } from './socket-mode.contract.ts';

/** Many deeds, on a machine that may be busy. */
vi.setConfig({ testTimeout: 400_000 });

it('every deed is acknowledged in time, and Slack accepts every answer', async () => {
  const lines = commands.map(({ name, examples: [example = name] }) => example);
  await expectAcceptedInSocketMode({ lines, words, digestWordsEach: 4, isWanted: ofEachKind });
});

it('has every shortcut and event of the manifest', () => {
  expect(manifest.features.shortcuts).toHaveLength(1);
  const named: readonly string[] = manifest.settings.event_subscriptions.bot_events;
  expect(named.toSorted()).toEqual(caused.toSorted());
});
