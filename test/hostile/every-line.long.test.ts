/** The hostile texts and secrets in every line of each command, the longest log, and every answer that a digest cannot be read from. */
import { it } from 'vitest';
import { everyLine, useAnswers } from '../support/bot/every-answer.ts';
import { describeBusy, everyCountOfDigests } from '../support/hostile/busy.ts';
import { hostileStrings } from '../support/hostile/hostile.ts';
import { expectInert } from '../support/hostile/inert.ts';
import { expectMasked, secrets } from '../support/hostile/masked.ts';
import { expectToldOnce, otherAnswers } from '../support/hostile/unreadable-answers.ts';
import { sameText, worldOf } from '../support/service/world.ts';
import { millionLogLines } from './limits.ts';

const answersTo = useAnswers();

it.each(hostileStrings('text'))('%s: every line of each command has no markup of the text', async (id, text) => {
  const answers = await answersTo(
    worldOf(() => sameText(text)),
    everyLine,
  );
  expectInert(id.replace('text/', ''), answers);
});

it.each(Object.keys(secrets))('secret/%s: every line of each command masks it', async (name) => {
  await expectMasked(name, answersTo, everyLine);
});

it('text/log-1M-lines: logs are bounded in memory and in Slack', millionLogLines);

it.each(otherAnswers)(
  'upstream/%s: a digest is retried for 15 minutes, and says once that it could not check',
  expectToldOnce,
);

describeBusy(() => true, everyCountOfDigests);
