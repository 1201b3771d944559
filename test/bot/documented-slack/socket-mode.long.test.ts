/** The bot in a Slack written from Slack's documentation, over Socket Mode: every line in every place, and every deed. */
import { it, vi } from 'vitest';
import { commands, lines } from '../../support/documented-slack/bot.ts';
import { expectAcceptedInSocketMode } from './socket-mode.contract.ts';

/** Some five hundred deeds, on a machine that may be busy. */
vi.setConfig({ testTimeout: 400_000 });

it('every deed is acknowledged in time, and Slack accepts every answer', () =>
  expectAcceptedInSocketMode({ lines, words: commands, digestWordsEach: 1, isWanted: () => true }));
