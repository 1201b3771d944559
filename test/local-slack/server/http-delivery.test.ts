/** Delivery to a request URL: signed, encoded and repeated as Slack does, and what the answers do. */
import { App } from '@slack/bolt';
import { describe, expect, onTestFinished, test } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { originOf } from '../../../src/shared/http/listen.ts';
import { httpApp, type Posted } from '../../support/programs/http-app.ts';
import { expectEvery } from '../../support/runner/every.ts';
import { connectApp, localSlack, silentSdk, slackNow, webClient } from '../../support/slack/local-slack.ts';
import { askingView, option, plain } from '../../support/slack/modals.ts';

const [ada, general] = [personId('ada'), channelId('general')];
const typed = { user: ada, channel: general, text: '/workflow status payments' };

/** A local Slack that posts to an app which answers so. */
async function startSlack(answer?: Parameters<typeof httpApp>[0], options: Parameters<typeof localSlack>[0] = {}) {
  const slack = await localSlack(options);
  const { app, received, server } = await httpApp(answer);
  await slack.useHttp(app);
  return { slack, received, server, app, client: webClient(slack) };
}

describe('the app receives', () => {
  test('a command as a form, signed over its bytes', async () => {
    const { slack, received } = await startSlack();
    expect(await slack.command(typed)).toMatchObject({ ok: true, message: null });
    expect(received).toMatchObject([
      {
        isSigned: true,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-slack-request-timestamp': String(slackNow / 1000),
          'user-agent': expect.stringContaining('Slackbot'),
        },
        fields: { command: '/workflow', text: 'status payments', user_id: ada, is_enterprise_install: 'false' },
      },
    ]);
  });

  test('a press, a shortcut, a request for options and a submission as one payload in a form', async () => {
    const { slack, received, client } = await startSlack(({ fields }) =>
      fields['type'] === 'block_suggestion' ? { body: { options: [option('one')] } } : {},
    );
    const menu = { type: 'external_select' as const, action_id: 'menu', min_query_length: 0 };
    const button = { type: 'button' as const, action_id: 'go', text: plain('Go') };
    const blocks = [{ type: 'actions' as const, elements: [button, menu] }];
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'hi', blocks });
    const message = { user: ada, channel: general, ts };
    await slack.press({ ...message, actionId: 'go' });
    const trigger_id = String(received[0]?.fields['trigger_id']);
    const { view } = await client.views.open({ trigger_id, view: askingView });
    await slack.shortcut({ ...message, callbackId: 'explain_failure' });
    expect(await slack.suggest({ ...message, actionId: 'menu', value: '' })).toMatchObject({
      options: [option('one')],
    });
    await slack.submit({ user: ada, view: view?.id ?? '', values: { endpoint: { url: 'x' } } });
    const types = ['block_actions', 'message_action', 'block_suggestion', 'view_submission'];
    expect(received.map(({ fields }) => fields['type'])).toEqual(types);
    expectEvery(received, ({ isSigned, body }) => isSigned && body.startsWith('payload=%7B'));
  });

  test('an event as JSON', async () => {
    const { slack, received } = await startSlack();
    slack.say({ user: ada, channel: general, text: `@Workflow Bot status` });
    await expect.poll(() => received).toHaveLength(1);
    expect(received).toMatchObject([
      {
        isSigned: true,
        headers: { 'content-type': 'application/json' },
        fields: { type: 'event_callback', event: { type: 'app_mention' } },
      },
    ]);
    expect(received[0]?.headers).not.toHaveProperty('x-slack-retry-num');
  });

  test('nothing over its sockets meanwhile, and all events afterwards', async () => {
    const { slack, received } = await startSlack();
    const overSocket: unknown[] = [];
    await connectApp(slack, {
      slash_commands: ({ ack, body }) => {
        overSocket.push(body);
        return ack();
      },
    });
    await slack.command(typed);
    await slack.useHttp(null);
    await slack.command(typed);
    expect([received.length, overSocket.length]).toEqual([1, 1]);
  });
});

describe('an answer', () => {
  const shown = async (body: unknown) => {
    const { slack } = await startSlack(() => ({ body }));
    return slack.command(typed);
  };

  test('in JSON is shown like one over a socket', async () => {
    expect(await shown({ text: 'All good.', response_type: 'in_channel' })).toMatchObject({
      message: { text: 'All good.', isEphemeral: false },
    });
  });

  test('in plain text is a message for that person', async () => {
    expect(await shown('All good.')).toMatchObject({ message: { text: 'All good.', viewer: ada } });
  });

  test('to a submission works like one over a socket', async () => {
    const errors = { endpoint: 'No such host.' };
    const { slack, received, client } = await startSlack(({ fields }) =>
      fields['type'] === 'view_submission' ? { body: { response_action: 'errors', errors } } : {},
    );
    await slack.command(typed);
    const trigger_id = String(received[0]?.fields['trigger_id']);
    const { view } = await client.views.open({ trigger_id, view: askingView });
    const submitted = { user: ada, view: view?.id ?? '', values: { endpoint: { url: 'x' } } };
    expect(await slack.submit(submitted)).toEqual({ ok: false, error: 'refused_by_app', errors });
  });

  test.each([
    ['that does not come', () => 'hang' as const, 100, 'operation_timeout'],
    ['with another status', () => ({ status: 500, body: 'oops' }), 60_000, 'dispatch_failed'],
    ['that sends elsewhere', () => ({ status: 302, headers: { location: '/' } }), 60_000, 'dispatch_failed'],
  ])('%s is reported to the person', async (_what, answer, ackTimeoutMs, error) => {
    const { slack } = await startSlack(answer, { ackTimeoutMs });
    const text = `/workflow failed with the error "${error}"`;
    expect(await slack.command(typed)).toMatchObject({ ok: false, error, message: { user: 'USLACKBOT', text } });
  });

  test('from no app is reported to the person', async () => {
    const { slack, server } = await startSlack();
    server.closeAllConnections();
    server.close();
    expect(await slack.command(typed)).toMatchObject({ ok: false, error: 'dispatch_failed' });
  });
});

describe('an event that is not acknowledged', () => {
  const retried = ({ headers }: Posted) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']];

  test.each([
    ['with another status', () => ({ status: 503 }), 60_000, 'http_error'],
    ['in time', () => 'hang' as const, 500, 'http_timeout'],
  ])('%s is sent three more times, with the reason', async (_what, answer, ackTimeoutMs, reason) => {
    const { slack, received } = await startSlack(answer, { ackTimeoutMs, eventRetryDelaysMs: [0, 0, 0] });
    slack.openHome({ user: ada });
    await expect
      .poll(() => received.map(retried))
      .toEqual([[undefined, undefined], ...['1', '2', '3'].map((number) => [number, reason])]);
    expect(new Set(received.map(({ fields }) => fields['event_id'])).size).toBe(1);
  });

  test('is not retried if the app refuses retries', async () => {
    const answer = () => ({ status: 400, headers: { 'x-slack-no-retry': '1' } });
    const { slack, received } = await startSlack(answer, { eventRetryDelaysMs: [0] });
    slack.openHome({ user: ada });
    await expect.poll(() => received).toHaveLength(1);
    await slack.command(typed);
    expect(received).toHaveLength(2);
  });
});

test('a Bolt app behind its own HTTP receiver completes the handshake, and answers a command', async () => {
  const slack = await localSlack({ clock: Date.now });
  const signingSecret = 'bolt-secret';
  const { botToken: token, apiUrl: slackApiUrl } = slack;
  const app = new App({ token, signingSecret, logger: silentSdk, clientOptions: { slackApiUrl } });
  app.command('/workflow', ({ ack, command }) => ack(`You typed ${command.text}`));
  const server = await app.start({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.stop();
  });
  await slack.useHttp({ requestUrl: `${originOf(server)}/slack/events`, signingSecret });
  expect(await slack.command(typed)).toMatchObject({ message: { text: 'You typed status payments' } });
});

test('an address that does not echo Slack’s challenge is refused', async () => {
  const slack = await localSlack();
  const app = { requestUrl: `${slack.url}/nowhere`, signingSecret: 'x' };
  await expect(slack.useHttp(app)).rejects.toThrow('challenge');
  expect(await slack.command(typed)).toMatchObject({ error: 'dispatch_failed' });
});

test('a tampered payload is sent once', async () => {
  const { slack, received } = await startSlack();
  slack.tamper((payload) => ({ ...payload, team_id: 'T99OTHER' }));
  await slack.command(typed);
  await slack.command(typed);
  expect(received.map(({ fields }) => fields['team_id'])).toEqual(['T99OTHER', slack.workspace.teamId]);
  expectEvery(received, ({ isSigned }) => isSigned);
});
