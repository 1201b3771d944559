/** Events of messages, received through the real SDK. */
import { describe, expect, it } from 'vitest';
import type { LocalSlackOptions } from '../../../src/local-slack/server/server.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { connectApp, localSlack, type SocketEvent, slackNow, webClient } from '../../support/slack/local-slack.ts';

const [ada, ben, general] = [personId('ada'), personId('ben'), channelId('general')];

/** @returns what happened, out of the envelope around it */
function eventIn({ body: { event } }: SocketEvent): object {
  return typeof event === 'object' && event !== null ? event : {};
}

/** An app that acknowledges from this attempt on. @returns its events, one by one */
async function listening({ acksFrom = 0, ...options }: Partial<LocalSlackOptions> & { acksFrom?: number } = {}) {
  // Each attempt before that one times out.
  const ackTimeoutMs = acksFrom === 0 ? 60_000 : 500;
  const slack = await localSlack({ ackTimeoutMs, eventRetryDelaysMs: [0, 0, 0], ...options });
  const queue: SocketEvent[] = [];
  const waiting: ((heard: SocketEvent) => void)[] = [];
  const slack_event = async (heard: SocketEvent) => {
    if ((heard.retry_num ?? 0) >= acksFrom) await heard.ack();
    const next = waiting.shift();
    if (next) next(heard);
    else queue.push(heard);
  };
  await connectApp(slack, { slack_event });
  const hear = () => {
    const heard = queue.shift();
    return heard ? Promise.resolve(heard) : new Promise<SocketEvent>((resolve) => waiting.push(resolve));
  };
  return { slack, hear, queue };
}

const mention = (slack: SlackDriver, text = '@workflow-bot list') => slack.say({ user: ada, channel: general, text });

describe('the app receives', () => {
  it('a mention in a channel, with the envelope that Slack puts around it', async () => {
    const { slack, hear } = await listening();
    const { teamId, botUserId } = slack.workspace;
    const message = mention(slack, '@Workflow Bot status A & B');
    const heard = await hear();
    expect(heard.body).toMatchObject({
      type: 'event_callback',
      team_id: teamId,
      api_app_id: 'A01WORKFLOW',
      event_id: expect.stringMatching(/^Ev[0-9A-F]{12}$/),
      event_time: slackNow / 1000,
      authorizations: [{ enterprise_id: null, team_id: teamId, user_id: botUserId, is_bot: true }],
      event: { type: 'app_mention', user: ada, channel: general, ts: message?.ts, event_ts: message?.ts, team: teamId },
    });
    expect(eventIn(heard)).toMatchObject({ text: `<@${botUserId}> status A &amp; B` });
    expect(eventIn(heard)).not.toHaveProperty('thread_ts');
  });

  it('a text in its direct messages, without a mention', async () => {
    const { slack, hear } = await listening();
    slack.say({ user: ben, channel: directId('ben'), text: 'status payments' });
    const direct = {
      type: 'message',
      channel_type: 'im',
      user: ben,
      channel: directId('ben'),
      text: 'status payments',
    };
    expect(eventIn(await hear())).toMatchObject(direct);
  });

  it('the thread of a mention and of a direct message', async () => {
    const { slack, hear } = await listening();
    for (const channel of [general, directId('ada')]) {
      const { ts } = await webClient(slack).chat.postMessage({ channel, text: 'root' });
      slack.say({ user: ada, channel, text: '@workflow-bot list', threadTs: ts ?? '' });
      expect(eventIn(await hear())).toMatchObject({ thread_ts: ts, channel });
    }
  });

  it('no messages between people, none of its own, and none of channels without it', async () => {
    const { slack, hear, queue } = await listening();
    slack.say({ user: ada, channel: general, text: 'no workflow-bot, only @ben' });
    slack.say({ user: ada, channel: channelId('random'), text: '@workflow-bot list' });
    await webClient(slack).chat.postMessage({ channel: general, text: `<@${slack.workspace.botUserId}> list` });
    await webClient(slack).chat.postMessage({ channel: directId('ada'), text: 'hello' });
    const message = mention(slack);
    expect(eventIn(await hear())).toMatchObject({ ts: message?.ts });
    expect(queue).toEqual([]);
  });

  it('no events without their scope', async () => {
    const { slack, hear, queue } = await listening();
    slack.addWorkspace(['chat:write', 'im:history']);
    const [second, bot] = [personId('ada', 2), '@workflow-bot list'];
    slack.say({ user: second, channel: channelId('general', 2), text: bot });
    slack.say({ user: second, channel: directId('ada', 2), text: bot });
    expect(eventIn(await hear())).toMatchObject({ type: 'message', channel: directId('ada', 2) });
    expect(queue).toEqual([]);
  });
});

describe('an event that is not acknowledged', () => {
  it('is sent three more times, with the attempt and the reason', async () => {
    const { slack, hear, queue } = await listening({ acksFrom: 9 });
    mention(slack);
    const all = [await hear(), await hear(), await hear(), await hear()];
    const retries = all.map(({ retry_num, retry_reason }) => [retry_num, retry_reason]);
    expect(retries).toEqual([
      [0, ''],
      [1, 'timeout'],
      [2, 'timeout'],
      [3, 'timeout'],
    ]);
    expect(new Set(all.map(({ body }) => body['event_id'])).size).toBe(1);
    expect(queue).toEqual([]);
  });

  it('is sent once more if the second delivery is acknowledged', async () => {
    const { slack, hear } = await listening({ acksFrom: 1 });
    mention(slack, '@workflow-bot first');
    const first = [await hear(), await hear()].map(({ body }) => body['event_id']);
    mention(slack, '@workflow-bot second');
    expect(first[0]).toBe(first[1]);
    expect((await hear()).body['event_id']).not.toBe(first[0]);
  });

  it('is sent to an app that connects later', async () => {
    // Enough attempts for an app to connect on a busy machine.
    const slack = await localSlack({ eventRetryDelaysMs: Array.from({ length: 300 }, () => 50) });
    mention(slack);
    const arrived = Promise.withResolvers<SocketEvent>();
    await connectApp(slack, {
      slack_event: async (event) => {
        await event.ack();
        arrived.resolve(event);
      },
    });
    const { retry_num, retry_reason } = await arrived.promise;
    expect(retry_reason).toBe('connection_failed');
    expect(retry_num).toBeGreaterThan(0);
  });
});

it.each([
  ['channel_left', 'payments'],
  ['group_left', 'incident-room'],
] as const)('the app receives %s once a person removed it from #%s', async (type, name) => {
  const { slack, hear } = await listening();
  const channel = channelId(name);
  slack.changeChannel(channel, { memberIds: [ada, slack.workspace.botUserId] });
  await slack.command({ user: ada, channel, text: '/remove @workflow-bot' });
  expect(eventIn(await hear())).toMatchObject({ type, channel });
});

it('a person who mentions the bot where it is not a member gets an ephemeral note that says how to invite it', async () => {
  const slack = await localSlack();
  const random = channelId('random');
  slack.say({ user: ada, channel: random, text: '@Workflow Bot list' });
  const visibleTo = (viewer: string) => slack.messages({ channel: random, viewer }).map(({ text }) => text);
  expect(visibleTo(ada)[1]).toMatch(/^You mentioned Workflow Bot, but.* Type \/invite @Workflow Bot/);
  expect(visibleTo(ben)).toHaveLength(1);
});
