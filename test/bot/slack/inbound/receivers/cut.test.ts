/** A socket that is cut at any point loses no delivery: Slack repeats it on the next connection, it runs once, and its answer arrives. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readRecord, readText } from '../../../../../src/shared/json.ts';
import { echo, startTestBot } from '../../../../support/bot/bot.ts';
import { type FakeSlack, fakeTeamId } from '../../../../support/slack/fake-slack.ts';
import { commandPayload, pressPayload, submissionPayload } from '../../../../support/slack/slack-payloads.ts';

type Kind = {
  readonly type: string;
  readonly payload: (slack: FakeSlack) => unknown;
  /** Its answer in the acknowledgement, if it travels there. */
  readonly inAck?: (payload: unknown) => boolean;
  /** Its answers in calls. */
  readonly inCalls: (slack: FakeSlack) => number;
};

const view = { id: 'V1', hash: 'h1', callback_id: 'cmd:connect', state: { values: {} } };
const mention = {
  type: 'event_callback',
  team_id: fakeTeamId,
  event_id: 'Ev1',
  event: { type: 'app_mention', user: 'U0ANNA', channel: 'C0OPS', text: '<@U0BOT> list', ts: '1.1' },
};
const responses = (slack: FakeSlack) => slack.responses.length;
const kinds: Readonly<Record<string, Kind>> = {
  command: {
    type: 'slash_commands',
    payload: (slack) => commandPayload(slack, 'list'),
    inAck: (payload) => readText(readRecord(payload), 'text') === 'You typed list',
    inCalls: responses,
  },
  press: {
    type: 'interactive',
    payload: (slack) => pressPayload(slack, { mode: 'open', line: 'list' }),
    inCalls: responses,
  },
  event: {
    type: 'events_api',
    payload: () => mention,
    inCalls: ({ calls }) => calls.filter(({ method }) => method.startsWith('chat.post')).length,
  },
};

/** A bot whose work waits for `release`; `began` when a delivery has reached it. */
async function slowBot() {
  const [began, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const work = async <Result>(result: Result) => {
    runs += 1;
    began.resolve();
    await released.promise;
    return result;
  };
  const run = await startTestBot({
    answer: ({ line }) => work(echo(line)),
    submit: () => work({ kind: 'close' } as const),
  });
  return { run, began: began.promise, release: released.resolve, runs: () => runs };
}

type SlowBot = Awaited<ReturnType<typeof slowBot>>;

type Delivery = { readonly type: string; readonly payload: unknown };

/** Sends a delivery, and cuts its connection at this point. */
type Cut = (bot: SlowBot, delivery: Delivery) => Promise<unknown>;

/** Sends it without waiting for its acknowledgement. */
const deliver = ({ run }: SlowBot, delivery: Delivery) =>
  run.slack.sendRaw(JSON.stringify({ ...delivery, envelope_id: 'cut', accepts_response_payload: true }));

const cuts: Readonly<Record<string, Cut>> = {
  'before the work': async (bot, delivery) => {
    bot.release();
    deliver(bot, delivery);
    await cut(bot);
  },
  'during the work': async (bot, delivery) => {
    deliver(bot, delivery);
    await bot.began;
    await cut(bot);
    bot.release();
  },
  // It arrives, and Slack takes no notice of it.
  'during the acknowledgement': async (bot, delivery) => {
    const [socket = expect.fail()] = bot.run.slack.sockets;
    const arrived = once(socket, 'message');
    bot.release();
    deliver(bot, delivery);
    await arrived;
    await cut(bot);
  },
  'after the acknowledgement': async (bot, { type, payload }) => {
    bot.release();
    await bot.run.slack.send(type, payload);
    await cut(bot);
  },
};

/** Breaks the connection, and waits for the next one. */
async function cut({ run: { slack } }: SlowBot): Promise<void> {
  const [old] = slack.sockets;
  old?.terminate();
  await slack.until(() => slack.sockets.find((socket) => socket !== old));
}

const points = Object.keys(cuts);

describe.each(Object.keys(kinds))('a %s whose connection is cut', (name) => {
  it.each(points)('%s runs once, and has its answer once', async (point) => {
    const { type, payload, inAck = () => false, inCalls } = kinds[name] ?? expect.fail();
    const bot = await slowBot();
    await using run = bot.run;
    const delivery = payload(run.slack);
    await cuts[point]?.(bot, { type, payload: delivery });
    const { payload: repeated } = await run.slack.send(type, delivery);
    if (!inAck(repeated)) await run.slack.until(() => inCalls(run.slack) || undefined);
    await run.bot.finish();
    expect([bot.runs(), inCalls(run.slack)]).toEqual([1, inAck(repeated) ? 0 : 1]);
  });
});

describe('a form whose connection is cut', () => {
  it.each(points)('%s is submitted once, and its repetition is acknowledged', async (point) => {
    const bot = await slowBot();
    await using run = bot.run;
    const form = submissionPayload({ view });
    await cuts[point]?.(bot, { type: 'interactive', payload: form });
    const { payload } = await run.slack.send('interactive', form);
    expect(payload).toSatisfy((answer) =>
      [undefined, 'clear'].includes(readText(readRecord(answer), 'response_action')),
    );
    await run.bot.finish();
    expect(bot.runs()).toBe(1);
  });
});
