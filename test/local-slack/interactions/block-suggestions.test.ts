/** Menus that the app fills while a person types, through the real SDK and through Bolt. */
import { App } from '@slack/bolt';
import { describe, expect, it, onTestFinished } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { connectApp, localSlack, type SocketEvent, silentSdk, webClient } from '../../support/slack/local-slack.ts';

const [ada, ben, general] = [personId('ada'), personId('ben'), channelId('general')];
const text = (words: string) => ({ type: 'plain_text' as const, text: words });
const option = (value: string) => ({ text: text(`The ${value}`), value });

const element = { type: 'external_select', action_id: 'name', placeholder: text('Workflow'), min_query_length: 2 };
const other = { type: 'static_select', action_id: 'other', options: [option('x')] };
const blocks = [{ type: 'actions', block_id: 'row', elements: [element, other] }];

/** A message with an external menu, and an app that answers with `answer`. */
async function startSlack(answer: unknown, viewer: string | null = null, more: object = {}) {
  const slack = await localSlack();
  const received: SocketEvent[] = [];
  await connectApp(slack, {
    interactive: (event) => {
      received.push(event);
      return event.ack(event.body['type'] === 'block_suggestion' ? answer : undefined);
    },
  });
  const shown = [{ ...blocks[0], elements: [{ ...element, ...more }, other] }];
  const message = { channel: general, text: 'Which one?', blocks: shown };
  if (viewer === null) await webClient(slack).apiCall('chat.postMessage', message);
  else await webClient(slack).apiCall('chat.postEphemeral', { ...message, user: viewer });
  const [posted] = slack.messages({ channel: general, viewer: ada });
  const menu = { user: ada, channel: general, ts: posted?.ts ?? '', actionId: 'name' };
  return { slack, received, menu };
}

it('the app receives the typed text, the menu, the message and the person', async () => {
  const { slack, received, menu } = await startSlack({ options: [option('payments')] });
  const result = await slack.suggest({ ...menu, value: 'pay' });
  expect(result).toMatchObject({ ok: true, options: [option('payments')] });
  expect(received).toMatchObject([
    {
      accepts_response_payload: true,
      body: {
        type: 'block_suggestion',
        value: 'pay',
        action_id: 'name',
        block_id: 'row',
        user: { id: ada, team_id: slack.workspace.teamId },
        team: { id: slack.workspace.teamId },
        channel: { id: general, name: 'general' },
        container: { type: 'message', message_ts: menu.ts, channel_id: general, is_ephemeral: false },
        message: { ts: menu.ts, text: 'Which one?' },
      },
    },
  ]);
  expect(received[0]?.body).not.toHaveProperty('response_url');
});

it('the app receives no content of an ephemeral message', async () => {
  const { slack, received, menu } = await startSlack({ options: [] }, ada);
  expect(await slack.suggest({ ...menu, value: 'pay' })).toMatchObject({ ok: true, options: [] });
  expect(received[0]?.body).toMatchObject({ container: { is_ephemeral: true } });
  expect(received[0]?.body).not.toHaveProperty('message');
});

it('offered options can be chosen by the same person, and the app gets them with their texts', async () => {
  const options = [option('payments')];
  const { slack, received, menu } = await startSlack({ options });
  expect(await slack.suggest({ ...menu, value: 'pay' })).toMatchObject({ options });
  expect(await slack.press({ ...menu, selected: 'payments' })).toMatchObject({ ok: true });
  const chosen = { type: 'external_select', selected_option: option('payments') };
  expect(received[1]?.body).toMatchObject({
    actions: [{ ...chosen, action_id: 'name', block_id: 'row' }],
    state: { values: { row: { name: chosen, other: { selected_option: null } } } },
  });
  const unseen = { ok: false, error: 'no_such_element' };
  expect(await slack.press({ ...menu, selected: 'never offered' })).toEqual(unseen);
  expect(await slack.press({ ...menu, user: ben, selected: 'payments' })).toEqual(unseen);
});

describe('an answer that Slack refuses', () => {
  const many = Array.from({ length: 101 }, (_, at) => option(String(at)));
  it.each([
    ['no options at all', undefined, ''],
    ['groups', { option_groups: [{ label: text('A'), options: [option('a')] }] }, ''],
    ['more than a hundred', { options: many }, '/options'],
    ['a text of 76 characters', { options: [{ text: text('x'.repeat(76)), value: 'a' }] }, '/options/0/text'],
    ['formatted words', { options: [{ text: { type: 'mrkdwn', text: 'a' }, value: 'a' }] }, '/options/0/text'],
    ['an option without a value', { options: [{ text: text('a') }] }, '/options/0'],
    ['what is no list', { options: 'a' }, '/options'],
  ])('%s', async (_what, answer, pointer) => {
    const { slack, menu } = await startSlack(answer);
    const result = await slack.suggest({ ...menu, value: 'pay' });
    expect(result).toMatchObject({ ok: false, error: 'invalid_options' });
    const pointers = !result.ok && result.problems?.map((problem) => problem.pointer);
    expect(pointers).toContainEqual(expect.stringMatching(new RegExp(`^${pointer}`)));
  });
});

describe('no request is sent', () => {
  it.each([
    ['for less than the menu wants', { value: 'p' }, 'query_too_short'],
    ['in a menu of another kind', { actionId: 'other' }, 'no_such_element'],
    ['in a menu that is not there', { actionId: 'none' }, 'no_such_element'],
    ['of a message one cannot see', { user: 'U0NOBODY' }, 'message_not_found'],
  ])('%s', async (_what, query, error) => {
    const { slack, received, menu } = await startSlack({ options: [] });
    expect(await slack.suggest({ ...menu, value: 'pay', ...query })).toEqual({ ok: false, error });
    expect(received).toEqual([]);
  });

  it('for less than three characters if the menu sets no minimum', async () => {
    const { slack, menu } = await startSlack({ options: [] }, null, { min_query_length: undefined });
    expect(await slack.suggest({ ...menu, value: 'pa' })).toMatchObject({ error: 'query_too_short' });
    expect(await slack.suggest({ ...menu, value: 'pay' })).toMatchObject({ ok: true });
  });
});

it('a timeout and a missing app differ from an empty result', async () => {
  const slack = await localSlack({ ackTimeoutMs: 30 });
  const { ts = '' } = await webClient(slack).chat.postMessage({ channel: general, text: 'a', blocks: blocks as [] });
  const query = { user: ada, channel: general, ts, actionId: 'name', value: 'pay' };
  expect(await slack.suggest(query)).toEqual({ ok: false, error: 'dispatch_failed' });
  await connectApp(slack, { interactive: () => {} });
  expect(await slack.suggest(query)).toEqual({ ok: false, error: 'operation_timeout' });
});

it('a Bolt app answers with options and receives the choice', async () => {
  const slack = await localSlack();
  const { botToken: token, appToken, apiUrl: slackApiUrl } = slack;
  const app = new App({ token, appToken, socketMode: true, logger: silentSdk, clientOptions: { slackApiUrl } });
  onTestFinished(async () => {
    await app.stop();
  });
  app.options('name', ({ ack, options }) => ack({ options: [option(options.value)] }));
  app.action('name', async ({ ack, respond, action }) => {
    await ack();
    await respond({ text: `Chosen: ${'selected_option' in action && action.selected_option?.text.text}` });
  });
  await app.start();
  const { ts = '' } = await webClient(slack).chat.postMessage({ channel: general, text: 'a', blocks: blocks as [] });
  const menu = { user: ada, channel: general, ts, actionId: 'name' };
  await slack.suggest({ ...menu, value: 'ledger' });
  const answer = slack.nextMessage({ viewer: ada });
  await slack.press({ ...menu, selected: 'ledger' });
  expect((await answer).text).toBe('Chosen: The ledger');
});
