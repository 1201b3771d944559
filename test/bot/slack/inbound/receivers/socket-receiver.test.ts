/** The socket connection survives disconnects, outages and refusals of Slack. */
import { expect, test } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import { message } from '../../../../../src/bot/views/blocks/message.ts';
import { paragraph, plain } from '../../../../../src/bot/views/blocks/rich-text.ts';
import { readRecord, readText } from '../../../../../src/shared/json.ts';
import { createTestBot, echo, startTestBot, type TestBot, withoutWaiting } from '../../../../support/bot/bot.ts';
import { startControl } from '../../../../support/runner/control.ts';
import { startFakeSlack } from '../../../../support/slack/fake-slack.ts';
import { commandPayload, pressPayload } from '../../../../support/slack/slack-payloads.ts';

async function ask(run: TestBot, line: string) {
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, line));
  return payload;
}

const opens = (run: TestBot) => run.slack.calls.filter(({ method }) => method === 'apps.connections.open').length;

test('a warning is followed by a second connection before the first is given up', async () => {
  await using run = await startTestBot();
  const [first] = run.slack.sockets;
  run.slack.sendRaw(JSON.stringify({ type: 'disconnect', reason: 'warning' }));
  await run.slack.until(() => (run.slack.sockets.length === 2 ? true : undefined));
  expect(run.slack.sockets).toContain(first);
  expect(await ask(run, 'list')).toMatchObject({ text: 'You typed list' });
});

test('process/slack-connections: after a disconnect that closes at once commands are answered again before Bolt alone would reconnect', async () => {
  await using run = await startTestBot();
  // It waits for five seconds after each disconnect.
  const bolt = startControl(4_500);
  const [old] = run.slack.sockets;
  run.slack.sendRaw(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
  old?.close(1000);
  await run.slack.until(() => (old && run.slack.sockets.includes(old) ? undefined : true));
  expect(await ask(run, 'list')).toMatchObject({ text: 'You typed list' });
  expect(bolt.isOver()).toBe(false);
});

test('the receiver reconnects after an outage, however many attempts it takes', async () => {
  await using run = await startTestBot();
  await run.slack.goDown();
  await run.log.until('the connection to slack is not restored yet, trying again', 8);
  expect(run.bot.isConnected()).toBe(false);
  await run.slack.comeBack();
  await run.slack.until(() => run.slack.sockets[0]);
  expect(await ask(run, 'list')).toMatchObject({ text: 'You typed list' });
  expect(run.bot.isConnected()).toBe(true);
});

test('an app token that Slack refuses while reconnecting does not end the process', async () => {
  await using run = await startTestBot();
  const refused = { body: { ok: false, error: 'invalid_auth' } };
  run.slack.script('apps.connections.open', refused, refused, refused);
  run.slack.sockets[0]?.terminate();
  await run.slack.until(() => (opens(run) === 5 ? true : undefined));
  expect(await ask(run, 'list')).toMatchObject({ text: 'You typed list' });
  expect(run.log.text()).toContain('Slack refused SLACK_APP_TOKEN (invalid_auth).');
});

test('stopping in the middle of an outage ends at once', async () => {
  await using run = await startTestBot({ timing: { reconnecting: { firstDelayMs: 60_000, delayMaxMs: 60_000 } } });
  await run.slack.goDown();
  await run.log.until('the connection to slack is not restored yet, trying again', 1);
  await run.bot.stop();
  expect(run.bot.isConnected()).toBe(false);
});

test('a disconnect right after the hello leads to another connection', async () => {
  const slack = await startFakeSlack();
  const { bot } = createTestBot(slack);
  slack.script('hello', 'drop');
  await bot.start();
  await slack.until(() => (slack.sockets.length === 2 ? true : undefined));
  await bot.stop();
  await slack.close();
});

test('reconnects back off while Slack keeps closing connections', async () => {
  await using run = await startTestBot({ timing: { reconnecting: { firstDelayMs: 60_000, delayMaxMs: 60_000 } } });
  for (let connections = 1; connections <= 4; connections += 1) {
    await run.slack.until(() => (opens(run) === connections && run.slack.sockets.length === 1 ? true : undefined));
    run.slack.sockets[0]?.terminate();
  }
  await run.log.until('slack ends connections too often, pausing');
  expect(opens(run)).toBe(4);
});

test.each([
  'null',
  '42',
  '"text"',
  '[]',
  '{',
  '{}',
  '{"type":"slash_commands"}',
  '{"type":"slash_commands","envelope_id":"x","payload":null}',
  '{"type":"interactive","envelope_id":"x","payload":[]}',
  '{"type":"events_api","envelope_id":"x","payload":{}}',
  '{"type":"events_api","envelope_id":"x","payload":{"event":{"type":"close"}}}',
  '{"type":"close"}',
  '{"type":"error"}',
  '{"type":"ws_message"}',
])('the frame %s is survived', async (frame) => {
  await using run = await startTestBot();
  run.slack.sendRaw(frame);
  expect(await ask(run, 'list')).toMatchObject({ text: 'You typed list' });
});

test.each<[string, string, (run: TestBot) => unknown]>([
  [
    'an interactive payload of an unknown type',
    'interactive',
    () => ({ type: 'block_surprise', user: { id: 'U0ANNA' } }),
  ],
  ['an empty interactive payload', 'interactive', () => ({})],
  [
    'a press without an action',
    'interactive',
    (run) => pressPayload(run.slack, { mode: 'open', line: 'x' }, { actions: [] }),
  ],
  [
    'a press without a person',
    'interactive',
    (run) => pressPayload(run.slack, { mode: 'open', line: 'x' }, { user: undefined, team: undefined }),
  ],
  [
    'a press whose actions are texts',
    'interactive',
    (run) => pressPayload(run.slack, { mode: 'open', line: 'x' }, { actions: ['x'] }),
  ],
  ['a command that is a number', 'slash_commands', (run) => commandPayload(run.slack, 'x', { command: 7 })],
  [
    'a message of a bot',
    'events_api',
    () => ({
      type: 'event_callback',
      team_id: 'T0FAKE',
      event_id: 'Ev1',
      event: { type: 'message', subtype: 'bot_message', bot_id: 'B0BOT', channel: 'C0OPS', text: 'x' },
    }),
  ],
])('%s is acknowledged and survived', async (_, type, payload) => {
  await using run = await startTestBot();
  expect(await run.slack.send(type, payload(run))).toBeDefined();
  expect(await ask(run, 'list')).toMatchObject({ text: 'You typed list' });
});

test('a stop ends the wait for a hello', async () => {
  await using run = await startTestBot();
  run.slack.script('hello', 'hang');
  run.slack.sockets[0]?.terminate();
  await run.slack.until(() => (opens(run) === 2 && run.slack.sockets.length === 1 ? true : undefined));
  await run.bot.stop();
  await run.slack.until(() => (run.slack.sockets.length === 0 ? true : undefined));
});

test('a stop waits for running answers', async () => {
  const asked = Promise.withResolvers<void>();
  await using run = await startTestBot({
    timing: withoutWaiting,
    answer: async ({ line }) => {
      await asked.promise;
      return echo(line);
    },
  });
  await ask(run, 'list');
  const stopped = run.bot.stop();
  asked.resolve();
  await stopped;
  expect(run.slack.responses).toHaveLength(1);
});

test('a command that came in before the stop is acknowledged though its answer takes longer', async () => {
  const asked = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using run = await startTestBot({
    answer: async ({ line }) => {
      arrived.resolve();
      await asked.promise;
      return echo(line);
    },
  });
  const acknowledged = ask(run, 'list');
  await arrived.promise;
  const stopped = run.bot.stop();
  expect(await acknowledged).toEqual({});
  asked.resolve();
  await stopped;
  expect(run.slack.responses).toHaveLength(1);
});

test('a stop does not wait for an answer that never comes', async () => {
  await using run = await startTestBot({
    timing: { ...withoutWaiting, finishWithinMs: 20 },
    answer: () => new Promise(() => undefined),
  });
  await ask(run, 'list');
  await run.bot.stop();
  expect(run.slack.responses).toEqual([]);
});

const long = (line: string) =>
  ephemeral(
    message([
      paragraph([plain(`You typed ${line}`)]),
      ...Array.from({ length: 8 }, () => paragraph([plain('x'.repeat(2_900), 3_000)])),
    ]),
  );

test('an answer that is longer than a frame comes by the response_url, each time, and the connection stays', async () => {
  await using run = await startTestBot({ answer: ({ line }) => long(line) });
  const [socket] = run.slack.sockets;
  for (const times of [1, 2, 3]) {
    expect(await ask(run, 'executions')).toEqual({});
    await run.slack.until(() => run.slack.responses[times - 1]);
  }
  expect(run.slack.sockets).toEqual([socket]);
});

/** Sends an envelope on the newest connection, without waiting for its acknowledgement. */
const deliver = (run: TestBot, payload: unknown, envelope_id: string) =>
  run.slack.sendRaw(JSON.stringify({ type: 'slash_commands', envelope_id, payload, accepts_response_payload: true }));

test('a command that is delivered again gets the answer again in its acknowledgement, and runs once', async () => {
  await using run = await startTestBot();
  const payload = commandPayload(run.slack, 'list');
  const answers = [];
  for (const _ of [1, 2, 3]) answers.push((await run.slack.send('slash_commands', payload)).payload);
  expect(answers.map((answer) => readText(readRecord(answer), 'text'))).toEqual(Array(3).fill('You typed list'));
  expect(run.requests).toHaveLength(1);
  expect(run.slack.responses).toEqual([]);
});

test('a command that is delivered again while its answer is on its way gets it once that is there', async () => {
  const asked = Promise.withResolvers<void>();
  await using run = await startTestBot({
    answer: async ({ line }) => {
      await asked.promise;
      return echo(line);
    },
  });
  const payload = commandPayload(run.slack, 'list');
  deliver(run, payload, 'lost');
  const again = run.slack.send('slash_commands', payload);
  asked.resolve();
  expect((await again).payload).toMatchObject({ text: 'You typed list' });
  expect(run.requests).toHaveLength(1);
});

test('a command whose connection breaks before its answer gets it by the response_url, and once', async () => {
  const [arrived, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using run = await startTestBot({
    answer: async ({ line }) => {
      arrived.resolve();
      await asked.promise;
      return echo(line);
    },
  });
  const payload = commandPayload(run.slack, 'list');
  const [old] = run.slack.sockets;
  deliver(run, payload, 'lost');
  await arrived.promise;
  old?.terminate();
  await run.slack.until(() => run.slack.sockets.find((socket) => socket !== old));
  const again = run.slack.send('slash_commands', payload);
  asked.resolve();
  expect((await again).payload).toEqual({});
  await run.slack.until(() => run.slack.responses[0]);
  expect([run.requests, run.slack.responses].map(({ length }) => length)).toEqual([1, 1]);
});

test('other processes with the same app token are named to the operator', async () => {
  await using run = await startTestBot();
  expect(run.bot.notes()).toEqual([]);
  run.slack.script('hello', { body: { num_connections: 3 } });
  run.slack.sendRaw(JSON.stringify({ type: 'disconnect', reason: 'warning' }));
  await run.slack.until(() => (run.bot.notes().length > 0 ? true : undefined));
  expect(run.bot.notes()).toEqual([
    expect.stringMatching(/^slack: another process is connected with the same SLACK_APP_TOKEN/),
  ]);
});

test('events that Slack leaves out are named to the operator', async () => {
  await using run = await startTestBot();
  await run.slack.send('events_api', {
    type: 'app_rate_limited',
    team_id: 'T0FAKE',
    minute_rate_limited: 1_795_000_000,
  });
  expect(run.bot.notes()).toEqual([expect.stringMatching(/^slack: limited the events of a workspace at /)]);
  expect(run.log.text()).toContain('slack limits the events of a workspace');
});
