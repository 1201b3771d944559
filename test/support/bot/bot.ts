/** The bot's Slack side with a test's own dispatcher, and a Slack. */
import { setTimeout as timer } from 'node:timers/promises';
import type { Members } from '../../../src/bot/commands/access/access-control.ts';
import { type Answer, ephemeral } from '../../../src/bot/commands/framework/command.ts';
import type { CommandRequest, Dispatch, OnProgress } from '../../../src/bot/commands/framework/dispatch.ts';
import type { Runtime } from '../../../src/bot/domain/runtime.ts';
import { createSlackBot, type SlackBot, type SlackBotOptions } from '../../../src/bot/slack/bot.ts';
import type { SlackReceiver } from '../../../src/bot/slack/inbound/receivers/processing.ts';
import { SocketReceiver } from '../../../src/bot/slack/inbound/receivers/socket-receiver.ts';
import type { InboundServices } from '../../../src/bot/slack/inbound/services.ts';
import {
  createOutboundSlack,
  type OutboundSlack,
  type OutboundSlackDeps,
} from '../../../src/bot/slack/outbound/outbound-slack.ts';
import type { Store } from '../../../src/bot/store/store.ts';
import { actions } from '../../../src/bot/views/blocks/blocks.ts';
import { commandButton } from '../../../src/bot/views/blocks/command-button.ts';
import { message } from '../../../src/bot/views/blocks/message.ts';
import { paragraph, plain } from '../../../src/bot/views/blocks/rich-text.ts';
import { createMemoryLog, type MemoryLog } from '../runner/memory-log.ts';
import { type FakeSlack, fakeTokens, startFakeSlack } from '../slack/fake-slack.ts';
import { testRuntime } from './runtime.ts';

/** An answer that repeats its line, with the buttons a real one has. */
export function echo(line: string): Answer {
  return ephemeral(
    message([
      paragraph([plain(`You typed ${line}`)]),
      actions([
        commandButton({ label: 'Refresh', line, mode: 'refresh' }),
        commandButton({ label: 'Share', line, mode: 'share' }),
      ]),
    ]),
  );
}

export type TestDispatch = (request: CommandRequest, onProgress?: OnProgress) => Answer | Promise<Answer>;

/** Commands are acknowledged, and loading forms opened, without waiting for the answer. */
export const withoutWaiting = { answerInAckWithinMs: 1, loadingModalAfterMs: 1 };

const lateDispatches = new WeakSet<TestDispatch>();

/** @returns a dispatcher whose answer comes after the acknowledgement, as one that needs calls */
export function lateAnswer(answer: TestDispatch): TestDispatch {
  const late: TestDispatch = async (request, onProgress) => {
    await timer(30);
    return answer(request, onProgress);
  };
  lateDispatches.add(late);
  return late;
}

export type TestBot = {
  readonly slack: FakeSlack;
  readonly bot: SlackBot & Members & Pick<OutboundSlack, 'channels' | 'outboxPosting' | 'notifyPerson'>;
  readonly log: MemoryLog;
  /** The requests that reached the dispatcher. */
  readonly requests: readonly CommandRequest[];
  /** The waits between retries, in milliseconds; no test really waits. */
  readonly waits: readonly number[];
};

export type TestBotOptions = Partial<
  Runtime &
    Omit<OutboundSlackDeps, 'runtime' | 'timing'> &
    Omit<InboundServices, 'runtime' | 'slack' | 'waitingTimes'> &
    Omit<SlackBotOptions, 'receiver' | 'timing'>
> & {
  readonly timing?: OutboundSlackDeps['timing'] & SlackBotOptions['timing'];
  readonly answer?: TestDispatch;
  /** The token of the only workspace of a bot without an installation store. */
  readonly botToken?: string;
  /** For Socket Mode, the default of a test bot. */
  readonly appToken?: string;
  readonly createReceiver?: (routes: OutboundSlack['access']['routes']) => SlackReceiver;
};

/** For bots whose answers are messages: they have no database. */
export const noStore = new Proxy({} as Pick<Store, 'outbox' | 'postPermits'>, {
  get: (_, name) => {
    if (name === 'outbox') return { subjectBelow: async () => null };
    if (name === 'postPermits') return undefined;
    throw new Error('This test opens no thread.');
  },
});

export function createTestBot(
  slack: Pick<FakeSlack, 'apiUrl'>,
  { answer, appToken = fakeTokens.app, botToken = fakeTokens.bot, createReceiver, ...deps }: TestBotOptions = {},
): Omit<TestBot, 'slack'> {
  const log = createMemoryLog();
  const requests: CommandRequest[] = [];
  const waits: number[] = [];
  const dispatch: Dispatch = async (request, onProgress) => {
    requests.push(request);
    return answer ? answer(request, onProgress) : echo(request.line);
  };
  const { clock = () => 1_763_700_000_000, log: ownLog = log.log, measure, createReference } = deps;
  const runtime = testRuntime(clock, ownLog);
  const shared = {
    slashCommand: '/workflow',
    ...deps,
    runtime: { ...runtime, ...(measure && { measure }), ...(createReference && { createReference }) },
    timing: {
      reconnecting: { firstDelayMs: 5, delayMaxMs: 40 },
      startWithinMs: 200,
      // A busy machine needs longer for an answer than people and channels wait.
      audienceTimeoutMs: 60_000,
      answerInAckWithinMs: 60_000,
      loadingModalAfterMs: 60_000,
      noteAfterMs: 60_000,
      ...(answer && lateDispatches.has(answer) && withoutWaiting),
      waitBeforeRepeat: async (ms: number) => void waits.push(ms),
      ...deps.timing,
    },
  };
  const outbound = createOutboundSlack({ access: { kind: 'token', botToken }, slackApiUrl: slack.apiUrl, ...shared });
  const services = {
    dispatch,
    opensModal: () => false,
    submit: async () => ({ kind: 'close' }) as const,
    searchNames: async () => [],
    namesIn: async () => [],
    searchZones: async () => [],
    store: noStore,
    ...shared,
    slack: outbound,
  };
  const { dispatcher, web, access } = outbound;
  const { reconnecting } = shared.timing;
  const receiver =
    createReceiver?.(access.routes) ??
    new SocketReceiver({ dispatcher, web, access, runtime: shared.runtime, appToken, reconnecting });
  const bot = createSlackBot(services, { receiver, ...shared });
  const { members, channels, outboxPosting, notifyPerson } = outbound;
  return { bot: { ...bot, ...members, channels, outboxPosting, notifyPerson }, log, requests, waits };
}

/** Starts both; disposing of it stops both. */
export async function startTestBot(
  options: TestBotOptions = {},
  prepare: (slack: FakeSlack) => void = () => undefined,
): Promise<TestBot & AsyncDisposable> {
  const slack = await startFakeSlack();
  prepare(slack);
  const test = createTestBot(slack, options);
  await test.bot.start();
  const dispose = async () => {
    await test.bot.stop();
    await slack.close();
  };
  return { ...test, slack, [Symbol.asyncDispose]: dispose };
}
