/** The app's Home through the real SDK: opened by a person, filled by the app, worked by the person. */
import type { HomeView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { directId, personId } from '../../../src/local-slack/state/seed.ts';
import { connectApp, localSlack, type SocketEvent, webClient } from '../../support/slack/local-slack.ts';
import { plain } from '../../support/slack/modals.ts';

const [ada, ben] = [personId('ada'), personId('ben')];

function homeWith(words: string, more: object = {}): HomeView {
  const button = { type: 'button' as const, action_id: 'go', text: plain('Go') };
  const section = { type: 'section' as const, text: plain(words) };
  return {
    type: 'home',
    callback_id: 'home',
    private_metadata: 'kept',
    blocks: [section, { type: 'actions', elements: [button] }],
    ...more,
  };
}

/** A local Slack and an app that collects its events. */
async function startSlack(hasHome = true) {
  const slack = await localSlack({ hasHome });
  const heard: SocketEvent['body'][] = [];
  const collect = ({ ack, body }: SocketEvent) => {
    heard.push(body);
    return ack();
  };
  await connectApp(slack, { slack_event: collect });
  return { slack, heard, client: webClient(slack) };
}

describe('opening the app', () => {
  test('sends the person, the tab and the view', async () => {
    const { slack, heard, client } = await startSlack();
    expect(slack.openHome({ user: ada })).toBe(true);
    await client.views.publish({ user_id: ada, view: homeWith('Hello') });
    slack.openHome({ user: ada });
    slack.openHome({ user: ada, tab: 'messages' });
    await expect.poll(() => heard).toHaveLength(3);
    const event = { type: 'app_home_opened', user: ada, channel: directId('ada'), tab: 'home' };
    expect(heard[0]).toMatchObject({ type: 'event_callback', team_id: slack.workspace.teamId, event });
    expect(heard[0]?.['event']).not.toHaveProperty('view');
    expect(heard[1]).toMatchObject({ event: { ...event, view: { type: 'home', private_metadata: 'kept' } } });
    expect(heard[2]).toMatchObject({ event: { ...event, tab: 'messages' } });
  });

  test('is for people', async () => {
    const { slack } = await startSlack();
    expect(slack.openHome({ user: slack.workspace.botUserId })).toBe(false);
    expect(slack.openHome({ user: 'U0NOBODY' })).toBe(false);
  });
});

describe('publishing', () => {
  test('fills the Home tab of one person, under one id, with another hash each time', async () => {
    const { slack, client } = await startSlack();
    const { view: first } = await client.views.publish({ user_id: ada, view: homeWith('One') });
    const { view: second } = await client.views.publish({ user_id: ada, view: homeWith('Two') });
    expect(second).toMatchObject({ id: first?.id, root_view_id: first?.id, type: 'home', close: null, submit: null });
    expect(second?.hash).not.toBe(first?.hash);
    expect(slack.home(ada)?.blocks[0]).toMatchObject({ text: { text: 'Two' } });
    expect(slack.home(ben)).toBeUndefined();
  });

  test('is the next view for a test that waits for one', async () => {
    const { slack, client } = await startSlack();
    const shown = slack.nextView({ user: ada });
    await client.views.publish({ user_id: ada, view: homeWith('Hello') });
    expect(await shown).toMatchObject({ type: 'home', userId: ada });
  });

  test('with an old hash is refused', async () => {
    const { client } = await startSlack();
    const { view } = await client.views.publish({ user_id: ada, view: homeWith('One') });
    const hash = view?.hash ?? '';
    await client.views.publish({ user_id: ada, hash, view: homeWith('Two') });
    const late = client.views.publish({ user_id: ada, hash, view: homeWith('Three') });
    await expect(late).rejects.toThrow('hash_conflict');
  });

  test.each([
    ['for nobody', { user_id: 'U0NOBODY', view: homeWith('x') }],
    ['for somebody of another workspace', { user_id: personId('ada', 2), view: homeWith('x') }],
    ['a modal', { user_id: ada, view: { type: 'modal' as const, title: plain('T'), blocks: [] } }],
    [
      'more blocks than Slack takes',
      { user_id: ada, view: homeWith('x', { blocks: Array(101).fill({ type: 'divider' }) }) },
    ],
  ])('%s is refused', async (_what, published) => {
    const { slack, client } = await startSlack();
    slack.addWorkspace();
    await expect(client.views.publish(published)).rejects.toThrow('invalid_arguments');
  });

  test('a Home tab is no modal: it is not updated by its id', async () => {
    const { slack, client } = await startSlack();
    const { view } = await client.views.publish({ user_id: ada, view: homeWith('Hello') });
    const modal = { type: 'modal' as const, title: plain('T'), blocks: [] };
    await expect(client.views.update({ view_id: view?.id ?? '', view: modal })).rejects.toThrow('not_found');
    expect(await slack.submit({ user: ada, view: view?.id ?? '' })).toMatchObject({ error: 'view_not_found' });
  });
});

test('an app without a Home tab cannot publish one, and gets only the messages tab', async () => {
  const { slack, client } = await startSlack(false);
  await expect(client.views.publish({ user_id: ada, view: homeWith('x') })).rejects.toThrow('not_enabled');
  expect(slack.openHome({ user: ada })).toBe(false);
  expect(slack.openHome({ user: ada, tab: 'messages' })).toBe(true);
});

test('a button in a Home tab sends the app the view, and opens a modal', async () => {
  const { slack, heard, client } = await startSlack();
  const { view } = await client.views.publish({ user_id: ada, view: homeWith('Hello') });
  expect(await slack.press({ user: ada, view: view?.id ?? '', actionId: 'go' })).toMatchObject({
    ok: true,
    responseUrl: '',
  });
  expect(heard).toMatchObject([
    {
      type: 'block_actions',
      user: { id: ada },
      container: { type: 'view', view_id: view?.id },
      view: { type: 'home', hash: view?.hash, private_metadata: 'kept' },
      actions: [{ action_id: 'go' }],
    },
  ]);
  for (const absent of ['channel', 'message', 'response_url']) expect(heard[0]).not.toHaveProperty(absent);
  const modal = { type: 'modal' as const, title: plain('T'), blocks: [] };
  await client.views.open({ trigger_id: String(heard[0]?.['trigger_id']), view: modal });
  expect(slack.modals(ada)).toHaveLength(1);
  expect(await slack.press({ user: ben, view: view?.id ?? '', actionId: 'go' })).toMatchObject({
    error: 'view_not_found',
  });
});
