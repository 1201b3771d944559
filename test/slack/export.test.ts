/** An export in the local Slack: how far it is, and cancelling it. */
import { expect, it } from 'vitest';
import { directId, personId } from '../../src/playground/seed.ts';
import { useStuckExports } from '../support/stuck-export.ts';
import { personIn, pressable, wholeBot } from '../support/whole-bot.ts';

const stuckExports = useStuckExports();
const viewer = personId('ada');

it('says how far it is in the place of its answer, and when it is cancelled made no file', async () => {
  const slack = await wholeBot(await stuckExports());
  const ada = personIn(slack);
  const note = await ada.type('export payments');
  expect(note.text).toMatch(/^:hourglass_flowing_sand: Exporting payments: 100 runs so far, 3 % of the window…$/);
  expect(note.viewer).toBe(viewer);
  const ended = slack.nextMessage({ viewer, matches: ({ text }) => text.includes('no file was made') });
  await ada.press(note, 'Cancel');
  const answer = await ended;
  expect(answer.text).toContain('Export of payments cancelled: 100 runs had been read, and no file was made.');
  expect([answer.ts, pressable(answer)]).toEqual([note.ts, ['Export again']]);
  expect(slack.messages({ channel: directId('ada'), viewer })).toEqual([]);
});
