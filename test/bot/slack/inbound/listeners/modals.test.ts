/** Modals in the local Slack: opening, submission and its outcomes. */
import { expect, onTestFinished, test } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import type { Submission, Submitted } from '../../../../../src/bot/commands/framework/dispatch.ts';
import { checkboxesInput, selectInput, textInput } from '../../../../../src/bot/views/blocks/inputs.ts';
import { type Message, message } from '../../../../../src/bot/views/blocks/message.ts';
import type { Modal } from '../../../../../src/bot/views/blocks/modal.ts';
import { paragraph, plain } from '../../../../../src/bot/views/blocks/rich-text.ts';
import { channelId, directId, personId } from '../../../../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../../../../src/local-slack/state/view.ts';
import { createTestBot, type TestBotOptions, type TestDispatch, withoutWaiting } from '../../../../support/bot/bot.ts';
import { slackError } from '../../../../support/slack/faults.ts';
import { localSlack } from '../../../../support/slack/local-slack.ts';

const [user, channel] = [personId('ada'), channelId('general')];
const say = (words: string): Message => message([paragraph([plain(words)])]);
const choices = ['one', 'two'].map((value) => ({ label: `The ${value}`, value }));
const form = (title = 'Order'): Modal => ({
  title,
  submit: { label: 'Send', command: 'order' },
  close: 'Cancel',
  blocks: [
    textInput({ id: 'name', label: 'Name', lengthMax: 20 }),
    selectInput({ id: 'size', label: 'Size', choices, initial: 'one' }),
    checkboxesInput({ id: 'extras', label: 'Extras', choices, isOptional: true }),
  ],
});
const asking: TestDispatch = () => ({ kind: 'modal', view: form() });

/** @param outcomes of the submissions, in order */
async function bot(options: TestBotOptions = {}, ...outcomes: readonly (Submitted | Promise<Submitted>)[]) {
  const slack = await localSlack();
  const submissions: Submission[] = [];
  const submit = async (submission: Submission) => outcomes[submissions.push(submission) - 1] ?? { kind: 'close' };
  const { botToken, appToken } = slack;
  const started = createTestBot(slack, { botToken, appToken, answer: asking, submit, ...options });
  await started.bot.start();
  onTestFinished(() => started.bot.stop());
  const open = async () => {
    const next = slack.nextView({ user });
    await slack.command({ user, channel, text: '/workflow order' });
    return next;
  };
  const values = { name: { value: 'Ada' } };
  const send = (view: SlackView) => slack.submit({ user, view: view.id, values });
  const titles = () => slack.modals(user).map(({ title }) => title?.text);
  const seen = (viewer: string, at = channel) => slack.messages({ channel: at, viewer }).map(({ text }) => text);
  return { ...started, slack, submissions, open, send, titles, seen };
}

const late = { timing: { acknowledgeWithinMs: 20 } };
/** Every line opens a form, and none is ready at once. */
const slowForms = { opensModal: () => true, timing: withoutWaiting };
const pending = () => Promise.withResolvers<Submitted>();

test('a command that needs more input opens a form, and posts nothing in the channel', async () => {
  const { open, titles, seen } = await bot();
  const before = seen(user);
  expect(await open()).toMatchObject({ title: { text: 'Order' }, callbackId: 'cmd:order', privateMetadata: channel });
  expect(titles()).toEqual(['Order']);
  expect(seen(user)).toEqual(before);
});

test('a form that is slow to build opens at once and is then filled in place', async () => {
  const made = Promise.withResolvers<void>();
  const answer: TestDispatch = async () => {
    await made.promise;
    return { kind: 'modal', view: form() };
  };
  const { slack, open } = await bot({ answer, ...slowForms });
  const loading = await open();
  expect(loading.title?.text).toBe('One moment');
  const filled = slack.nextView({ id: loading.id });
  made.resolve();
  expect(await filled).toMatchObject({ title: { text: 'Order' } });
});

test('if there is no form, the modal that was opened for it gives the reason', async () => {
  const decided = Promise.withResolvers<void>();
  const answer: TestDispatch = async () => {
    await decided.promise;
    return { ...ephemeral(say('Only admins order.')), isProblem: true };
  };
  const { slack, open } = await bot({ answer, ...slowForms });
  const { id } = await open();
  const filled = slack.nextView({ id });
  decided.resolve();
  expect(JSON.stringify(await filled)).toContain('Only admins order.');
});

test('a form requested in a message opens with the button of the answer', async () => {
  const { slack, titles } = await bot();
  const direct = directId('ada');
  const answered = slack.nextMessage({ channel: direct, user: slack.workspace.botUserId });
  slack.say({ user, channel: direct, text: 'order' });
  const { ts, text } = await answered;
  expect(text).toContain('Press the button');
  const opened = slack.nextView({ user });
  await slack.press({ user, channel: direct, ts, actionId: 'cmd:open:order' });
  await opened;
  expect(titles()).toEqual(['Order']);
});

// slack/views-expired-trigger
test('an expired trigger leaves a button and a log line that names the workspace', async () => {
  const { slack, log } = await bot();
  slack.fail('views.open', slackError('expired_trigger_id'));
  const answered = slack.nextMessage({ channel, viewer: user });
  await slack.command({ user, channel, text: '/workflow order' });
  expect((await answered).text).toContain('Press the button');
  const line = log
    .text()
    .split('\n')
    .find((each) => each.includes('slack did not show a modal'));
  expect(JSON.parse(line ?? '')).toMatchObject({ teamId: slack.workspace.teamId, error: 'expired_trigger_id' });
});

test('a submission has the person’s id and omits empty inputs', async () => {
  const { open, send, slack, submissions } = await bot();
  await send(await open());
  const actor = { teamId: slack.workspace.teamId, userId: user };
  expect(submissions).toMatchObject([{ command: 'order', actor, values: { name: 'Ada', size: 'one', extras: [] } }]);
});

test('errors are shown at their inputs, and the corrected form is submitted again', async () => {
  const { open, send, titles, submissions } = await bot(
    {},
    { kind: 'errors', errors: { name: 'Who is that?' }, form: null },
  );
  const view = await open();
  expect(await send(view)).toMatchObject({ error: 'refused_by_app', errors: { name: 'Who is that?' } });
  expect(titles()).toEqual(['Order']);
  expect(await send(view)).toMatchObject({ ok: true });
  expect(submissions).toHaveLength(2);
  expect(titles()).toEqual([]);
});

test('a view replaces the form', async () => {
  const { open, send, titles } = await bot({}, { kind: 'view', view: form('Sure?') });
  await send(await open());
  expect(titles()).toEqual(['Sure?']);
});

test('the message after the form closes is visible only to the person who submitted it', async () => {
  const { open, send, seen, slack, titles } = await bot({}, { kind: 'close', message: say('Ordered.') });
  const told = slack.nextMessage({ channel, viewer: user });
  await send(await open());
  expect(await told).toMatchObject({ text: 'Ordered.', isEphemeral: true });
  expect(titles()).toEqual([]);
  expect(seen(personId('ben'))).not.toContain('Ordered.');
});

test('a problem opens over the form, and closing it shows the form again', async () => {
  const { open, send, slack, titles } = await bot({}, { kind: 'problem', message: say('The store is down.') });
  await send(await open());
  expect(titles()).toEqual(['Order', 'Workflow Bot']);
  slack.closeView({ user, view: slack.modals(user)[1]?.id ?? '' });
  expect(titles()).toEqual(['Order']);
});

test.each<[string, Submitted, RegExp]>([
  ['a view', { kind: 'view', view: form('Sure?') }, /Sure\?/],
  [
    'errors, with the form to go on with',
    { kind: 'errors', errors: { name: 'Who?' }, form: form('Again') },
    /Again.*Who\?/s,
  ],
  ['what closing would have said', { kind: 'close', message: say('Ordered.') }, /Ordered\./],
  ['that it is done', { kind: 'close' }, /You can close this form/],
  ['a problem', { kind: 'problem', message: say('The store is down.') }, /The store is down/],
])('when Slack’s deadline passes, the form asks to wait, then %s', async (_what, outcome, words) => {
  const { promise, resolve } = pending();
  const { open, send, slack, titles } = await bot(late, promise);
  const view = await open();
  await send(view);
  expect(titles()).toEqual(['Checking…']);
  const changed = slack.nextView({ id: view.id });
  resolve(outcome);
  const { title, blocks } = await changed;
  expect(JSON.stringify([title, blocks])).toMatch(words);
});

// slack/views-hash-conflict
test('a modal that changed meanwhile stays as it is, and the person who submitted it gets a message', async () => {
  const { promise, resolve } = pending();
  const { open, send, slack, titles } = await bot(late, promise);
  await send(await open());
  slack.fail('views.update', slackError('hash_conflict'));
  const told = slack.nextMessage({ channel, viewer: user });
  resolve({ kind: 'close', message: say('Ordered.') });
  expect(await told).toMatchObject({ text: 'Ordered.', isEphemeral: true });
  expect(titles()).toEqual(['Checking…']);
});

test('a person who closes the modal meanwhile gets a message', async () => {
  const { promise, resolve } = pending();
  const { open, send, slack } = await bot(late, promise);
  const view = await open();
  await send(view);
  slack.closeView({ user, view: view.id });
  const told = slack.nextMessage({ channel, viewer: user });
  resolve({ kind: 'errors', errors: { name: 'Nobody is called that.' }, form: form() });
  expect(await told).toMatchObject({ text: expect.stringContaining('Nobody is called that.'), isEphemeral: true });
});

const large = (title: string): Modal => ({
  ...form(title),
  blocks: Array.from({ length: 20 }, () => paragraph([plain('x'.repeat(2_000), 2_000)])),
});

test.each<[string, Submitted, string]>([
  ['in place of the form', { kind: 'view', view: large('Large') }, 'Large'],
  ['after the form', { kind: 'next', view: large('Next') }, 'Next'],
])(
  'a view that is longer than an acknowledgement takes is shown %s, and the connection stays',
  async (_, outcome, title) => {
    const { open, send, titles, slack } = await bot({}, outcome);
    await send(await open());
    await expect.poll(titles).toEqual([title]);
    expect(slack.connectionCount()).toBe(1);
  },
);

test('a form that is submitted twice at once is submitted once, and both are answered', async () => {
  const { promise, resolve } = pending();
  const { open, send, submissions, log } = await bot({}, promise);
  const view = await open();
  const both = [send(view), send(view)];
  await Promise.resolve(resolve({ kind: 'close' }));
  expect(await Promise.all(both)).toMatchObject([{ ok: true }, { ok: true }]);
  expect(submissions).toHaveLength(1);
  expect(log.text()).not.toContain('could not be handled');
});
