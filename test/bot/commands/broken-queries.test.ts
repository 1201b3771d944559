/** Each operation of an answer is refused in turn: the answer names what could not be read, and denies nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blockText } from '../../../src/bot/views/blocks/message.ts';
import { homeView } from '../../../src/bot/views/home/home.ts';
import { AppError } from '../../../src/shared/errors.ts';
import {
  type SampleService,
  sampleNow,
  sampleService,
  startTestCommands,
  type TestCommands,
} from '../../support/bot/commands.ts';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { type HostileHttp, relayTo, startHostileHttp } from '../../support/service/hostile-http.ts';
import { failuresOf, sampleAt } from '../../support/service/sample.ts';

let relay: HostileHttp;
let commands: TestCommands;
let service: SampleService;
let asked = new Set<string>();
let refused: string | null = null;
let workspaces = 0;

const operationOf = (body: string) =>
  /query (\w+)/.exec((JSON.parse(body) as { readonly query: string }).query)?.[1] ?? '';

beforeAll(async () => {
  service = await sampleService();
  const pass = relayTo(service.url);
  relay = await startHostileHttp((request, response) => {
    const operation = operationOf(request.body);
    asked.add(operation);
    return operation === refused ? response.writeHead(400).end() : pass(request, response);
  });
  commands = await startTestCommands({ service: { ...service, url: relay.url } });
});

afterAll(async () => {
  await commands.close();
  await relay[Symbol.asyncDispose]();
});

/** Typed in a workspace of its own, so that nothing is cached. */
async function answerTo(line: string): Promise<string> {
  workspaces += 1;
  const person = { teamId: `T${workspaces}`, userId: 'U1', channelId: 'C1' };
  const { messages, isProblem } = await commands.run(line, { person });
  return `${isProblem ? 'problem: ' : ''}${messages.map(({ text }) => text).join('\n')}`;
}

/** The replies under the root. */
async function threadOf(line: string): Promise<string> {
  workspaces += 1;
  const person = { teamId: `T${workspaces}`, userId: 'U1', channelId: 'C1' };
  const { messages, isProblem } = await commands.run(line, { person });
  const replies = isProblem ? messages : messages.slice(1);
  return `${isProblem ? 'problem: ' : ''}${replies.map(({ text }) => text).join('\n')}`;
}

async function home(): Promise<string> {
  workspaces += 1;
  const { health, ...facts } = await commands.homeOf({ teamId: `T${workspaces}`, userId: 'U1' });
  const blocks = homeView({ health, ...facts }).blocks;
  return `${health.kind === 'problem' ? 'problem: ' : ''}${blocks.map((block) => blockText(block)).join('\n')}`;
}

const hourMs = 3_600_000;

/** Built by a client of its own, so that nothing is cached; of a short time, because each operation is refused in turn. */
async function digest(): Promise<string> {
  await using desk = digestDesk({ ...service, url: relay.url }, sampleNow);
  try {
    const window = { from: sampleNow - 3 * hourMs, to: sampleNow };
    const messages = await desk.build(digestRequest(sampleNow, { window }));
    return [messages?.root, ...(messages?.replies.map(({ message }) => message) ?? [])]
      .map((message) => message?.text)
      .join('\n');
  } catch (error) {
    if (error instanceof AppError) return `problem: ${error.message}`;
    throw error;
  }
}

const { sample } = sampleAt(new Date(sampleNow).toISOString());
const [failure] = failuresOf(sample.runsOf('payments'));

const surfaces: readonly (readonly [name: string, read: () => Promise<string>])[] = [
  ['status of a failing workflow', () => answerTo('status payments')],
  ['status of a silent workflow', () => answerTo('status carbon-credits')],
  ['a failed execution', () => answerTo(`execution ${failure?.uuid}`)],
  ['the thread of a failed execution', () => threadOf(`execution ${failure?.uuid}`)],
  ['failures', () => answerTo('failures payments')],
  ['list', () => answerTo('list')],
  ['Home', home],
  ['a digest', digest],
];

/** Phrases that say what is not known. */
const gaps = (text: string): readonly string[] =>
  text.match(/problem:|[^\n·]*could not[^\n]*|[^\n·]*not known[^\n]*/gi) ?? [];
/** What an answer denies or calls well. */
const denial =
  /:white_check_mark:|:large_green_circle:|is healthy|all clear|no (active workflow|failure|deployment|execution|other)|nothing failed|none |never/gi;
const denials = (text: string): readonly string[] => text.match(denial) ?? [];

it.each(surfaces)('%s names what could not be read, and denies nothing for it', async (_, read) => {
  asked = new Set();
  refused = null;
  const whole = await read();
  expect(whole).not.toMatch(/problem|could not/);
  const operations = [...asked];
  expect(operations.length).toBeGreaterThan(0);
  const unsaid = [];
  for (const operation of operations) {
    refused = operation;
    const text = await read();
    const known = gaps(whole);
    const isNamed = gaps(text).some((gap) => !known.includes(gap));
    const denied = denials(text).filter((words) => !denials(whole).includes(words));
    if (!isNamed || denied.length > 0) unsaid.push({ operation, denied, text });
  }
  refused = null;
  expect(unsaid).toEqual([]);
});
