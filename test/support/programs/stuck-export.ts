/** Exports that have read one page, a hundred runs, and wait for the next. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { sampleNow, startTestCommands, type TestCommands } from '../bot/commands.ts';
import { hang, inTurn, relayTo, startHostileHttp } from '../service/hostile-http.ts';
import { startTestService, type TestService } from '../service/service.ts';

/** @returns how a test gets commands over the sample, whose service returns a name and a page and then never answers */
export function useStuckExports(): () => Promise<TestCommands> {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await startTestService({ sample: 'fixed', hasRecords: false, clock: () => sampleNow });
  });
  afterAll(() => service?.close());
  return async () => {
    const [apiKey = ''] = Object.values(service?.sampleKeys ?? {});
    const relay = relayTo(service?.url ?? '');
    const door = await startHostileHttp(inTurn(relay, relay, hang));
    let now = sampleNow;
    // A second passes between any two reads of the clock.
    const clock = () => {
      now += 1000;
      return now;
    };
    const commands = await startTestCommands({ service: { url: door.url, apiKey }, clock });
    onTestFinished(async () => {
      await commands.close();
      await door[Symbol.asyncDispose]();
    });
    return commands;
  };
}
