/** The wiring of the bot. */
import { expect, test } from 'vitest';
import { startComposed } from './support/composed-bot.ts';
import { localSlack } from './support/local-slack.ts';

test('a bot behind a proxy may be stopped twice', async () => {
  const proxy = { httpProxy: 'http://127.0.0.1:9', noProxy: '127.0.0.1' };
  const { bot } = await startComposed(await localSlack(), { proxy });
  await expect(Promise.all([bot.stop(), bot.stop()])).resolves.toEqual([undefined, undefined]);
  await expect(bot.stop()).resolves.toBeUndefined();
});
