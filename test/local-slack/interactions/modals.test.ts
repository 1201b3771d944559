/** Modals through the real SDK: opening, pushing, updating, and what Slack refuses. */
import { describe, expect, test } from 'vitest';
import { personId } from '../../../src/local-slack/state/seed.ts';
import { slackNow, webClient } from '../../support/slack/local-slack.ts';
import { askingView, modalApp, plain, viewTitled } from '../../support/slack/modals.ts';

const refused = (error: string) => expect.objectContaining({ data: expect.objectContaining({ error }) });

describe('opening', () => {
  test('shows the view to the person of the trigger, and returns it to the app', async () => {
    const { slack, client, trigger } = await modalApp();
    const { view } = await client.views.open({ trigger_id: await trigger(), view: askingView });
    expect(view).toMatchObject({
      id: expect.stringMatching(/^V[A-Z0-9]{10}$/),
      team_id: slack.workspace.teamId,
      type: 'modal',
      callback_id: 'connect',
      private_metadata: 'kept',
      hash: expect.stringMatching(/^\d+\.[0-9a-f]{8}$/),
      root_view_id: view?.id,
      previous_view_id: null,
      state: { values: { endpoint: { url: { type: 'plain_text_input', value: null } } } },
    });
    expect(slack.modals(personId('ada'))).toMatchObject([{ id: view?.id, title: plain('Connect') }]);
    expect(slack.modals(personId('ben'))).toEqual([]);
  });

  test('accepts the view as JSON in a form, as the SDK sends it, and adds missing ids', async () => {
    const { slack, user, open } = await modalApp();
    await open({
      ...askingView,
      blocks: [{ type: 'input', label: plain('L'), element: { type: 'plain_text_input' } }],
    });
    const [view] = slack.modals(user);
    expect(view?.blocks).toMatchObject([{ block_id: expect.any(String), element: { action_id: expect.any(String) } }]);
  });

  test('replaces the whole stack by the new one', async () => {
    const { open, titles } = await modalApp();
    await open(viewTitled('First'));
    await open(viewTitled('Second'));
    expect(titles()).toEqual(['Second']);
  });
});

describe('a trigger', () => {
  test('can be used once', async () => {
    const { client, trigger } = await modalApp();
    const used = { trigger_id: await trigger(), view: askingView };
    await client.views.open(used);
    await expect(client.views.open(used)).rejects.toEqual(refused('exchanged_trigger_id'));
  });

  test('expires after three seconds', async () => {
    let now = slackNow;
    const { client, trigger } = await modalApp(undefined, { clock: () => now });
    const [early, late] = [await trigger(), await trigger()];
    now += 3000;
    await client.views.open({ trigger_id: early, view: askingView });
    now += 1;
    const opening = client.views.open({ trigger_id: late, view: askingView });
    await expect(opening).rejects.toEqual(refused('expired_trigger_id'));
  });

  test('is unknown in another workspace', async () => {
    const { slack, trigger } = await modalApp();
    const second = webClient(slack, slack.addWorkspace().botToken);
    const opening = second.views.open({ trigger_id: await trigger(), view: askingView });
    await expect(opening).rejects.toEqual(refused('invalid_trigger_id'));
  });

  test('is not used up by a view that Slack refuses', async () => {
    const { client, trigger } = await modalApp();
    const trigger_id = await trigger();
    const tooLong = { trigger_id, view: viewTitled('x'.repeat(25)) };
    await expect(client.views.open(tooLong)).rejects.toMatchObject({
      data: {
        error: 'invalid_arguments',
        response_metadata: { messages: [expect.stringContaining('[json-pointer:/view/title/text]')] },
      },
    });
    expect(await client.views.open({ trigger_id, view: askingView })).toMatchObject({ ok: true });
  });
});

test('an answer to a submission pushes a view over it, up to three', async () => {
  const pushed = ['2', '3', '4'].map((title) => ({ response_action: 'push', view: viewTitled(title, { blocks: [] }) }));
  const { slack, user, open, titles } = await modalApp(() => pushed.shift());
  const { view: root } = await open(viewTitled('1', { blocks: [] }));
  const submit = () => slack.submit({ user, view: slack.modals(user).at(-1)?.id ?? '' });
  await submit();
  expect(slack.modals(user)).toMatchObject([{ id: root }, { rootId: root, previousId: root }]);
  const second = slack.modals(user).at(-1)?.id;
  await submit();
  expect(slack.modals(user).at(-1)).toMatchObject({ rootId: root, previousId: second });
  expect(await submit()).toEqual({ ok: false, error: 'invalid_view_response' });
  expect(titles()).toEqual(['1', '2', '3']);
});

describe('updating', () => {
  test('by id changes the view and its hash', async () => {
    const { client, open, titles } = await modalApp();
    const { view: view_id, hash } = await open();
    const { view } = await client.views.update({ view_id, view: viewTitled('Checking…') });
    expect(view).toMatchObject({ id: view_id, title: { text: 'Checking…' } });
    expect(view?.hash).not.toBe(hash);
    expect(titles()).toEqual(['Checking…']);
  });

  test('with an old hash is refused', async () => {
    const { client, open } = await modalApp();
    const { view: view_id, hash } = await open();
    await client.views.update({ view_id, hash, view: viewTitled('One') });
    const late = client.views.update({ view_id, hash, view: viewTitled('Two') });
    await expect(late).rejects.toEqual(refused('hash_conflict'));
  });

  test.each([
    [
      'a view that is closed',
      async ({ slack, client }: Awaited<ReturnType<typeof modalApp>>, view: string) => {
        slack.closeView({ user: personId('ada'), view });
        return client;
      },
    ],
    [
      'a view of another workspace',
      async ({ slack }: Awaited<ReturnType<typeof modalApp>>) => webClient(slack, slack.addWorkspace().botToken),
    ],
  ])('%s is refused', async (_what, prepare) => {
    const app = await modalApp();
    const { view: view_id } = await app.open();
    const client = await prepare(app, view_id);
    await expect(client.views.update({ view_id, view: askingView })).rejects.toEqual(refused('not_found'));
  });

  test('keeps entered values of blocks and elements that remain', async () => {
    const { slack, client, user, open } = await modalApp({ response_action: 'errors', errors: { endpoint: 'no' } });
    const { view: view_id } = await open();
    await slack.submit({ user, view: view_id, values: { endpoint: { url: 'typed' } } });
    const { view } = await client.views.update({ view_id, view: viewTitled('Again') });
    expect(view?.state).toMatchObject({ values: { endpoint: { url: { value: 'typed' } } } });
  });
});
