/** A proxy that accepts only CONNECT. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Tunnels every host to one port of this machine, so that only it can reach a host that does not exist. */
export async function startProxy(targetPort: number) {
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
