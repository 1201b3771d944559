/** Buttons and menus with command lines. */
import { expect, test } from 'vitest';
import { textFile } from '../../../../../src/bot/commands/framework/command.ts';
import { echo, startTestBot, type TestBot } from '../../../../support/bot/bot.ts';
import { fakeTeamId } from '../../../../support/slack/fake-slack.ts';
import { pressPayload } from '../../../../support/slack/slack-payloads.ts';

type Press = Parameters<typeof pressPayload>[1];

/** Presses and waits for as many answers. */
async function press(run: TestBot, pressed: Press, answers = 1, fields = {}) {
  const before = run.slack.responses.length;
  const { payload } = await run.slack.send('interactive', pressPayload(run.slack, pressed, fields));
  expect(payload).toEqual({});
  await run.slack.until(() => (run.slack.responses.length >= before + answers ? true : undefined));
  return run.slack.responses.slice(before).map((response) => response.payload);
}

test('open answers below the pressed message, only for the person who pressed', async () => {
  await using run = await startTestBot();
  const [answer] = await press(run, { mode: 'open', line: 'list', userId: 'U0BEN' });
  expect(answer).toMatchObject({ response_type: 'ephemeral', replace_original: false, text: 'You typed list' });
  expect(run.requests).toEqual([
    { line: 'list', actor: { teamId: fakeTeamId, userId: 'U0BEN', channelId: 'C0OPS' }, isFresh: false },
  ]);
});

test('a menu’s choice is a command line too', async () => {
  await using run = await startTestBot();
  const [answer] = await press(run, { mode: 'replace', line: 'status 1234', isSelect: true });
  expect(answer).toMatchObject({ replace_original: true, text: 'You typed status 1234' });
});

test('replace updates the message, and keeps the Share button if the message is ephemeral', async () => {
  await using run = await startTestBot();
  const [answer] = await press(run, { mode: 'replace', line: 'list' });
  expect(answer).toMatchObject({ response_type: 'ephemeral', replace_original: true });
  expect(JSON.stringify(answer)).toContain('cmd:share:');
  expect(run.requests[0]).toMatchObject({ isFresh: false });
});

test('refresh runs the command again without the cache', async () => {
  await using run = await startTestBot();
  const [answer] = await press(run, { mode: 'refresh', line: 'list' });
  expect(answer).toMatchObject({ replace_original: true });
  expect(run.requests[0]).toMatchObject({ line: 'list', isFresh: true });
});

test.each([
  ['open', true, true],
  ['replace', true, true],
  ['refresh', true, false],
  ['replace', false, false],
  ['share', true, false],
] as const)(
  '%s of an answer with a file (ephemeral: %s) brings the file too: %s',
  async (mode, isEphemeral, bringsFile) => {
    await using run = await startTestBot({
      answer: ({ line }) => ({ ...echo(line), file: textFile('runs.txt', () => 'one') }),
    });
    const [answer] = await press(run, { mode, line: 'list', isEphemeral });
    // A link to the file, or a note that this Slack refused it.
    expect(String(answer?.['text']).includes('\nThe file')).toBe(bringsFile);
    expect(run.slack.calls.some(({ method }) => method === 'conversations.open')).toBe(bringsFile);
  },
);

test('share posts the answer in the channel without its Share button, and names the person who shared it', async () => {
  await using run = await startTestBot();
  const [posted, left] = await press(run, { mode: 'share', line: 'list' }, 2);
  expect(posted).toMatchObject({ response_type: 'in_channel', replace_original: false });
  expect(JSON.stringify(posted)).toContain('Shared by <@U0ANNA>');
  expect(JSON.stringify(posted)).toContain('cmd:refresh:');
  expect(JSON.stringify(posted)).not.toContain('cmd:share:');
  expect(left).toMatchObject({ replace_original: true, text: expect.stringMatching(/^Shared/) });
});

test('share pressed twice posts once', async () => {
  await using run = await startTestBot();
  const twice = [0, 1].map(() =>
    run.slack.send('interactive', pressPayload(run.slack, { mode: 'share', line: 'list' })),
  );
  await Promise.all(twice);
  await run.bot.stop();
  expect(run.slack.responses.filter(({ payload }) => payload['response_type'] === 'in_channel')).toHaveLength(1);
});

test('a problem is not shared: only the person who pressed reads it', async () => {
  await using run = await startTestBot({ answer: ({ line }) => ({ ...echo(line), isProblem: true }) });
  const [answer] = await press(run, { mode: 'share', line: 'list' });
  expect(answer).toMatchObject({ response_type: 'ephemeral', replace_original: false });
});

test('if Slack refuses the post, the person is notified and the answer stays', async () => {
  await using run = await startTestBot();
  run.slack.script('response_url', { status: 403, body: 'restricted_action' });
  run.slack.script('chat.postMessage', { body: { ok: false, error: 'not_in_channel' } });
  const [, notice] = await press(run, { mode: 'share', line: 'list' }, 2);
  expect(notice).toMatchObject({
    response_type: 'ephemeral',
    text: expect.stringContaining('type /invite and choose it'),
  });
});

test('if Slack does not confirm the post, it is not repeated, and the person reads that it may be there', async () => {
  await using run = await startTestBot();
  run.slack.script('response_url', { status: 503, body: 'upstream' });
  const [, notice, ...more] = await press(run, { mode: 'share', line: 'list' }, 2);
  expect(notice).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining('did not confirm') });
  expect(more).toEqual([]);
  expect(run.slack.calls.map(({ method }) => method)).not.toContain('chat.postMessage');
});

test('a shared message that is refreshed still names the person who shared it and has no Share button', async () => {
  await using run = await startTestBot();
  const blocks = [
    { type: 'context', block_id: 'shared_by', elements: [{ type: 'mrkdwn', text: 'Shared by <@U0BEN>' }] },
  ];
  const [answer] = await press(run, { mode: 'refresh', line: 'list', isEphemeral: false, blocks });
  expect(answer).toMatchObject({ response_type: 'in_channel', replace_original: true });
  expect(JSON.stringify(answer)).toContain('Shared by <@U0BEN>');
  expect(JSON.stringify(answer)).not.toContain('cmd:share:');
});

test('a problem never replaces a message that is visible to a channel', async () => {
  await using run = await startTestBot({ answer: ({ line }) => ({ ...echo(line), isProblem: true }) });
  const [answer] = await press(run, { mode: 'refresh', line: 'list', isEphemeral: false });
  expect(answer).toMatchObject({ response_type: 'ephemeral', replace_original: false });
});

test('a press belongs to the workspace in which it happens, whatever the person’s home workspace', async () => {
  await using run = await startTestBot();
  const user = { id: 'U0EVE', username: 'eve', team_id: 'T0OTHER' };
  await press(run, { mode: 'open', line: 'list' }, 1, { user });
  expect(run.requests.map(({ actor }) => actor)).toEqual([{ teamId: fakeTeamId, userId: 'U0EVE', channelId: 'C0OPS' }]);
});

test.each([
  ['a mode that is none', { mode: 'explode', line: 'list' }],
  ['no line', { mode: 'open', line: '' }],
])('a button with %s is acknowledged and explained', async (_, pressed) => {
  await using run = await startTestBot();
  const [answer] = await press(run, pressed);
  expect(answer).toMatchObject({ text: expect.stringContaining('another version') });
  expect(run.requests).toEqual([]);
});

test('a press on the Home tab, which has no channel and no response_url, is survived', async () => {
  await using run = await startTestBot();
  const fields = { channel: undefined, container: { type: 'view' }, response_url: undefined };
  await run.slack.send('interactive', pressPayload(run.slack, { mode: 'open', line: 'list' }, fields));
  expect(await press(run, { mode: 'open', line: 'list' })).toHaveLength(1);
});

test('a button that only opens a link is only acknowledged', async () => {
  await using run = await startTestBot();
  const actions = [{ type: 'button', block_id: 'b', action_id: 'link', action_ts: '1', url: 'https://example.com' }];
  const payload = pressPayload(run.slack, { mode: 'open', line: 'x' }, { actions });
  expect(await run.slack.send('interactive', payload)).toEqual({ payload: {} });
  expect(run.log.messages()).not.toContain('slack listener failed');
});
