/** A query service behind a line that freezes, slows down or dies, over real sockets. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { deadlineDefaultMs } from '../../../src/bot/query/client/deadline.ts';
import { startTestCommands, type TestCommands } from '../bot/commands.ts';
import { type Behaviour, startHostileHttp } from './hostile-http.ts';
import { startTestService } from './service.ts';

/** Accepts the request and never answers. */
export const frozen: Behaviour = () => undefined;

/** Closes the connection in the middle of the answer. */
export const dying: Behaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":{', () => response.destroy());
};

export type Line = {
  readonly commands: TestCommands;
  readonly behaveAs: (behaviour: Behaviour) => void;
};

export type SlowService = {
  /** The service's own answer. */
  readonly healthy: Behaviour;
  /** A line and commands of its own; closed after the tests of the file. */
  readonly open: (behaviour: Behaviour, now?: () => number) => Promise<Line>;
};

/** One service with the sample for all tests of a file. @returns how a test reaches it */
export function useSlowService(clock: () => number): () => SlowService {
  let service: Awaited<ReturnType<typeof startTestService>> | undefined;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    service = await startTestService({ sample: 'fixed', hasRecords: false, clock });
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await service?.close();
  });
  const healthy: Behaviour = async ({ body, headers }, response) => {
    const answer = await fetch(service?.url ?? '', {
      method: 'POST',
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      body,
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  };
  const open: SlowService['open'] = async (behaviour, now = clock) => {
    const line = await startHostileHttp(behaviour);
    const [apiKey = ''] = Object.values(service?.sampleKeys ?? {});
    const limits = { answerWithinMs: deadlineDefaultMs, hasWaitingNotes: true };
    const commands = await startTestCommands({ service: { url: line.url, apiKey }, clock: now, ...limits });
    closing.push(commands.close, async () => line[Symbol.asyncDispose]());
    return { commands, behaveAs: line.behaveAs };
  };
  return () => ({ healthy, open });
}

/** Answers as the other behaviour, later; not at all if the connection is closed meanwhile. */
export function after(ms: number, then: Behaviour): Behaviour {
  return async (request, response) => {
    await wait(ms, undefined, { ref: false });
    if (!response.destroyed) await then(request, response);
  };
}
