/** An export in the local Slack: its progress, its cancellation and its file. */
import { expect, it } from 'vitest';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { useTestCommands } from '../../support/bot/commands.ts';
import { personIn, pressable, wholeBot } from '../../support/bot/whole-bot.ts';
import { useStuckExports } from '../../support/programs/stuck-export.ts';
import { httpStatus, slackError } from '../../support/slack/faults.ts';

const stuckExports = useStuckExports();
const inSample = useTestCommands();
const viewer = personId('ada');

it('an export shows its progress in place of its answer, and makes no file when it is cancelled', async () => {
  const slack = await wholeBot(await stuckExports());
  const ada = personIn(slack);
  const note = await ada.type('export payments');
  expect(note.text).toMatch(/^:hourglass_flowing_sand: Exporting payments: 100 runs so far, 3 % of the window…$/);
  expect(note.viewer).toBe(viewer);
  const ended = slack.nextMessage({ viewer, matches: ({ text }) => text.includes('had been read') });
  await ada.press(note, 'Cancel');
  const answer = await ended;
  expect(answer.text).toContain('Cancelled the export of payments: 100 runs had been read, and no file was made.');
  expect([answer.ts, pressable(answer)]).toEqual([note.ts, ['Export again']]);
  expect(slack.messages({ channel: directId('ada'), viewer })).toEqual([]);
});

it('an export requested in a channel puts the file in the direct messages, and the answer links to it', async () => {
  const slack = await wholeBot(inSample());
  const answer = slack.nextMessage({ viewer, matches: ({ isEphemeral }) => isEphemeral });
  await slack.command({ user: viewer, channel: channelId('general'), text: '/workflow export fx-rates' });
  const { text, blocks } = await answer;
  const [file, note] = slack.messages({ channel: directId('ada'), viewer });
  expect(file?.files.map(({ name }) => name)).toEqual([expect.stringMatching(/^fx-rates-.*\.csv$/)]);
  expect(text).toMatch(/fx-rates: 288 runs that started between <!date.*> and <!date/);
  expect(JSON.stringify(blocks)).toContain(`p${note?.ts.replace('.', '')}`);
  expect(slack.messages({ channel: channelId('general'), viewer: personId('ben') })).toEqual([]);
});

it.each([
  ['may have arrived if Slack does not confirm it', httpStatus(500), /did not confirm.*Look in your direct messages/],
  ['was not sent if Slack refuses it', slackError('not_allowed_token_type'), /could not be sent to you/],
])('the file of an export %s', async (_, fault, words) => {
  const slack = await wholeBot(inSample());
  slack.fail('files.completeUploadExternal', fault, 4);
  const answer = slack.nextMessage({ viewer, matches: ({ isEphemeral }) => isEphemeral });
  await slack.command({ user: viewer, channel: channelId('general'), text: '/workflow export fx-rates' });
  expect((await answer).text).toMatch(words);
});

it('an export requested in the direct messages puts the file there', async () => {
  const slack = await wholeBot(inSample());
  const answer = slack.nextMessage({
    channel: directId('ada'),
    matches: ({ text }) => text.includes('The file is here'),
  });
  slack.say({ user: viewer, channel: directId('ada'), text: 'export fx-rates' });
  expect((await answer).text).toContain('fx-rates: 288 runs');
  const named = slack
    .messages({ channel: directId('ada'), viewer })
    .flatMap(({ files }) => files.map(({ name }) => name));
  expect(named).toEqual([expect.stringMatching(/^fx-rates-.*\.csv$/)]);
});

it('an export requested in other direct messages puts the file in the bot’s direct messages with the person', async () => {
  const slack = await wholeBot(inSample());
  const told = slack.nextMessage({ viewer, matches: ({ text }) => text.includes('in your direct messages') });
  slack.tamper((payload) => ({ ...payload, channel_id: directId('ben') }));
  await slack.command({ user: viewer, channel: channelId('general'), text: '/workflow export fx-rates' });
  await told;
  const filesOf = (name: 'ada' | 'ben') =>
    slack.messages({ channel: directId(name), viewer: personId(name) }).flatMap(({ files }) => files);
  expect([filesOf('ada').length, filesOf('ben').length]).toEqual([1, 0]);
});
