/** Socket Mode as the real client meets it: tickets, the hello, ten connections, and the ways a connection ends. */
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { limits } from '../../../src/shared/block-kit/limits.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { connectApp, localSlack, reconnectMs, slackNow, webClient } from '../../support/slack/local-slack.ts';

const typed = { user: personId('ada'), channel: channelId('general'), text: '/workflow list' };

async function ticketUrl(slack: SlackDriver): Promise<string> {
  const { url = '' } = await webClient(slack, slack.appToken).apps.connections.open();
  return url;
}

/** A bare connection, with every frame that came. */
async function connect(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers });
  onTestFinished(() => socket.terminate());
  const [data] = await once(socket, 'message');
  return { socket, first: JSON.parse(String(data)) };
}

const refusal = async (url: string, headers?: Record<string, string>) => {
  const socket = new WebSocket(url, { headers });
  const [error] = await once(socket, 'error');
  return String(error);
};

describe('a ticket', () => {
  test('opens one connection, which sends hello', async () => {
    const slack = await localSlack();
    const url = await ticketUrl(slack);
    expect((await connect(url)).first).toMatchObject({
      type: 'hello',
      num_connections: 1,
      connection_info: { app_id: expect.stringMatching(/^A/) },
      debug_info: { host: expect.any(String) },
    });
    expect(await refusal(url)).toContain('401');
    expect(slack.connectionCount()).toBe(1);
  });

  test('expires after thirty seconds', async () => {
    let now = slackNow;
    const slack = await localSlack({ clock: () => now });
    const url = await ticketUrl(slack);
    now += 30_001;
    expect(await refusal(url)).toContain('401');
  });

  test('cannot be guessed, and is refused under another host name or path', async () => {
    const slack = await localSlack();
    const origin = slack.url.replace('http', 'ws');
    expect(await refusal(`${origin}/link/?ticket=guess`)).toContain('401');
    expect(await refusal(await ticketUrl(slack), { host: 'evil.example' })).toMatch(/hang up|closed/);
    expect(await refusal(`${origin}/elsewhere`)).toMatch(/hang up|closed/);
  });
});

describe('connections', () => {
  test('are limited to ten', async () => {
    const slack = await localSlack();
    for (let count = 0; count < 10; count += 1) await connect(await ticketUrl(slack));
    expect((await connect(await ticketUrl(slack))).first).toMatchObject({
      type: 'disconnect',
      reason: 'too_many_websockets',
    });
    expect(slack.connectionCount()).toBe(10);
  });

  test('get payloads round robin, and none gets another’s', async () => {
    const slack = await localSlack();
    const counts = [0, 0];
    for (const index of [0, 1]) {
      await connectApp(slack, {
        slash_commands: ({ ack }) => {
          counts[index] = (counts[index] ?? 0) + 1;
          return ack();
        },
      });
    }
    for (let count = 0; count < 4; count += 1) await slack.command(typed);
    expect(counts).toEqual([2, 2]);
  });

  test('are checked by pings, which they answer', async () => {
    const slack = await localSlack();
    const { socket } = await connect(await ticketUrl(slack));
    socket.ping('alive?');
    expect(String((await once(socket, 'pong'))[0])).toBe('alive?');
  });
});

describe('a connection ends', () => {
  test.each(['warning', 'refresh_requested', 'link_disabled'] as const)('with %s in a frame', async (reason) => {
    const slack = await localSlack();
    const { socket } = await connect(await ticketUrl(slack));
    const frame = once(socket, 'message');
    slack.disconnectSockets(reason);
    expect(JSON.parse(String((await frame)[0]))).toMatchObject({ type: 'disconnect', reason });
    expect(slack.connectionCount()).toBe(reason === 'warning' ? 1 : 0);
  });

  test('without a frame when the network breaks', async () => {
    const slack = await localSlack();
    const { socket } = await connect(await ticketUrl(slack));
    const closed = once(socket, 'close');
    slack.disconnectSockets('abrupt');
    expect((await closed)[0]).toBe(1006);
  });

  test('with code 1009 at a frame that is too long', async () => {
    const slack = await localSlack();
    const { socket } = await connect(await ticketUrl(slack));
    socket.send('x'.repeat(limits.socket.frameBytesMax));
    const closed = once(socket, 'close');
    socket.send('x'.repeat(limits.socket.frameBytesMax + 1));
    expect((await closed)[0]).toBe(1009);
  });

  test('and what it did not acknowledge goes to the next one', async () => {
    const slack = await localSlack({ ackTimeoutMs: 60_000 });
    const { socket } = await connect(await ticketUrl(slack));
    const arrived = once(socket, 'message');
    const answer = slack.command(typed);
    const [lost] = (await arrived).map((data) => JSON.parse(String(data)));
    socket.terminate();
    const ids: unknown[] = [];
    await connectApp(slack, {
      slash_commands: ({ ack, envelope_id }) => {
        ids.push(envelope_id);
        return ack({ text: 'answered' });
      },
    });
    expect(await answer).toMatchObject({ ok: true, message: { text: 'answered' } });
    expect(ids).toEqual([lost.envelope_id]);
  });

  test('and the client comes back for the next command', async () => {
    const slack = await localSlack();
    await connectApp(slack, { slash_commands: ({ ack }) => ack({ text: 'back' }) }, reconnectMs);
    slack.disconnectSockets('refresh_requested');
    await slack.whenConnected();
    expect(await slack.command(typed)).toMatchObject({ ok: true, message: { text: 'back' } });
  });
});

test('an acknowledgement for an unknown envelope, or no JSON at all, changes nothing', async () => {
  const slack = await localSlack({ ackTimeoutMs: 60_000 });
  const { socket } = await connect(await ticketUrl(slack));
  socket.on('message', (data) => {
    const { envelope_id } = JSON.parse(String(data));
    for (const frame of ['{', '[]', '{"envelope_id":"other"}']) socket.send(frame);
    socket.send(JSON.stringify({ envelope_id, payload: { text: 'mine' } }));
  });
  expect(await slack.command(typed)).toMatchObject({ ok: true, message: { text: 'mine' } });
});
