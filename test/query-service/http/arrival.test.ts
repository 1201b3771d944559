/** The way in which a request arrives: in one piece or in several, with others, or only in part. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceMeasurement } from '../../../src/query-service/measurement.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';

const measured: ServiceMeasurement[] = [];
const { log, text: logged } = createMemoryLog();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ log, measure: (measurement) => measured.push(measurement) });
});
afterAll(() => service.close());

const outcomes = () => measured.flatMap((one) => (one.kind === 'request' ? [one.outcome] : []));

const bodies = {
  small: JSON.stringify({ query: '{ getOrganization { displayName } }' }),
  'of several bytes a character': JSON.stringify({ query: '{ getOrganization { displayName } } # €𝄞' }),
  'with a byte order mark': `\ufeff${JSON.stringify({ query: '{ __typename }' })}`,
  refused: JSON.stringify({ query: '{ nothing }' }),
  'no JSON': '{',
};

function headOf(length: string, ...more: readonly string[]): string {
  const lines = [
    'POST /graphql HTTP/1.1',
    'host: x',
    'content-type: application/json',
    `authorization: Apikey ${service.apiKeys.harbor}`,
    'x-request-id: test',
    length,
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const withLength = (body: Buffer, ...more: readonly string[]) =>
  Buffer.concat([Buffer.from(headOf(`content-length: ${body.length}`, ...more)), body]);
const inChunks = (pieces: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from(headOf('transfer-encoding: chunked', 'connection: close')),
    ...pieces.flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);

function open() {
  return connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', noDelay: true });
}

/** @returns all bytes that the service sends, without dates */
async function answerTo(...pieces: readonly Buffer[]): Promise<string> {
  const socket = open();
  const answer = socket.toArray();
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    // The service reads this piece before the next one.
    await service.post(bodies.small);
  }
  return Buffer.concat(await answer)
    .toString()
    .replaceAll(/^date: .*\r\n/gim, '');
}

test.each(Object.entries(bodies))('a body that is %s has the same answer in one piece and in many', async (_, text) => {
  const body = Buffer.from(text);
  const whole = withLength(body, 'connection: close');
  const head = whole.length - body.length;
  const answer = await answerTo(whole);
  expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /);
  for (const cuts of [[head], [head + 1], [10, head - 1, head, whole.length - 1]]) {
    const pieces = [0, ...cuts].map((from, index) => whole.subarray(from, cuts[index]));
    expect(await answerTo(...pieces)).toBe(answer);
  }
  expect(await answerTo(inChunks([body]))).toBe(answer);
  expect(await answerTo(inChunks([body.subarray(0, 1), ...(body.length > 1 ? [body.subarray(1)] : [])]))).toBe(answer);
});

test('requests in one piece are answered one after the other, each as if it were alone', async () => {
  const [small, refused] = [Buffer.from(bodies.small), Buffer.from(bodies.refused)];
  const last = withLength(small, 'connection: close');
  const together = await answerTo(Buffer.concat([withLength(small), withLength(refused), withLength(small), last]));
  expect(together.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(4).fill('HTTP/1.1 200'));
  expect(together.match(/"displayName"|"errors"/g)).toEqual([
    '"displayName"',
    '"errors"',
    '"displayName"',
    '"displayName"',
  ]);
  expect(together.endsWith(await answerTo(last))).toBe(true);
});

test.each([
  ['before its head', (whole: Buffer) => whole.subarray(0, 0), undefined],
  ['within its head', (whole: Buffer) => whole.subarray(0, 30), undefined],
  ['before its body', (whole: Buffer, head: number) => whole.subarray(0, head), 'gone'],
  ['within its body', (whole: Buffer, head: number) => whole.subarray(0, head + 5), 'gone'],
  ['after its body', (whole: Buffer) => whole, 'answered'],
] as const)('a client that leaves %s is no fault, and the next one is answered', async (_, sent, outcome) => {
  const body = Buffer.from(bodies.small);
  const whole = withLength(body);
  for (const leave of ['destroy', 'resetAndDestroy'] as const) {
    const before = outcomes().length;
    const socket = open().on('error', () => {});
    await once(socket, 'connect');
    await new Promise((resolve) => socket.write(sent(whole, whole.length - body.length), resolve));
    expect((await service.post(bodies.small)).status).toBe(200);
    socket[leave]();
    const expected = ['answered', ...(outcome ? [outcome] : [])].sort();
    await expect.poll(() => outcomes().slice(before).sort()).toEqual(expected);
  }
  expect(logged()).not.toMatch(/"level":"(warn|error)"/);
});
