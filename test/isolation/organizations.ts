/** A query service with many organizations that are alike to the last id, so that nothing but the key tells them apart. */
import { randomBytes } from 'node:crypto';
import { type HostileHttp, startHostileHttp } from '../support/hostile-http.ts';
import { answerInWorld, sameText } from '../support/world.ts';

export type Organizations = {
  readonly url: string;
  /** Of each organization: in every text that it has. */
  readonly markers: readonly string[];
  /** @param organization its index @returns another key with every call */
  readonly newKey: (organization: number) => string;
  /** How many questions came with each organization's keys. */
  readonly asked: () => readonly number[];
  readonly close: () => Promise<void>;
};

export async function startOrganizations(count: number): Promise<Organizations> {
  const markers = Array.from({ length: count }, (_, index) => `mk${index}x${randomBytes(4).toString('hex')}`);
  const organizationOf = new Map<string, number>();
  const asked = markers.map(() => 0);
  const server: HostileHttp = await startHostileHttp(async (request, response) => {
    const organization = organizationOf.get((request.headers.authorization ?? '').replace('Apikey ', ''));
    response.writeHead(200, { 'content-type': 'application/json' });
    if (organization === undefined) {
      response.end(JSON.stringify({ errors: [{ message: 'Invalid API key' }] }));
      return;
    }
    asked[organization] = (asked[organization] ?? 0) + 1;
    response.end(JSON.stringify(await answerInWorld(request, sameText(`payments ${markers[organization]}`))));
  });
  return {
    url: server.url,
    markers,
    newKey: (organization) => {
      // One in two has a shape that no mask knows.
      const key = `${organizationOf.size % 2 === 0 ? 'wfq_' : 'plainly-'}${randomBytes(12).toString('hex')}`;
      organizationOf.set(key, organization);
      return key;
    },
    asked: () => asked,
    close: async () => {
      await server[Symbol.asyncDispose]();
    },
  };
}
