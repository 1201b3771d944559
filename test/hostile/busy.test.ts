/** A service that answers 429 to everything, from the start or in the middle, gets few requests from one command and from one digest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as registry from '../../src/bot/commands/registry.ts';
import { sampleNow, startTestCommands } from '../support/bot/commands.ts';
import { digestDesk, digestRequest } from '../support/bot/digests.ts';
import { answer, type Behaviour, relayTo, startHostileHttp } from '../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../support/service/service.ts';

/** As docs/truth.md states them. */
const [refusedOfOneCommandMax, refusedOfOneDigestMax] = [12, 40];
const busy = answer(429, { errors: [{ message: 'slow down' }] }, { 'retry-after': '1' });
const lines = Object.values(registry).map(({ name, examples: [example = name] }) => example);

let service: TestService;
let apiKey: string;

beforeAll(async () => {
  service = await startTestService({ sample: 'fixed', hasRecords: false, clock: () => sampleNow });
  apiKey = Object.values(service.sampleKeys)[0] ?? '';
});
afterAll(() => service.close());

/** @returns a service that answers some requests, then 429, and the number of those that it refused */
async function startBusyAfter(answeredMax: number) {
  const relay = relayTo(service.url);
  const behaviour: Behaviour = (request, response) => (request.number <= answeredMax ? relay : busy)(request, response);
  const server = await startHostileHttp(behaviour);
  return { ...server, refused: () => Math.max(0, server.requests.length - answeredMax) };
}

describe.each([0, 1, 2, 3, 5, 8])('a service that is busy for everything after %i answers', (answeredMax) => {
  it.each(lines)('refuses few requests of “%s”', async (line) => {
    await using server = await startBusyAfter(answeredMax);
    const commands = await startTestCommands({
      service: { url: server.url, apiKey },
      clock: () => sampleNow,
      query: { wait: async () => undefined },
    });
    await commands.run(line);
    await commands.close();
    expect(server.refused()).toBeLessThanOrEqual(refusedOfOneCommandMax);
  });
});

it.each([0, 1, 3, 6, 10, 15, 20, 30])(
  'a service that is busy for everything after %i answers refuses few requests of a digest',
  async (answeredMax) => {
    await using server = await startBusyAfter(answeredMax);
    await using desk = digestDesk({ url: server.url, apiKey }, sampleNow);
    await desk.build(digestRequest(sampleNow)).catch(() => null);
    expect(server.refused()).toBeLessThanOrEqual(refusedOfOneDigestMax);
  },
);
