/** In a channel that people of another company may read, each line of each command and each press is private. */
import { it } from 'vitest';
import { useGovernedBot } from '../../../support/bot/governed-bot.ts';
import { everyLine, expectPrivateLines } from '../../../support/bot/walk-commands.ts';

const governed = useGovernedBot();

it('each command and each press in a channel that is shared shows nothing to several people', async () => {
  await expectPrivateLines(await governed(), everyLine);
});
