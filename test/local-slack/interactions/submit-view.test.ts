/** Submitting, closing and using a modal: requests to the app, and effects of its replies. */
import { describe, expect, test } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { askingView, modalApp, option, plain, viewTitled } from '../../support/slack/modals.ts';

const [ada, ben, general, _payments] = [personId('ada'), personId('ben'), channelId('general'), channelId('payments')];
const input = (block_id: string, element: object, more: object = {}) => ({
  type: 'input' as const,
  block_id,
  label: plain(block_id),
  element: { action_id: 'it', ...element },
  ...more,
});
const options = [option('one'), option('two')];

/** A view with one input of every kind. @returns as Slack's own types will have it */
const kinds = [
  ['plain_text_input', {}, 'words', { value: 'words' }, { value: null }],
  ['static_select', { options }, 'two', { selected_option: option('two') }, { selected_option: null }],
  ['radio_buttons', { options }, 'one', { selected_option: option('one') }, { selected_option: null }],
  ['checkboxes', { options }, ['two'], { selected_options: [option('two')] }, { selected_options: [] }],
  ['multi_static_select', { options }, ['one', 'two'], { selected_options: options }, { selected_options: [] }],
  ['users_select', {}, ben, { selected_user: ben }, { selected_user: null }],
  ['multi_users_select', {}, [ada, ben], { selected_users: [ada, ben] }, { selected_users: [] }],
  ['conversations_select', {}, general, { selected_conversation: general }, { selected_conversation: null }],
  ['multi_conversations_select', {}, [general], { selected_conversations: [general] }, { selected_conversations: [] }],
  ['timepicker', {}, '09:30', { selected_time: '09:30' }, { selected_time: null }],
] as const;

describe('a submission', () => {
  test.each(kinds)('has %s in Slack’s form, filled and empty', async (type, more, chosen, filled, empty) => {
    const { slack, user, open, heard } = await modalApp();
    const blocks = [input('in', { type, ...more }, { optional: true })];
    const closings = (state: object) => ({ view: { state: { values: { in: { it: { type, ...state } } } } } });
    await slack.submit({ user, view: (await open(viewTitled('T', { blocks: blocks }))).view });
    const { view } = await open(viewTitled('T', { blocks: blocks }));
    await slack.submit({ user, view, values: { in: { it: chosen } } });
    expect(heard).toMatchObject([closings(empty), closings(filled)]);
  });

  test('has the person, the conversation, and the view with its private metadata', async () => {
    const { slack, user, open, heard } = await modalApp();
    const { view, hash } = await open();
    await slack.submit({ user, view, values: { endpoint: { url: 'https://example.com' } } });
    expect(heard).toMatchObject([
      {
        type: 'view_submission',
        user: { id: ada, username: 'ada', team_id: slack.workspace.teamId },
        team: { id: slack.workspace.teamId, domain: 'local-slack' },
        trigger_id: expect.stringMatching(/^\d+\.\d+\.[0-9a-f]{32}$/),
        view: { id: view, hash, callback_id: 'connect', private_metadata: 'kept' },
        response_urls: [],
        is_enterprise_install: false,
      },
    ]);
    expect(heard[0]).not.toHaveProperty('response_url');
  });

  test('starts from the initial values', async () => {
    const { slack, user, open, heard } = await modalApp();
    const blocks = [
      input('text', { type: 'plain_text_input', initial_value: 'as before' }),
      input('one', { type: 'static_select', options, initial_option: options[0] }),
      input('where', { type: 'conversations_select', initial_conversation: general }),
    ];
    await slack.submit({ user, view: (await open(viewTitled('T', { blocks: blocks }))).view });
    expect(heard[0]).toMatchObject({
      view: {
        state: {
          values: {
            text: { it: { value: 'as before' } },
            one: { it: { selected_option: options[0] } },
            where: { it: { selected_conversation: general } },
          },
        },
      },
    });
  });
});

describe('Slack refuses without a request to the app', () => {
  const required = 'Please complete this required field.';
  test.each([
    ['nothing where something is required', { type: 'plain_text_input' }, '', required],
    ['no box where one is required', { type: 'checkboxes', options }, [], required],
    ['too short a text', { type: 'plain_text_input', min_length: 3 }, 'ab', 'Please enter at least 3 characters.'],
    ['too long a text', { type: 'plain_text_input', max_length: 3 }, 'abcd', 'Please enter no more than 3 characters.'],
    ['too many', { type: 'multi_users_select', max_selected_items: 1 }, [ada, ben], 'Please choose no more than 1.'],
  ])('%s', async (_what, element, chosen, error) => {
    const { slack, user, open, heard, titles } = await modalApp();
    const { view } = await open(viewTitled('T', { blocks: [input('in', element)] }));
    const result = await slack.submit({ user, view, values: { in: { it: chosen } } });
    expect(result).toEqual({ ok: false, error: 'invalid_input', errors: { in: error } });
    expect(heard).toEqual([]);
    expect(titles()).toEqual(['T']);
  });

  test.each([
    ['an option that is not there', { in: { it: 'three' } }],
    ['an input that is not there', { out: { it: 'one' } }],
    ['several where one can be', { in: { it: ['one', 'two'] } }],
  ])('%s', async (_what, values) => {
    const { slack, user, open, heard } = await modalApp();
    const { view } = await open(viewTitled('T', { blocks: [input('in', { type: 'static_select', options })] }));
    expect(await slack.submit({ user, view, values })).toEqual({ ok: false, error: 'no_such_element' });
    expect(heard).toEqual([]);
  });

  test('the view of another person, and a closed one', async () => {
    const { slack, user, open } = await modalApp();
    const { view } = await open();
    const gone = { ok: false, error: 'view_not_found' };
    expect(await slack.submit({ user: ben, view })).toEqual(gone);
    slack.closeView({ user, view });
    expect(await slack.submit({ user, view })).toEqual(gone);
  });
});

describe('the app’s answer', () => {
  const values = { endpoint: { url: 'x' } };
  const answers = [
    ['nothing closes it', undefined, ['Below']],
    ['an empty one closes it', {}, ['Below']],
    ['clear closes all', { response_action: 'clear' }, []],
    ['update replaces it', { response_action: 'update', view: viewTitled('New') }, ['Below', 'New']],
    ['push covers it', { response_action: 'push', view: viewTitled('New') }, ['Below', 'Connect', 'New']],
  ] as const;

  /** A modal over another one. */
  async function stacked(answer: unknown) {
    const answers = [{ response_action: 'push', view: askingView }, answer];
    const app = await modalApp(() => answers.shift());
    const { view } = await app.open(viewTitled('Below', { blocks: [] }));
    await app.slack.submit({ user: app.user, view });
    return { ...app, view: app.slack.modals(app.user).at(-1)?.id ?? '' };
  }

  test.each(answers)('%s', async (_what, answer, expected) => {
    const { slack, user, view, titles } = await stacked(answer);
    expect(await slack.submit({ user, view, values })).toMatchObject({ ok: true });
    expect(titles()).toEqual(expected);
  });

  test('with errors keeps it, with the entered values', async () => {
    const errors = { endpoint: 'No such host.' };
    const { slack, user, open, titles } = await modalApp({ response_action: 'errors', errors });
    const { view } = await open();
    expect(await slack.submit({ user, view, values })).toEqual({ ok: false, error: 'refused_by_app', errors });
    expect(titles()).toEqual(['Connect']);
  });

  test.each([
    ['errors for no input', { response_action: 'errors', errors: { nowhere: 'x' } }],
    ['errors without any', { response_action: 'errors', errors: {} }],
    ['a view over the limits', { response_action: 'update', view: viewTitled('x'.repeat(25)) }],
    ['an action that Slack has not', { response_action: 'close' }],
    ['something else', { text: 'Saved.' }],
  ])('that Slack refuses is a failure: %s', async (_what, answer) => {
    const { slack, user, open, titles } = await modalApp(answer);
    const { view } = await open();
    expect(await slack.submit({ user, view, values })).toEqual({ ok: false, error: 'invalid_view_response' });
    expect(titles()).toEqual(['Connect']);
  });

  test('that is missing is a failure', async () => {
    const { slack, user, open, titles } = await modalApp();
    const { view } = await open();
    slack.disconnectSockets('abrupt');
    await slack.whenConnected(false);
    expect(await slack.submit({ user, view, values })).toEqual({ ok: false, error: 'dispatch_failed' });
    expect(titles()).toEqual(['Connect']);
  });
});

describe('closing', () => {
  test.each([
    ['one of a stack leaves those below', false, ['Below']],
    ['the whole takes all', true, []],
  ])('%s, and tells the app nothing', async (_what, isWhole, left) => {
    const { slack, user, open, heard, titles } = await modalApp({ response_action: 'push', view: viewTitled('Over') });
    const { view } = await open(viewTitled('Below', { blocks: [] }));
    await slack.submit({ user, view });
    const top = slack.modals(user).at(-1)?.id ?? '';
    slack.closeView({ user, view: top, isWhole });
    expect(titles()).toEqual(left);
    expect(heard).toHaveLength(1);
  });
});

describe('an action in a modal', () => {
  const blocks = [
    input('name', { type: 'plain_text_input' }),
    input('kind', { type: 'static_select', options }, { dispatch_action: true }),
    { type: 'section', block_id: 'row', text: plain('Who'), accessory: { type: 'users_select', action_id: 'who' } },
  ];

  test('sends the app the view with all input so far, and no conversation', async () => {
    const { slack, user, open, heard } = await modalApp();
    const { view } = await open(viewTitled('T', { blocks: blocks }));
    const values = { name: { it: 'payments' } };
    expect(await slack.press({ user, view, actionId: 'it', blockId: 'kind', selected: 'two', values })).toMatchObject({
      ok: true,
      responseUrl: '',
    });
    const kind = { it: { type: 'static_select', selected_option: option('two') } };
    expect(heard).toMatchObject([
      {
        type: 'block_actions',
        container: { type: 'view', view_id: view },
        view: { id: view, state: { values: { name: { it: { value: 'payments' } }, kind } } },
        actions: [{ type: 'static_select', block_id: 'kind', action_id: 'it', selected_option: option('two') }],
      },
    ]);
    for (const absent of ['channel', 'message', 'response_url', 'state']) expect(heard[0]).not.toHaveProperty(absent);
  });

  test('keeps the choice for the submission', async () => {
    const { slack, user, open, heard } = await modalApp();
    const { view } = await open(viewTitled('T', { blocks: blocks }));
    await slack.press({ user, view, actionId: 'who', selected: ben });
    await slack.submit({ user, view, values: { name: { it: 'x' }, kind: { it: 'one' } } });
    expect(heard[1]).toMatchObject({ view: { state: { values: { row: { who: { selected_user: ben } } } } } });
  });

  test('requests the options of an external menu from the app, and each can be chosen', async () => {
    const { slack, user, open, heard } = await modalApp({ options });
    const menu = input('names', { type: 'multi_external_select', min_query_length: 0 });
    const { view } = await open(viewTitled('T', { blocks: [menu] }));
    expect(await slack.suggest({ user, view, actionId: 'it', value: '' })).toMatchObject({ options });
    await slack.submit({ user, view, values: { names: { it: ['two', 'one'] } } });
    expect(heard).toMatchObject([
      { type: 'block_suggestion', container: { type: 'view', view_id: view }, view: { id: view }, value: '' },
      { view: { state: { values: { names: { it: { selected_options: [option('two'), option('one')] } } } } } },
    ]);
    expect(heard[0]).not.toHaveProperty('channel');
  });
});
