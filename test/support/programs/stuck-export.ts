/** Exports that have read one page, a hundred runs, and wait for the next. */
import { onTestFinished } from 'vitest';
import { sampleNow, sampleService, startTestCommands, type TestCommands } from '../bot/commands.ts';
import { hang, inTurn, relayTo, startHostileHttp } from '../service/hostile-http.ts';

/** @returns how a test gets commands over the sample, whose service returns a name and a page and then never answers */
export function useStuckExports(): () => Promise<TestCommands> {
  return async () => {
    const { url, apiKey } = await sampleService();
    const relay = relayTo(url);
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
