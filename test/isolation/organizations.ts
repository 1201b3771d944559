/** A query service with many organizations with equal ids, so that only the key distinguishes them. */
import { randomBytes } from 'node:crypto';
import { type HostileHttp, startHostileHttp } from '../support/service/hostile-http.ts';
import { answerInWorld, sameText } from '../support/service/world.ts';

export type Organizations = {
  readonly url: string;
  /** The mark of each organization, in each of its texts. */
  readonly markers: readonly string[];
  /** @param organization its index @returns a new key on every call */
  readonly newKey: (organization: number) => string;
  /** Number of requests with each organization's keys. */
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
      // Every second key has a shape that masking does not know.
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
