/** An answer that is longer than a frame of Socket Mode may be, in the local Slack, which closes the connection at a longer one. */
import { expect, test } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { useTestCommands } from '../../support/bot/commands.ts';
import { wholeBot } from '../../support/bot/whole-bot.ts';

const commands = useTestCommands();
const typed = { user: personId('ada'), channel: channelId('general'), text: '/workflow executions payments' };

test('comes each time that it is asked for, and the connection stays', async () => {
  const slack = await wholeBot(commands());
  const changes: number[] = [];
  for (const _ of [1, 2, 3]) {
    const next = slack.nextMessage({ viewer: typed.user });
    expect(await slack.command(typed)).toMatchObject({ ok: true });
    expect((await next).text).toContain(' runs of payments');
    changes.push(slack.connectionCount());
  }
  expect(changes).toEqual([1, 1, 1]);
});
