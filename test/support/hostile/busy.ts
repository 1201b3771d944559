/** A service that answers 429 to everything, from the start or in the middle, gets few requests from one command and from one digest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as registry from '../../../src/bot/commands/registry.ts';
import { sampleNow, sampleService, startTestCommands, type TestCommands } from '../bot/commands.ts';
import { digestDesk, digestRequest } from '../bot/digests.ts';
import { answer, type HostileHttp, relayTo, startHostileHttp } from '../service/hostile-http.ts';

/**
 * As docs/truth.md states them. How many requests of a digest are refused depends on which answers come first; how often one document is
 * sent does not.
 */
const [refusedOfOneCommandMax, refusedOfOneDocumentMax, refusedOfOnePageMax] = [12, 2, 5];
const busy = answer(429, { errors: [{ message: 'slow down' }] }, { 'retry-after': '1' });
/** Answers before the service is busy. */
const counts = [0, 1, 2, 3, 5, 8];
export const everyCountOfDigests = [0, 1, 3, 6, 10, 15, 20, 30];
const lines = Object.values(registry).map(({ name, examples: [example = name] }) => example);

/** Each line at each moment, if it is wanted. @param isWanted by the numbers of the line and of the moment @param countsOfDigests answers before the service is busy for a digest */
export function describeBusy(
  isWanted: (line: number, count: number) => boolean,
  countsOfDigests: readonly number[],
): void {
  let apiKey: string;
  let server: HostileHttp;
  let commands: TestCommands;
  let [answersLeft, workspaces, documentsOfDigest] = [0, 0, 0];
  let refused: string[] = [];
  let requests = 0;

  beforeAll(async () => {
    const service = await sampleService();
    apiKey = service.apiKey;
    const relay = relayTo(service.url);
    server = await startHostileHttp((request, response) => {
      requests += 1;
      answersLeft -= 1;
      if (answersLeft >= 0) return relay(request, response);
      refused.push(request.body);
      return busy(request, response);
    });
    const query = { wait: async () => undefined };
    commands = await startTestCommands({ service: { url: server.url, apiKey }, clock: () => sampleNow, query });
    expect(await refusedOf(Number.POSITIVE_INFINITY, buildDigest)).toEqual([]);
    documentsOfDigest = requests;
  });
  afterAll(async () => {
    await commands.close();
    await server[Symbol.asyncDispose]();
  });

  /** @returns the requests that a service refuses that is busy after some answers */
  async function refusedOf(answersMax: number, ask: () => Promise<unknown>): Promise<readonly string[]> {
    [answersLeft, refused, requests] = [answersMax, [], 0];
    await ask();
    return refused;
  }

  async function buildDigest(): Promise<void> {
    await using desk = digestDesk({ url: server.url, apiKey }, sampleNow);
    await desk.build(digestRequest(sampleNow)).catch(() => null);
  }

  describe.each(counts)('a service that is busy for everything after %i answers', (answersMax) => {
    it.each(lines.filter((_line, index) => isWanted(index, counts.indexOf(answersMax))))(
      'refuses few requests of “%s”',
      async (line) => {
        workspaces += 1;
        // Of its own, so that nothing is cached.
        const person = { teamId: `T${workspaces}`, userId: 'U1', channelId: 'C1' };
        const { length } = await refusedOf(answersMax, () => commands.run(line, { person }));
        expect(length).toBeLessThanOrEqual(refusedOfOneCommandMax);
      },
    );
  });

  it.each(countsOfDigests)(
    'a service that is busy for everything after %i answers refuses few requests of each document of a digest',
    async (answersMax) => {
      const times = Map.groupBy(await refusedOf(answersMax, buildDigest), (document) => document);
      const isPage = (document: string) => document.includes('query WorkflowExecutions(');
      const tooOften = [...times].filter(
        ([document, { length }]) => length > (isPage(document) ? refusedOfOnePageMax : refusedOfOneDocumentMax),
      );
      expect(tooOften).toEqual([]);
      expect(times.size).toBeGreaterThan(0);
      expect(times.size).toBeLessThanOrEqual(documentsOfDigest - answersMax);
    },
  );
}
