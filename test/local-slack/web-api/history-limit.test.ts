/** The rate limit of histories for apps outside of the Marketplace. */
import { expect, it } from 'vitest';
import { channelId } from '../../../src/local-slack/state/seed.ts';
import { localSlack, slackNow, webClient } from '../../support/slack/local-slack.ts';

const channel = channelId('general');

it('each of the two methods takes one call a minute from each workspace, with fifteen messages', async () => {
  let now = slackNow;
  const slack = await localSlack({ clock: () => now });
  slack.limitHistories();
  const second = slack.addWorkspace();
  const { chat, conversations } = webClient(slack);
  const { ts = '' } = await chat.postMessage({ channel, text: 'root' });
  for (let index = 0; index < 20; index += 1) await chat.postMessage({ channel, text: `${index}`, thread_ts: ts });
  for (let index = 0; index < 20; index += 1) await chat.postMessage({ channel, text: `${index}` });
  const page = await conversations.history({ channel, limit: 200 });
  expect(page).toMatchObject({ has_more: true, messages: { length: 15 } });
  expect(await conversations.replies({ channel, ts })).toMatchObject({ has_more: true, messages: { length: 15 } });
  now += 20_000;
  await expect(conversations.history({ channel })).rejects.toMatchObject({ retryAfter: 40 });
  const other = webClient(slack, second.botToken).conversations;
  expect(await other.history({ channel: channelId('general', 2) })).toMatchObject({ ok: true });
  now += 40_000;
  expect(await conversations.history({ channel })).toMatchObject({ ok: true });
});
