/** "Explain this failure" on any message. */
import { expect, it } from 'vitest';
import { AppError } from '../../../../../src/shared/errors.ts';
import { startTestBot, type TestBot } from '../../../../support/bot/bot.ts';
import { fakeTeamId } from '../../../../support/slack/fake-slack.ts';

const uuid = 'e0000000-0000-4000-8000-000000000001';
const hash = 'ab'.repeat(32);
let triggers = 0;

/** @returns what the person reads */
async function explain(run: TestBot, message: Readonly<Record<string, unknown>>) {
  triggers += 1;
  const { payload } = await run.slack.send('interactive', {
    type: 'message_action',
    callback_id: 'explain_failure',
    team: { id: fakeTeamId, domain: 'fake' },
    user: { id: 'U0ANNA', name: 'anna', team_id: fakeTeamId },
    channel: { id: 'C0OPS', name: 'ops' },
    message: { type: 'message', ts: '17.01', user: 'U0BEN', ...message },
    message_ts: '17.01',
    trigger_id: `8.${triggers}`,
    response_url: `${run.slack.origin}/response/8.${triggers}`,
  });
  expect(payload).toEqual({});
  return run.slack.until(() => run.slack.responses.at(-1)?.payload);
}

it.each([
  [
    'a button of ours',
    { blocks: [{ type: 'actions', elements: [{ type: 'button', value: `execution ${uuid}` }] }] },
    uuid,
  ],
  ['a link', { text: `see <https://app.example.com/executions/${uuid}?tab=logs>` }, uuid],
  ['an id of 64 digits', { text: `0x${hash} failed again` }, hash],
])('finds the execution in %s', async (_, message, id) => {
  await using run = await startTestBot();
  await explain(run, message);
  const actor = { teamId: fakeTeamId, userId: 'U0ANNA', channelId: 'C0OPS' };
  expect(run.requests).toEqual([{ line: `execution ${id}`, actor, isFresh: false }]);
});

const workflow = (name: string) => ({ uuid: `w-${name}`, name, status: 'ACTIVE', workflowId: name });

it('finds the newest failure of the workflow that a message without an id names', async () => {
  await using run = await startTestBot({
    namesIn: async (_, text) => [workflow('payments')].filter(({ name }) => text.includes(name)),
  });
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: ':fire: *payments* is down' } }];
  await explain(run, { text: 'alert', blocks });
  expect(run.requests.map(({ line }) => line)).toEqual(['execution w-payments']);
});

it('lets the person choose if a message names several workflows', async () => {
  await using run = await startTestBot({ namesIn: async () => [workflow('payments'), workflow('settlement')] });
  const answer = await explain(run, { text: 'payments and settlement are down' });
  expect(answer).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining('settlement') });
  expect(run.requests).toEqual([]);
});

it('answers with the reason while the names of workflows are not known', async () => {
  const reason = new AppError('unavailable', 'The query service does not answer.');
  await using run = await startTestBot({ namesIn: async () => Promise.reject(reason) });
  const answer = await explain(run, { text: 'payments is down' });
  expect(answer).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining('does not answer') });
  expect(run.requests).toEqual([]);
});

it('answers in private that the message names no execution', async () => {
  await using run = await startTestBot();
  const answer = await explain(run, { text: 'lunch?' });
  expect(answer).toMatchObject({
    response_type: 'ephemeral',
    text: expect.stringMatching(/no id of a run.*\/\w+ execution /),
  });
  expect(run.requests).toEqual([]);
});
