/** The server's routes for the page, and their refusals of other sites. */
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { PageChannel } from '../../../../src/local-slack/page/protocol.ts';
import { channelId, directId, personId } from '../../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../../support/slack/driver.ts';
import { connectApp, localSlack, webClient } from '../../../support/slack/local-slack.ts';
import { modalApp } from '../../../support/slack/modals.ts';
import { pageEvents } from '../../../support/slack/page-reading.ts';

const ada = personId('ada');
const ben = personId('ben');
const general = channelId('general');

async function post(slack: SlackDriver, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(slack.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: response.ok ? await response.json() : await response.text() };
}

/** Past `fetch`, which sets `Host` itself. */
function statusFor(slack: SlackDriver, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(`${slack.url}/`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.on('error', reject).end();
  });
}

/** The first event. */
async function stateOf(slack: SlackDriver) {
  const next = await pageEvents(slack.url);
  return (await next()).state;
}

describe('the state', () => {
  test('is the workspace, its people, channels, and commands without their code', async () => {
    const command = { name: 'list', examples: ['list'], arguments: { secret: 1 } };
    const slack = await localSlack({ commands: [command] });
    const state = await stateOf(slack);
    expect(state).toMatchObject({
      workspace: { id: slack.workspace.teamId, name: 'Local Slack' },
      app: {
        name: 'Workflow Bot',
        botUserId: slack.workspace.botUserId,
        slashCommand: '/workflow',
        isConnected: false,
      },
    });
    expect(state.commands).toEqual([{ name: 'list', examples: ['list'] }]);
    expect(state.users).toHaveLength(7);
    expect(state.users.filter((user: { isAdmin: boolean }) => user.isAdmin)).toHaveLength(1);
    const names = (isArchived: boolean) =>
      state.channels.flatMap((channel: PageChannel) => (channel.isArchived === isArchived ? [channel.name] : []));
    expect(names(false)).toEqual(expect.arrayContaining(['general', 'ops-alerts']));
    expect(names(true)).toEqual(['old-alerts']);
  });

  test('holds no token', async () => {
    const slack = await localSlack();
    const text = JSON.stringify(await stateOf(slack));
    expect(text).not.toMatch(/xox|xapp/);
  });
});

describe('messages', () => {
  test('are only those that the person may see', async () => {
    const slack = await localSlack();
    await webClient(slack).chat.postEphemeral({ channel: general, user: ada, text: 'psst' });
    slack.say({ user: ada, channel: channelId('incident-room'), text: 'secret' });
    const visible = async (user: string, channel: string) => {
      const next = await pageEvents(slack.url, { user, channel });
      await next();
      return (await next()).messages;
    };
    expect(await visible(ada, general)).toMatchObject([{ text: 'psst', isEphemeral: true }]);
    expect(await visible(ben, general)).toEqual([]);
    expect(await visible(ada, channelId('incident-room'))).toHaveLength(1);
    expect(await visible(ben, channelId('incident-room'))).toEqual([]);
    expect(await visible(ben, directId('ada'))).toEqual([]);
    expect(await visible(ada, 'C0NOWHERE')).toEqual([]);
  });
});

describe('events', () => {
  test('are sent for messages, changes, removals and the connection, as they happen', async () => {
    const slack = await localSlack();
    const next = await pageEvents(slack.url, { user: ada, channel: general });
    expect(await next()).toMatchObject({ type: 'state', state: { app: { isConnected: false } } });
    expect(await next()).toEqual({ type: 'messages', channel: general, messages: [] });
    expect(await next()).toEqual({ type: 'modals', views: [], lastActedIn: '' });
    expect(await next()).toEqual({ type: 'home', view: null });
    await connectApp(slack);
    expect(await next()).toMatchObject({ type: 'state', state: { app: { isConnected: true } } });
    const client = webClient(slack);
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'one' });
    expect(await next()).toMatchObject({ type: 'message', message: { ts, text: 'one', isEdited: false } });
    await client.chat.update({ channel: general, ts, text: 'two' });
    expect(await next()).toMatchObject({ type: 'message', message: { ts, text: 'two', isEdited: true } });
    await client.chat.delete({ channel: general, ts });
    expect(await next()).toEqual({ type: 'removed', channel: general, ts });
  });

  test('between two streams follow the messages of the channel, and no earlier ones', async () => {
    const slack = await localSlack();
    const bot = webClient(slack);
    await bot.chat.postMessage({ channel: channelId('payments'), text: 'before' });
    const earlier = await pageEvents(slack.url, { user: ada, channel: general });
    expect(await earlier()).toMatchObject({ type: 'state' });
    await bot.chat.postMessage({ channel: channelId('payments'), text: 'between' });
    await bot.chat.postMessage({ channel: personId('ben'), text: 'not for Ada' });
    const next = await pageEvents(slack.url, { user: ada, channel: general, since: earlier.position() });
    for (const type of ['state', 'messages']) expect(await next()).toMatchObject({ type });
    expect(await next()).toMatchObject({ type: 'message', message: { text: 'between' } });
    expect(await next()).toMatchObject({ type: 'modals' });
  });

  test('hide ephemeral messages of other people', async () => {
    const slack = await localSlack();
    const next = await pageEvents(slack.url, { user: ben });
    for (const _ of ['state', 'messages', 'modals', 'home']) await next();
    await webClient(slack).chat.postEphemeral({ channel: general, user: ada, text: 'psst' });
    slack.say({ user: ada, channel: channelId('incident-room'), text: 'secret' });
    slack.say({ user: ada, channel: general, text: 'open' });
    expect(await next()).toMatchObject({ message: { text: 'open' } });
  });

  test('contain an open modal for its person, without its private metadata', async () => {
    const { slack, open } = await modalApp();
    await open();
    const next = await pageEvents(slack.url, { user: ada });
    for (const _ of ['state', 'messages']) await next();
    const event = await next();
    expect(event).toMatchObject({ type: 'modals', views: [{ title: { text: 'Connect' }, state: { endpoint: {} } }] });
    expect(JSON.stringify(event)).not.toMatch(/kept|connect"/);
  });

  test('are sent only to people of the workspace; others get the state', async () => {
    const slack = await localSlack();
    const next = await pageEvents(slack.url, { user: 'U0NOBODY', channel: general });
    expect(await next()).toMatchObject({ type: 'state' });
    slack.say({ user: ada, channel: general, text: 'open' });
    await connectApp(slack);
    expect(await next()).toMatchObject({ type: 'state', state: { app: { isConnected: true } } });
  });
});

describe('a person', () => {
  test('types a command, and Slackbot’s refusals are messages, not errors', async () => {
    const slack = await localSlack();
    const sent = { user: ada, channel: general, threadTs: null, text: '/explode' };
    expect(await post(slack, '/page/send', sent)).toEqual({ status: 200, body: { ok: true } });
    expect(slack.messages({ channel: general, viewer: ada })).toMatchObject([{ user: 'USLACKBOT' }]);
  });

  test('writes a message, in a thread too', async () => {
    const slack = await localSlack();
    await post(slack, '/page/send', { user: ada, channel: general, threadTs: null, text: ' hello <b> ' });
    const [root] = slack.messages({ channel: general, viewer: ben });
    await post(slack, '/page/send', { user: ben, channel: general, threadTs: root?.ts, text: 'hi' });
    expect(slack.messages({ channel: general, viewer: ada })).toMatchObject([
      { user: ada, text: 'hello &lt;b&gt;', threadTs: null },
      { user: ben, text: 'hi', threadTs: root?.ts },
    ]);
  });

  test.each([
    ['nothing', { user: ada, channel: general, text: '  ' }],
    ['as nobody', { user: 'U0NOBODY', channel: general, text: 'hi' }],
    ['as the bot', { user: 'U01WORKFLOW', channel: general, text: 'hi' }],
    ['where they are no member', { user: personId('chiyo'), channel: channelId('payments'), text: 'hi' }],
    ['a command there', { user: personId('chiyo'), channel: channelId('payments'), text: '/workflow list' }],
    ['into an archive', { user: ada, channel: channelId('old-alerts'), text: 'hi' }],
    ['into a thread that is none', { user: ada, channel: general, threadTs: '1.000000', text: 'hi' }],
  ])('cannot write %s', async (_what, sent) => {
    const slack = await localSlack();
    const { body } = await post(slack, '/page/send', sent);
    expect(body).toEqual({ ok: false, error: expect.stringMatching(/\.$/) });
  });

  test('who presses a button reads why nothing happens', async () => {
    const slack = await localSlack();
    const elements = [{ type: 'button' as const, action_id: 'go', text: { type: 'plain_text' as const, text: 'Go' } }];
    const blocks = [{ type: 'actions' as const, block_id: 'row', elements }];
    const { ts } = await webClient(slack).chat.postMessage({ channel: general, text: 'hi', blocks });
    const pressed = { user: ada, channel: general, ts, blockId: 'row', actionId: 'go', selected: null };
    expect(await post(slack, '/page/action', pressed)).toMatchObject({
      body: { error: expect.stringContaining('dispatch_failed') },
    });
    await connectApp(slack, { interactive: ({ ack }) => ack() });
    expect(await post(slack, '/page/action', pressed)).toMatchObject({ body: { ok: true } });
  });
});

describe('another site', () => {
  const sent = { user: ada, channel: general, threadTs: null, text: 'hi' };

  test.each([
    ['its own origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['what a form sends', { 'content-type': 'text/plain' }],
  ])('cannot post with %s', async (_what, headers) => {
    const slack = await localSlack();
    expect(await post(slack, '/page/send', sent, headers)).toEqual({ status: 403, body: 'forbidden_origin' });
    expect(slack.messages({ channel: general, viewer: ada })).toEqual([]);
  });

  test('whose name resolves to this address reaches nothing', async () => {
    const slack = await localSlack();
    const { port } = new URL(slack.url);
    expect(await statusFor(slack, `evil.example:${port}`)).toBe(403);
    expect(await statusFor(slack, '127.0.0.1:1')).toBe(403);
    expect(await statusFor(slack, `localhost:${port}`)).toBe(200);
  });
});

test('bodies are bounded and have to be JSON objects', async () => {
  const slack = await localSlack();
  expect(await post(slack, '/page/send', 'x'.repeat(70_000))).toMatchObject({ status: 413 });
  expect(await post(slack, '/page/send', '[]')).toMatchObject({ status: 400 });
});

describe('files', () => {
  test('have a policy that lets the page reach only its own origin', async () => {
    const slack = await localSlack();
    const response = await fetch(slack.url);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none';.*img-src 'self';/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('include all that the page and its style sheets name', async () => {
    const slack = await localSlack();
    const named = async (path: string, pattern: RegExp) =>
      [...(await (await fetch(slack.url + path)).text()).matchAll(pattern)].map(([, url = '']) => url);
    const files = await named('/', /"(\/assets\/[^"]+)"/g);
    const sheets = files.filter((url) => url.endsWith('.css'));
    const fonts = (await Promise.all(sheets.map((sheet) => named(sheet, /url\("([^"]+)"\)/g)))).flat();
    const all = [...files, ...fonts];
    expect(all).toEqual(expect.arrayContaining(['/assets/main.ts', '/assets/fonts/twemoji.woff2']));
    const statuses = await Promise.all(all.map(async (url) => [url, (await fetch(slack.url + url)).status]));
    expect(statuses).toEqual(all.map((url) => [url, 200]));
  });

  test.each(['/nothing', '/assets/../../../package.json', '/assets/%2e%2e/server.ts', '//evil', '/page/nothing'])(
    'do not include %s',
    async (path) => {
      const slack = await localSlack();
      expect((await fetch(slack.url + path)).status).toBe(404);
    },
  );
});

test('a taken port is reported in a sentence', async () => {
  const slack = await localSlack();
  await expect(localSlack({ port: Number(new URL(slack.url).port) })).rejects.toMatchObject({
    code: 'unavailable',
    hint: expect.stringContaining('PLAYGROUND_PORT'),
  });
});

test('a long-lived workspace keeps the newest 2,000 messages', async () => {
  const slack = await localSlack();
  for (let count = 0; count < 2001; count += 1) slack.say({ user: ada, channel: general, text: `message ${count}` });
  const messages = slack.messages({ channel: general, viewer: ada });
  expect(messages).toHaveLength(2000);
  expect(messages[0]?.text).toBe('message 1');
});
