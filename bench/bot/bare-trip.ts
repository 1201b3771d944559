/** One bare round trip to the service: the request that our bot sends for a status, sent by Node's fetch. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createQueryService } from '../../src/bot/query/query-client.ts';
import { silent } from './contender.ts';

const dayMs = 86_400_000;

/** @param uuid of a workflow @returns a function that sends one request and returns its duration in milliseconds */
export async function createBareTrip(service: { readonly url: string; readonly apiKey: string }, uuid: string) {
  const body = await statusRequest(uuid);
  return async (): Promise<number> => {
    const startedAt = performance.now();
    const response = await fetch(service.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Apikey ${service.apiKey}` },
      body,
    });
    const answer: unknown = await response.json();
    const afterMs = performance.now() - startedAt;
    if (typeof answer !== 'object' || answer === null || 'errors' in answer) throw new Error('A bare trip failed.');
    return afterMs;
  };
}

/** The body that our client sends, recorded by a server with a useless reply. */
async function statusRequest(uuid: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    response.writeHead(401).end();
    resolve(Buffer.concat(chunks).toString());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const query = createQueryService({ clock: Date.now, log: silent, origins: [endpoint] });
  const to = Date.now();
  const window = { from: to - dayMs, to, label: '24h', isMoving: true };
  await query
    .forWorkspace({ teamId: 'T1', keyId: 'k', endpoint, apiKey: 'k' }, { isFresh: true })
    .workflowStatus({ uuid, window, failuresMax: 5 })
    .catch(() => undefined);
  const body = await promise;
  await query.close();
  server.close();
  return body;
}
