/** With a proxy everything goes through it: the Web API, the socket and the answers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { EnvHttpProxyAgent } from 'undici';
import { expect, test } from 'vitest';
import { createTestBot, echo } from '../../support/bot.ts';
import { startFakeSlack } from '../../support/fake-slack.ts';
import { commandPayload } from '../../support/slack-payloads.ts';

/** Tunnels every host to one port of this machine, so that a host which does not exist is reached only through it. */
async function startProxy(targetPort: number) {
  const asked: string[] = [];
  const pipes = new Set<Duplex>();
  const server = createServer();
  server.on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const target = connect(targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    for (const pipe of [client, target]) {
      pipe.on('error', () => pipe.destroy());
      pipes.add(pipe);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const pipe of pipes) pipe.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

test('a Slack that only the proxy can reach is reached', async () => {
  const slack = await startFakeSlack();
  const port = Number(new URL(slack.apiUrl).port);
  const origin = `http://slack.invalid:${port}`;
  const proxy = await startProxy(port);
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: proxy.url, noProxy: '' });
  slack.script('apps.connections.open', { body: { ok: true, url: `ws://slack.invalid:${port}/link` } });
  const { bot } = createTestBot(slack, {
    slackApiUrl: `${origin}/api/`,
    proxy: dispatcher,
    answer: ({ line }, { onWait }) => {
      onWait();
      return echo(line);
    },
  });
  await bot.start();
  const fields = { response_url: `${origin}/response/1` };
  await slack.send('slash_commands', commandPayload(slack, 'list', fields));
  await bot.stop();
  expect(slack.responses).toMatchObject([{ payload: { text: 'You typed list' } }]);
  expect(new Set(proxy.asked)).toEqual(new Set([`slack.invalid:${port}`]));
  await dispatcher.destroy();
  await proxy.close();
  await slack.close();
});
