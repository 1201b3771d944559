/** An answer that a channel may not show goes to direct messages, with its file. */
import { expect, it } from 'vitest';
import { ephemeral, textFile } from '../../../../../src/bot/commands/framework/command.ts';
import type { Fault } from '../../../../../src/local-slack/server/local-slack.ts';
import { directId, personId } from '../../../../../src/local-slack/state/seed.ts';
import type { TestDispatch } from '../../../../support/bot/bot.ts';
import { startPostingBot } from '../../../../support/bot/posting-bot.ts';
import { httpStatus, slackError } from '../../../../support/slack/faults.ts';
import { general, say } from '../../../../support/slack/threads.ts';

const viewer = personId('ada');

it.each<[string, Fault | undefined, RegExp]>([
  ['arrived with its file', undefined, /because the settings do not allow logs/],
  ['arrived, and its file may be missing if Slack did not confirm it', httpStatus(500), /may be missing.*not confirm/],
  ['arrived, and its file was not sent if Slack refused it', slackError('not_authed'), /could not be sent.*again/],
])('a private answer that %s says so', async (_, fault, words) => {
  const file = textFile('logs.txt', () => 'a line');
  const answer: TestDispatch = () => ({ ...ephemeral(say('the log')), isDirect: true, file });
  const { slack } = await startPostingBot({ answer });
  if (fault) slack.fail('files.completeUploadExternal', fault, 4);
  const told = slack.nextMessage({ viewer, matches: ({ isEphemeral }) => isEphemeral });
  await slack.command({ user: viewer, channel: general, text: '/workflow logs' });
  expect((await told).text).toMatch(words);
  expect((await told).text).not.toMatch(fault === undefined ? /may be missing/ : /because the settings/);
  const sent = slack.messages({ channel: directId('ada'), viewer });
  expect(sent.flatMap(({ files }) => files).length).toBe(fault === undefined ? 1 : 0);
  expect(sent[0]?.text).toContain('the log');
});
