/** Slash commands over Slack's socket, and their answers. */
import { expect, test } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import { echo, lateAnswer, startTestBot, withoutWaiting } from '../../../../support/bot/bot.ts';
import { fakeTeamId } from '../../../../support/slack/fake-slack.ts';
import { commandPayload } from '../../../../support/slack/slack-payloads.ts';

const late = lateAnswer(({ line }) => echo(line));

test('an answer that needs no call is sent in the acknowledgement', async () => {
  await using run = await startTestBot();
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'status payments'));
  expect(payload).toMatchObject({ response_type: 'ephemeral', text: 'You typed status payments' });
  expect(run.slack.responses).toEqual([]);
});

test('an answer that is not ready in time follows the acknowledgement', async () => {
  const asked = Promise.withResolvers<void>();
  await using run = await startTestBot({
    timing: withoutWaiting,
    answer: async ({ line }) => {
      await asked.promise;
      return echo(line);
    },
  });
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'list'));
  expect(payload).toEqual({});
  asked.resolve();
  const response = await run.slack.until(() => run.slack.responses[0]);
  expect(response.payload).toMatchObject({ response_type: 'ephemeral', text: 'You typed list', unfurl_links: false });
});

test('an answer for the channel is visible to all, and is never sent unchecked in the acknowledgement', async () => {
  await using run = await startTestBot({ answer: ({ line }) => ({ ...echo(line), visibility: 'channel' }) });
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'list'));
  const response = await run.slack.until(() => run.slack.responses[0]);
  expect(payload).toEqual({});
  expect(response.payload).toMatchObject({ response_type: 'in_channel' });
});

test('the dispatcher gets the actor of the envelope and the typed text, with Slack’s escaping undone once', async () => {
  await using run = await startTestBot();
  const text = 'status &amp;lt;x <@U0ANNA|anna>';
  await run.slack.send('slash_commands', commandPayload(run.slack, text));
  expect(run.requests).toEqual([
    {
      line: 'status &lt;x @anna',
      actor: { teamId: fakeTeamId, userId: 'U0ANNA', channelId: 'C0OPS' },
      isFresh: false,
    },
  ]);
});

test('the same delivery twice is dispatched once, and both have its answer', async () => {
  await using run = await startTestBot();
  const payload = commandPayload(run.slack, 'list');
  const first = await run.slack.send('slash_commands', payload);
  expect(await run.slack.send('slash_commands', payload)).toEqual(first);
  expect(run.requests).toHaveLength(1);
});

test('a slash command that is not ours is answered at once with ours', async () => {
  await using run = await startTestBot();
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'x', { command: '/workflows' }));
  expect(payload).toMatchObject({ text: expect.stringContaining('/workflow') });
  expect(run.requests).toEqual([]);
});

test('a dispatcher that throws is answered with a reference that the log has too', async () => {
  await using run = await startTestBot({
    answer: () => {
      throw new Error('broken promise');
    },
  });
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'list'));
  expect(payload).toMatchObject({ text: expect.stringContaining('ref-1') });
  expect(run.log.text()).toContain('"ref":"ref-1"');
  expect(run.log.text()).toContain('broken promise');
});

test.each([
  ['no channel', { channel_id: undefined }],
  ['a channel that is none', { channel_id: '../C0' }],
  ['no person', { user_id: '' }],
])('a command with %s gets the reason and is not dispatched', async (_, fields) => {
  await using run = await startTestBot();
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'list', fields));
  expect(payload).toMatchObject({
    response_type: 'ephemeral',
    text: expect.stringContaining('which channel this came from'),
  });
  expect(run.requests).toEqual([]);
});

test.each([['T0OTHER'], ['__proto__'], ['../../etc/passwd']])(
  'a command from the workspace %s is refused kindly',
  async (team_id) => {
    await using run = await startTestBot();
    const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'list', { team_id }));
    expect(payload).toMatchObject({ text: expect.stringContaining('not installed') });
    expect(run.requests).toEqual([]);
  },
);

test('without a response_url a late answer is posted to the person directly', async () => {
  await using run = await startTestBot({ answer: late });
  await run.slack.send('slash_commands', commandPayload(run.slack, 'list', { response_url: undefined }));
  const call = await run.slack.until(() => run.slack.calls.find(({ method }) => method === 'chat.postEphemeral'));
  expect(call.fields).toMatchObject({ channel: 'C0OPS', user: 'U0ANNA', text: 'You typed list' });
});

test('an answer that Slack would refuse is not sent in the acknowledgement, which hides the refusal', async () => {
  const blocks = Array.from({ length: 51 }, () => ({ type: 'divider' }) as const);
  await using run = await startTestBot({
    answer: () => ephemeral({ text: 'Too many dividers', blocks }),
  });
  run.slack.script('response_url', { status: 400, body: { ok: false, error: 'invalid_blocks' } });
  expect(await run.slack.send('slash_commands', commandPayload(run.slack, 'list'))).toEqual({ payload: {} });
  const plain = await run.slack.until(() => run.slack.responses[1]);
  expect(plain.payload).toMatchObject({ text: 'Too many dividers' });
  expect(plain.payload).not.toHaveProperty('blocks');
});

test('an envelope that accepts no answer is acknowledged empty and answered afterwards', async () => {
  await using run = await startTestBot();
  const extra = { accepts_response_payload: false };
  const sent = await run.slack.send('slash_commands', commandPayload(run.slack, 'list'), extra);
  expect(sent).toEqual({ payload: {} });
  expect(await run.slack.until(() => run.slack.responses[0])).toMatchObject({ payload: { text: 'You typed list' } });
});

test('different commands with the same trigger are both dispatched', async () => {
  await using run = await startTestBot();
  for (const text of ['list', 'help']) {
    await run.slack.send('slash_commands', commandPayload(run.slack, text, { trigger_id: '1.2.3' }));
  }
  expect(run.requests.map(({ line }) => line)).toEqual(['list', 'help']);
});

test('an invalid answer is replaced by a reference that the log has too', async () => {
  await using run = await startTestBot({ answer: () => JSON.parse('null') });
  const { payload } = await run.slack.send('slash_commands', commandPayload(run.slack, 'list'));
  expect(payload).toMatchObject({ text: expect.stringContaining('ref-1') });
  expect(run.log.text()).toContain('"ref":"ref-1"');
});
