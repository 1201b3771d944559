/** A web socket always ends if its peer is silent, sends too much, or does not close. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openWebSocket, type SocketTiming } from '../../../../../src/bot/slack/inbound/receivers/web-socket.ts';
import { startProxy } from '../../../../support/programs/proxy.ts';

const quick: SocketTiming = { pingEveryMs: 20, peerPingTimeoutMs: 60_000 };

/** @returns the port, and the connections of the server in the order in which they came */
async function startPeer(options: { readonly autoPong?: boolean } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  const accepted = Promise.withResolvers<{ readonly peer: WebSocket; readonly pipe: Socket }>();
  server.on('connection', (peer, request) => accepted.resolve({ peer, pipe: request.socket }));
  await once(server, 'listening');
  onTestFinished(() => {
    for (const peer of server.clients) peer.terminate();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, accepted: accepted.promise };
}

function connect(port: number, socketTiming: Partial<SocketTiming>, dispatcher: Dispatcher = new Agent()) {
  onTestFinished(() => dispatcher.destroy());
  const frames: (string | undefined)[] = [];
  const silent = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<unknown>();
  const socket = openWebSocket(
    new URL(`ws://127.0.0.1:${port}/`),
    { dispatcher, socketTiming },
    { onFrame: (text) => frames.push(text), onSilence: silent.resolve, onClosed: closed.resolve },
  );
  onTestFinished(socket.close);
  return { socket, frames, silent: silent.promise, closed: closed.promise };
}

test('a peer that answers no ping is disconnected', async () => {
  const { port } = await startPeer({ autoPong: false });
  const { socket, silent, closed } = connect(port, quick);
  await silent;
  await closed;
  expect(socket.isOpen()).toBe(false);
});

test('a peer whose own pings stop is disconnected, although it answers ours', async () => {
  const { port, accepted } = await startPeer();
  const { silent, closed } = connect(port, { ...quick, peerPingTimeoutMs: 50 });
  (await accepted).peer.ping();
  await silent;
  await closed;
});

test('a peer that never pings and answers ours stays', async () => {
  const { port, accepted } = await startPeer();
  const { socket } = connect(port, { pingEveryMs: 10, peerPingTimeoutMs: 20 });
  const { peer } = await accepted;
  for (let pings = 0; pings < 8; pings += 1) await once(peer, 'ping');
  expect(socket.isOpen()).toBe(true);
});

test('a frame of more than 1 MiB ends the connection and is not read', async () => {
  const { port, accepted } = await startPeer();
  const { frames, closed } = connect(port, {});
  const { peer } = await accepted;
  peer.send('x'.repeat(1024 * 1024));
  peer.send('x'.repeat(1024 * 1024 + 1));
  await closed;
  expect(frames.map((frame) => frame?.length)).toEqual([1024 * 1024]);
});

test.each(['directly', 'through a proxy'])(
  'a connection whose peer does not close ends within a second, %s',
  async (way) => {
    const { port, accepted } = await startPeer();
    const proxy = await startProxy(port);
    onTestFinished(proxy.close);
    const dispatcher = way === 'directly' ? new Agent() : new EnvHttpProxyAgent({ httpProxy: proxy.url, noProxy: '' });
    const { socket, closed } = connect(port, {}, dispatcher);
    const { peer, pipe } = await accepted;
    peer.removeAllListeners();
    const ended = once(pipe, 'close');
    peer.pause();
    await expect.poll(socket.isOpen).toBe(true);
    await socket.close();
    await closed;
    peer.resume();
    await ended;
    expect(proxy.asked).toEqual(way === 'directly' ? [] : [`127.0.0.1:${port}`]);
  },
);

test('a connection that is refused says why', async () => {
  const { closed } = connect(9, {});
  expect(await closed).toBeInstanceOf(Error);
});

test('sending on a closed connection is an error', async () => {
  const { port, accepted } = await startPeer();
  const { socket, closed } = connect(port, {});
  (await accepted).peer.close(1000);
  await closed;
  expect(() => socket.send('x')).toThrow('The socket is not open.');
});

test('frames that are sent in one turn, and the last before a close, all arrive in order', async () => {
  const { port, accepted } = await startPeer();
  const { socket } = connect(port, {});
  const { peer } = await accepted;
  const arrived: string[] = [];
  peer.on('message', (data) => arrived.push(String(data)));
  await expect.poll(socket.isOpen).toBe(true);
  const sent = Array.from({ length: 100 }, (_, number) => `${number} “█”`);
  for (const frame of sent.slice(0, 50)) socket.send(frame);
  for (const frame of sent.slice(50, 98)) await Promise.resolve().then(() => socket.send(frame));
  process.nextTick(() => socket.send(sent[98] ?? ''));
  await new Promise(setImmediate);
  socket.send(sent[99] ?? '');
  await socket.close();
  expect(arrived).toEqual(sent);
});
