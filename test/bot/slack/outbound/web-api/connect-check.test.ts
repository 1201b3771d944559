/** The Slack Connect check: the audience of a channel, its cache, and the calls that are never sent without it. */
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WithheldError } from '../../../../../src/bot/slack/outbound/web-api/audience.ts';
import { createSlackClients } from '../../../../../src/bot/slack/outbound/web-api/client.ts';
import { ConnectCheck } from '../../../../../src/bot/slack/outbound/web-api/connect-check.ts';
import { createSlackFetch } from '../../../../../src/bot/slack/outbound/web-api/slack-fetch.ts';
import type { Fault } from '../../../../../src/local-slack/server/local-slack.ts';
import { channelId, directId, personId } from '../../../../../src/local-slack/state/seed.ts';
import { createMemoryLog } from '../../../../support/runner/memory-log.ts';
import {
  delayed,
  delayedUntil,
  httpStatus,
  rateLimited,
  replacedAnswer,
  slackError,
} from '../../../../support/slack/faults.ts';
import { localSlack } from '../../../../support/slack/local-slack.ts';

const general = channelId('general');

async function startCheck(timeoutMs = 60_000) {
  const slack = await localSlack();
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const { log } = createMemoryLog();
  const web = { slackApiUrl: slack.apiUrl, fetch: createSlackFetch(agent), log, callTimeoutMs: 5_000 };
  const time = { now: 1_000_000 };
  const check = new ConnectCheck(createSlackClients(web), () => time.now, timeoutMs);
  const { botToken } = slack;
  return {
    ...{ slack, time, check, botToken },
    checked: createSlackClients(web, check.audienceOf).of(botToken),
    audience: (id = general) => check.audienceOf({ botToken, channelId: id }),
    around: (id: string) => check.audienceOfResponseUrl({ botToken, channelId: id }, personId('ada')),
    asked: () => slack.requests.filter(({ name }) => name === 'conversations.info').length,
  };
}

const own = { is_ext_shared: false };

describe('a channel of which Slack says', () => {
  it.each<[object, string]>([
    [own, 'own'],
    [{ ...own, is_shared: true, is_org_shared: true, shared_team_ids: ['T1', 'T2'] }, 'own'],
    [{ ...own, context_team_id: 'T1', connected_team_ids: ['T1'] }, 'own'],
    [{ is_ext_shared: true }, 'channel_is_shared'],
    [{ is_ext_shared: true, is_shared: true, is_org_shared: true }, 'channel_is_shared'],
    [{ ...own, is_shared: true }, 'channel_is_shared'],
    [{ ...own, is_pending_ext_shared: true }, 'channel_is_shared'],
    [{ ...own, pending_shared: ['T9'] }, 'channel_is_shared'],
    [{ ...own, pending_connected_team_ids: ['T9'] }, 'channel_is_shared'],
    [{ ...own, connected_team_ids: ['T9'] }, 'channel_is_shared'],
    [{ ...own, connected_limited_team_ids: ['T9'] }, 'channel_is_shared'],
    [{ is_shared: false }, 'sharing_unknown'],
    [{}, 'sharing_unknown'],
  ])('%j is %s', async (channel, expected) => {
    const { slack, audience } = await startCheck();
    slack.fail('conversations.info', replacedAnswer({ ok: true, channel }));
    expect(await audience()).toBe(expected);
  });

  it.each<[string, Fault, string]>([
    ['an answer without a channel', replacedAnswer({ ok: true }), 'sharing_unknown'],
    ['that a scope is missing', slackError('missing_scope'), 'sharing_needs_scopes'],
    [
      'which',
      replacedAnswer({ ok: false, error: 'missing_scope', needed: 'groups:read', provided: 'commands' }),
      'sharing_needs_scopes',
    ],
    [
      'one nobody asked for',
      replacedAnswer({ ok: false, error: 'missing_scope', needed: 'mpim:read' }),
      'sharing_needs_membership',
    ],
    ['that there is none', slackError('channel_not_found'), 'sharing_needs_membership'],
    ['that the token has ended', slackError('token_expired'), 'sharing_unknown'],
    ['to wait', rateLimited(5), 'sharing_unknown'],
    ['that it fails', httpStatus(500), 'sharing_unknown'],
  ])('%s: %s', async (_, fault, expected) => {
    const { slack, audience } = await startCheck();
    slack.fail('conversations.info', fault);
    expect(await audience()).toBe(expected);
  });

  it('nothing in time: sharing_unknown', async () => {
    const { slack, audience } = await startCheck(100);
    slack.fail('conversations.info', delayed(60_000));
    expect(await audience()).toBe('sharing_unknown');
  });
});

describe('the audience of a channel', () => {
  it('is cached for a minute, and concurrent requests share one call', async () => {
    const { time, audience, asked } = await startCheck();
    expect(await Promise.all([audience(), audience()])).toEqual(['own', 'own']);
    time.now += 59_999;
    await audience();
    expect(asked()).toBe(1);
    time.now += 1;
    await audience();
    expect(asked()).toBe(2);
  });

  it('is dropped when the channel is shared, also if a running call answers later', async () => {
    const { slack, check, audience } = await startCheck();
    const answered = Promise.withResolvers<void>();
    slack.fail(
      'conversations.info',
      delayedUntil(() => answered.promise),
    );
    const early = audience();
    await slack.shareChannel(general, true);
    check.forget(general);
    answered.resolve();
    expect(await early).not.toBe('own');
    expect(await audience()).toBe('channel_is_shared');
    await slack.shareChannel(general, false);
    check.forget(general);
    expect(await audience()).toBe('own');
  });

  it('is requested again if Slack did not answer, but not before its Retry-After has passed', async () => {
    const { slack, time, audience, asked } = await startCheck();
    slack.fail('conversations.info', httpStatus(500));
    expect([await audience(), await audience(channelId('payments'))]).toEqual(['sharing_unknown', 'own']);
    slack.fail('conversations.info', rateLimited(30));
    expect([await audience(), await audience()]).toEqual(['sharing_unknown', 'sharing_unknown']);
    expect(asked()).toBe(3);
    time.now += 30_000;
    expect(await audience()).toBe('own');
  });
});

describe('the place of a message, which decides about its buttons', () => {
  it('is cached for a minute, also if Slack does not tell it', async () => {
    const { slack, time, check, botToken, asked } = await startCheck();
    const place = () => check.placeOf({ botToken, channelId: general }, personId('ada'));
    slack.fail('conversations.info', slackError('missing_scope'));
    const elsewhere = { isShareable: false, takesThreads: false };
    expect([await place(), await place()]).toEqual([elsewhere, elsewhere]);
    time.now += 59_999;
    expect(await place()).toEqual(elsewhere);
    expect(asked()).toBe(1);
    time.now += 1;
    const here = { isShareable: true, takesThreads: true };
    expect(await place()).toEqual(here);
    time.now += 59_999;
    expect(await place()).toEqual(here);
    expect(asked()).toBe(2);
  });

  it('takes no thread a minute after the bot was removed, and takes one again a minute after it was added', async () => {
    const { slack, time, check, botToken } = await startCheck();
    for (const channel of [general, channelId('payments')]) {
      const place = () => check.placeOf({ botToken, channelId: channel }, personId('ada'));
      const members = slack.workspace.channels.find(({ id }) => id === channel)?.memberIds ?? [];
      expect(await place()).toMatchObject({ takesThreads: true });
      slack.changeChannel(channel, { memberIds: members.filter((id) => id !== slack.workspace.botUserId) });
      time.now += 60_000;
      expect(await place()).toMatchObject({ takesThreads: false });
      slack.changeChannel(channel, { memberIds: members });
      time.now += 60_000;
      expect(await place()).toMatchObject({ takesThreads: true });
    }
  });

  it('does not serve a channel that a message goes to, if it is not known', async () => {
    const { slack, check, botToken, audience } = await startCheck();
    slack.fail('conversations.info', slackError('channel_not_found'));
    await check.placeOf({ botToken, channelId: general }, personId('ada'));
    expect(await audience()).toBe('own');
  });
});

it('direct messages with the bot have one reader; the audience of those between two people is unknown', async () => {
  const { around, asked } = await startCheck();
  expect([await around(directId('ada')), await around(directId('ben'))]).toEqual(['own', 'sharing_needs_membership']);
  expect(asked()).toBe(0);
});

describe('in a shared channel', () => {
  it.each<[string, object]>([
    ['chat.postMessage', { text: 'hello' }],
    ['chat.update', { text: 'hello', ts: '1.1' }],
    ['chat.meMessage', { text: 'hello' }],
    ['chat.scheduleMessage', { text: 'hello', post_at: 1 }],
    ['chat.unfurl', { ts: '1.1', unfurls: {} }],
    ['pins.add', { timestamp: '1.1' }],
    ['reactions.add', { timestamp: '1.1', name: 'eyes' }],
    ['conversations.setTopic', { topic: 'hello' }],
    ['a.method.of.next.year', {}],
  ])('%s does not reach Slack', async (method, fields) => {
    const { slack, checked } = await startCheck();
    await slack.shareChannel(general, true);
    await expect(checked.apiCall(method, { channel: general, ...fields })).rejects.toThrow(WithheldError);
    expect(slack.requests.map(({ name }) => name)).toEqual(['conversations.info']);
  });

  it('no file is shared, and no call without a channel is made', async () => {
    const { slack, checked } = await startCheck();
    await slack.shareChannel(general, true);
    const files = [{ id: 'F1' }] as const;
    await expect(checked.files.completeUploadExternal({ files: [...files], channel_id: general })).rejects.toThrow(
      WithheldError,
    );
    await expect(checked.apiCall('chat.startStream', {})).rejects.toThrow(WithheldError);
  });

  it('an ephemeral message is sent', async () => {
    const { slack, checked } = await startCheck();
    await slack.shareChannel(general, true);
    const shown = await checked.chat.postEphemeral({ channel: general, user: personId('ada'), text: 'hello' });
    expect(shown.ok).toBe(true);
  });
});
