/** The two cases of the section `text` about size: five hundred failures, and a log of a million lines. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'vitest';
import type { MessageAnswer } from '../../src/bot/commands/framework/command.ts';
import { startCommandsIn, stringsIn } from '../support/bot/every-answer.ts';
import { expectGoodMessage } from '../support/insight/message-rules.ts';
import { type Behaviour, data, type HostileHttp, startHostileHttp } from '../support/service/hostile-http.ts';
import { startWorld, worldTime, worldUuids } from '../support/service/world.ts';

async function answerOf(server: HostileHttp, line: string): Promise<MessageAnswer> {
  const commands = await startCommandsIn(server);
  const { answer } = await commands.type(line);
  await commands.close();
  expectGoodMessage(answer.message);
  return answer;
}

const words = ['ledger', 'oracle', 'bridge', 'custody', 'escrow', 'vault', 'relay', 'broker', 'mint', 'treasury'];
const wordAt = (index: number) => words[index % words.length] ?? '';

/** Five hundred failures of a hundred causes in workflows with names of 300 characters, as `failures` shows them. */
export async function fiveHundredFailures(): Promise<void> {
  const executions = Array.from({ length: 500 }, (_, index) => ({
    uuid: `e0000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    id: 'b'.repeat(64),
    workflowName: `${wordAt(index)} ${'n'.repeat(300)}`,
    workflowUUID: worldUuids.workflow,
    status: 'FAILURE',
    classifiedStatus: 'USER_ERROR',
    startedAt: worldTime(index + 1),
    finishedAt: worldTime(index),
    errors: [{ error: `${wordAt(index)} of the ${wordAt(Math.floor(index / 10))} refused`, count: 9 }],
  }));
  await using world = await startWorld(undefined, { executions });
  const { message } = await answerOf(world, 'failures');
  const { text, blocks } = message;
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(Math.max(...stringsIn(blocks).map(({ length }) => length))).toBeLessThanOrEqual(3000);
  expect(text.length).toBeLessThanOrEqual(4000);
  expect(text).toMatch(/500 failures/);
  expect(text).toMatch(/\d+ (?:more|other)/);
}

const mebibyte = 1024 * 1024;
const execution = {
  uuid: worldUuids.failure,
  id: 'b'.repeat(64),
  workflowName: 'payments',
  status: 'FAILURE',
  classifiedStatus: null,
  startedAt: worldTime(2),
  finishedAt: worldTime(1),
  errors: null,
};

/** Sends a million lines until the client disconnects. @returns the bytes that were sent too */
function millionLines(): { readonly behaviour: Behaviour; readonly bytes: () => number } {
  const line = `${JSON.stringify({ nodeID: 'node-1', message: 'x'.repeat(60), timestamp: worldTime(2) })},`;
  const chunk = Buffer.from(line.repeat(1000));
  const head = `{"data":{"workflowExecution":{"data":${JSON.stringify(execution)}},"workflowExecutionLogs":{"data":[`;
  let bytes = 0;
  function* chunks() {
    yield Buffer.from(head);
    for (let sent = 0; sent < 1000; sent += 1) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const stream = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    // The client may disconnect before the end.
    await pipeline(Readable.from(chunks()), response).catch(() => undefined);
  };
  const short = data({ workflowExecution: { data: execution }, workflowExecutionEvents: { data: [] } });
  return {
    behaviour: (request, response) =>
      JSON.parse(request.body).variables.hasLogs ? stream(response) : short(request, response),
    bytes: () => bytes,
  };
}

/** The rulings allow a log of ten nodes with a thousand lines of 1 KB each. A longer log is not read, and the answer says so. */
export async function millionLogLines(): Promise<void> {
  const { behaviour, bytes } = millionLines();
  await using server = await startHostileHttp(behaviour);
  const before = process.memoryUsage().rss;
  const answer = await answerOf(server, `logs ${worldUuids.failure}`);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * mebibyte);
  expect(bytes()).toBeLessThan(24 * mebibyte);
  expect(answer.message.text).toMatch(/larger than I read|did not return/);
  expect(answer.file).toBeUndefined();
  await longestLog();
}

/** The longest allowed log: a message with its head and tail, and one file. */
async function longestLog(): Promise<void> {
  const log = Array.from({ length: 100_000 }, (_, index) => ({
    nodeID: `node-${index % 10}`,
    message: `line ${Math.floor(index / 10)} ${wordAt(index)}`,
    timestamp: worldTime(2 - index / 100_000),
  }));
  await using world = await startWorld(undefined, { log });
  const { message, file } = await answerOf(world, `logs ${worldUuids.failure}`);
  expect(message.text).toContain('left out');
  expect(message.text.split('\n').length).toBeLessThan(120);
  expect(file?.name).toMatch(/^logs-/);
}
