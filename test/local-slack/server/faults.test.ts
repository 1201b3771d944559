/** Faults on order: what the real client meets when Slack or the network fails, and what became visible all the same. */
import { describe, expect, test } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import {
  brokenConnection,
  carriedOutAnyway,
  delayedUntil,
  droppedAnswer,
  htmlPage,
  httpStatus,
  oncePerInterval,
  rateLimited,
  replacedAnswer,
  resetAfterwards,
  slackError,
  visibleLate,
} from '../../support/slack/faults.ts';
import { connectApp, localSlack, reconnectMs, respond, webClient } from '../../support/slack/local-slack.ts';

const ada = personId('ada');
const general = channelId('general');

async function posting() {
  const slack = await localSlack();
  const post = () => webClient(slack).chat.postMessage({ channel: general, text: 'hi' });
  const visible = () => slack.messages({ channel: general, viewer: ada }).length;
  return { slack, post, visible };
}

describe('a method with a fault', () => {
  test('answers 429 with Retry-After as often as requested, then works again', async () => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', rateLimited(7), 2);
    await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
    await expect(post()).rejects.toMatchObject({ retryAfter: 7 });
    expect(visible()).toBe(0);
    expect(await post()).toMatchObject({ ok: true });
  });

  test('may omit Retry-After', async () => {
    const { slack, post } = await posting();
    slack.fail('chat.postMessage', rateLimited(null));
    await expect(post()).rejects.toThrow('Retry header');
  });

  test('answers with any error', async () => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', slackError('ekm_access_denied'));
    await expect(post()).rejects.toMatchObject({ data: { error: 'ekm_access_denied' } });
    expect(visible()).toBe(0);
  });

  test.each([500, 503])('answers %i', async (status) => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', httpStatus(status));
    await expect(post()).rejects.toMatchObject({ statusCode: status });
    expect(visible()).toBe(0);
  });

  test('answers a web page with status 200', async () => {
    const { slack, post } = await posting();
    slack.fail('chat.postMessage', htmlPage());
    await expect(post()).rejects.toMatchObject({ data: { error: expect.stringContaining('<!doctype html>') } });
  });

  test('posts, and answers without a channel and a ts', async () => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', replacedAnswer({ ok: true }));
    expect(await post()).not.toHaveProperty('ts');
    expect(visible()).toBe(1);
  });

  test('posts, and drops the answer', async () => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', droppedAnswer());
    await expect(post()).rejects.toMatchObject({ code: 'slack_webapi_request_error' });
    expect(visible()).toBe(1);
  });

  test('breaks the connection before anything is posted', async () => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', brokenConnection());
    await expect(post()).rejects.toMatchObject({ code: 'slack_webapi_request_error' });
    expect(visible()).toBe(0);
  });

  test('posts at once and answers late', async () => {
    const { slack, post, visible } = await posting();
    const late = Promise.withResolvers<void>();
    slack.fail(
      'chat.postMessage',
      delayedUntil(() => late.promise),
    );
    let isAnswered = false;
    const posted = post().finally(() => {
      isAnswered = true;
    });
    await expect.poll(visible).toBe(1);
    expect(isAnswered).toBe(false);
    late.resolve();
    expect(await posted).toMatchObject({ ok: true });
  });

  test('posts, and tears the connection down', async () => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', resetAfterwards());
    await expect(post()).rejects.toMatchObject({
      code: 'slack_webapi_request_error',
      original: { cause: { code: 'ECONNRESET' } },
    });
    expect(visible()).toBe(1);
  });

  test('posts, and refuses all the same', async () => {
    const { slack, post, visible } = await posting();
    slack.fail('chat.postMessage', carriedOutAnyway(httpStatus(503)));
    await expect(post()).rejects.toMatchObject({ statusCode: 503 });
    expect(visible()).toBe(1);
  });

  test('posts a message that people and histories see later, in its state at that time', async () => {
    const { slack, post, visible } = await posting();
    const shown = Promise.withResolvers<void>();
    slack.fail(
      'chat.postMessage',
      visibleLate(() => shown.promise),
    );
    const { ts = '' } = await post();
    await webClient(slack).chat.update({ channel: general, ts, text: 'changed' });
    const { messages } = await webClient(slack).conversations.history({ channel: general });
    expect([visible(), messages]).toEqual([0, []]);
    const posted = slack.nextMessage({ channel: general });
    shown.resolve();
    expect(await posted).toMatchObject({ ts, text: 'changed' });
    expect(visible()).toBe(1);
  });

  test('fails by the fields of a call, until the rule ends', async () => {
    const { slack, post, visible } = await posting();
    slack.failWhen('chat.postMessage', ({ text }) => (text === 'hi' ? httpStatus(500) : undefined));
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    await webClient(slack).chat.postMessage({ channel: general, text: 'bye' });
    slack.failWhen('chat.postMessage', null);
    await post();
    expect(visible()).toBe(2);
  });

  test('allows one call per interval, and sends Retry-After', async () => {
    let now = 0;
    const { slack, post } = await posting();
    slack.failWhen(
      'chat.postMessage',
      oncePerInterval(60_000, () => now),
    );
    await post();
    now += 20_000;
    await expect(post()).rejects.toMatchObject({ retryAfter: 40 });
    now += 40_000;
    expect(await post()).toMatchObject({ ok: true });
  });

  test('leaves other methods alone', async () => {
    const { slack, post } = await posting();
    slack.fail('chat.update', slackError('fatal_error'));
    expect(await post()).toMatchObject({ ok: true });
  });
});

describe('response_url with a fault', () => {
  test.each([
    [429, rateLimited(1)],
    [500, httpStatus(500)],
    [200, htmlPage()],
  ])('answers %i and shows nothing', async (status, fault) => {
    const slack = await localSlack();
    await connectApp(slack, { slash_commands: ({ ack }) => ack() });
    const result = await slack.command({ user: ada, channel: general, text: '/workflow list' });
    slack.fail('response_url', fault);
    expect((await respond(result.ok ? result.responseUrl : '', { text: 'hi' })).status).toBe(status);
    expect(slack.messages({ channel: general, viewer: ada })).toEqual([]);
  });
});

test('a socket with a fault is not opened, and the next one is', async () => {
  const slack = await localSlack();
  slack.fail('socket', brokenConnection());
  await connectApp(slack, {}, reconnectMs);
  expect(slack.connectionCount()).toBe(1);
  expect(slack.requests.filter(({ name }) => name === 'apps.connections.open')).toHaveLength(2);
});
