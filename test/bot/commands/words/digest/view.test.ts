/** Views of `digest` and `deliveries`: none, one, many, too many; within Slack's limits, with outside text inert. */
import { describe, expect, test } from 'vitest';
import { type Delivery, deliveriesMessage } from '../../../../../src/bot/commands/words/deliveries/view.ts';
import {
  chooseModal,
  digestModal,
  noneModal,
  previewModal,
  refusedChannelText,
  removeModal,
} from '../../../../../src/bot/commands/words/digest/modals.ts';
import * as view from '../../../../../src/bot/commands/words/digest/view.ts';
import { comingMessage, onItsWayMessage, refusedMessage } from '../../../../../src/bot/commands/words/digest/view.ts';
import { type Due, duesBetween, type Schedule } from '../../../../../src/bot/domain/schedule.ts';
import type { Subscription } from '../../../../../src/bot/domain/subscription.ts';
import { blockText, message } from '../../../../../src/bot/views/blocks/message.ts';
import { type Modal, modalView } from '../../../../../src/bot/views/blocks/modal.ts';
import { paragraph, plain } from '../../../../../src/bot/views/blocks/rich-text.ts';
import { dueText, weekdaysText, workflowsText } from '../../../../../src/bot/views/digest/subscription-text.ts';
import { digestBlocks } from '../../../../../src/bot/views/home/home.ts';
import { validateView } from '../../../../../src/shared/block-kit/validate.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';

const now = Date.parse('2026-11-21T10:30:00Z');
const hostile = `<!channel> *x* ${'y'.repeat(80)}`;
const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const subscription = (at: number, more: Partial<Subscription> = {}): Subscription => ({
  teamId: 'T1',
  id: uuid(at),
  channelId: `C0CHANNEL${at}`,
  schedule: { time: '09:00', weekdays: [1, 2, 3, 4, 5], zone: 'Europe/Berlin' },
  workflows: { kind: 'text', text: hostile },
  hasAllClear: false,
  onUncertain: 'hold',
  createdBy: 'U1',
  createdAt: now,
  pause: null,
  nextDue: { localTime: '2026-11-23T09:00', at: now + 1, shift: 'none' },
  notifiedAt: null,
  ...more,
});
const many = (count: number) => Array.from({ length: count }, (_, at) => subscription(at));
const links = (count: number) => Array.from({ length: count }, () => 'channel');
const textOf = (modal: Modal) => modal.blocks.map(blockText).join('\n');
const expectGoodModal = (modal: Modal) => expect(validateView(modalView(modal, 'C1'), 'modal')).toEqual([]);

describe('the list', () => {
  test.each([
    [0, 1, 0, 'has no digest.'],
    [1, 1, 1, '1 digest in this workspace'],
    [300, 1, 8, '300 digests in this workspace: 1 to 8'],
    [300, 38, 4, '300 digests in this workspace: 297 to 300'],
    [300, 39, 0, 'there is no page'],
  ])('of %i, page %i, shows %i', (count, page, shown, words) => {
    const told = view.digestListMessage({ subscriptions: many(count), known: [], page, adminIds: [] });
    expectGoodMessage(told, links(shown));
    expect(told.text).toContain(words);
  });

  test.each([
    ['by a person', { reason: 'person', at: now, by: 'U02BEN0000' }, /paused since .*, by <@U02BEN0000>/],
    [
      'because the bot is not invited',
      { reason: 'not_in_channel', at: now, by: null },
      /the bot is not a member of the channel\. Type \/invite in that channel and choose the bot\. The bot tries again/,
    ],
    [
      'for another reason that Slack gave',
      { reason: 'ekm_denied', at: now, by: null },
      /Slack returned an error \(ekm_denied\)/,
    ],
  ])('shows a digest that is paused %s', (_by, pause, words) => {
    const paused = subscription(1, { pause });
    const { text } = view.digestListMessage({ subscriptions: [paused], known: [], page: 1, adminIds: [] });
    expect(text).toMatch(words);
  });

  test('names the admins who can connect the workspace', () => {
    const paused = subscription(1, { pause: { reason: 'not_connected', at: now, by: null } });
    const { text } = view.digestListMessage({ subscriptions: [paused], known: [], page: 1, adminIds: ['U01ADA0000'] });
    expect(text).toContain('Bot admins: <@U01ADA0000>');
  });
});

describe('every other message', () => {
  test.each([
    ['without a digest', view.noneMessage(), 0],
    [
      'for a choice of several',
      view.chooseMessage({ word: 'pause', subscriptions: many(100), known: [], isElsewhere: true }),
      8,
    ],
    [
      'when it is saved',
      view.savedMessage({ saved: subscription(1), known: [], isNew: true, slashCommand: '/workflow' }),
      1,
    ],
    ['when it pauses', view.pausedMessage(subscription(1), [], subscription(1)), 1],
    ['when it resumes', view.resumedMessage(subscription(1), [], subscription(1)), 1],
    ['when it is removed', view.removedMessage(subscription(1)), 1],
    ['when one is requested', onItsWayMessage({ subscription: subscription(1), isNew: true, isMended: false }), 1],
    ['when the channel refuses it', refusedMessage(subscription(1), hostile), 1],
    ['in the channel, before it is posted', comingMessage(), 0],
    ['when it is gone', view.goneMessage(), 0],
    ['in the channel, if there is nothing to post', view.shownMessage({ kind: 'nothing' }), 0],
  ])('%s fits Slack', (_when, told, channels) => {
    expectGoodMessage(told, links(channels));
  });
});

test.each([
  ['person', true],
  ['not_in_channel', false],
])('a digest that is changed while paused for “%s” waits until a person resumes it: %s', (reason, isWaiting) => {
  const saved = subscription(1, { pause: { reason, at: now, by: null } });
  const { text } = view.savedMessage({ saved, known: [], isNew: false, slashCommand: '/workflow' });
  expect(text.includes('not posted until it is resumed')).toBe(isWaiting);
});

test('a digest that was just paused has its mark once', () => {
  const paused = subscription(1, { pause: { reason: 'person', at: now, by: 'U1' } });
  expect(view.pausedMessage(paused, [], subscription(1)).text.match(/:double_vertical_bar:|⏸/g)).toHaveLength(1);
});

describe('every modal', () => {
  const root = message(Array.from({ length: 50 }, () => paragraph([plain(hostile.repeat(30))])));
  const preview = (dues: readonly Due[], plan = subscription(1)) =>
    previewModal({
      plan,
      known: [],
      values: { id: uuid(1) },
      isShown: true,
      preview: {
        dues,
        now,
        posts: {
          kind: 'messages',
          root,
          replies: Array.from({ length: 30 }, () => ({ name: 'cause-1', message: root })),
        },
      },
    });
  test.each<[string, Modal]>([
    ['of a new digest', digestModal({ plan: subscription(1), chosen: [], others: 3 })],
    [
      'of a digest with all possible choices',
      digestModal({
        plan: subscription(1, { workflows: { kind: 'chosen', uuids: many(15).map(({ id }) => id) } }),
        id: uuid(1),
        chosen: many(15).map(({ id }) => ({ label: hostile, value: id })),
      }),
    ],
    ['of the longest preview', preview(duesBetween(subscription(1).schedule, { at: now }, now + 7 * 86_400_000, 3))],
    [
      'that asks which of many',
      chooseModal({ word: 'edit', subscriptions: many(100), isElsewhere: true, slashCommand: '/workflow' }),
    ],
    ['before a digest is removed', removeModal(subscription(1), [])],
    ['without a digest', noneModal('/workflow')],
  ])('%s fits Slack', (_what, modal) => expectGoodModal(modal));

  test('of a choice counts the digests that it does not offer', () => {
    expect(
      textOf(chooseModal({ word: 'edit', subscriptions: many(12), isElsewhere: false, slashCommand: '/workflow' })),
    ).toContain('And 2 more');
  });

  test('without a preview gives the reason and says that the digest can be saved', () => {
    const plan = subscription(1);
    const told = (posts: Parameters<typeof previewModal>[0]['preview']['posts']) =>
      textOf(previewModal({ plan, known: [], values: {}, isShown: false, preview: { dues: [], now, posts } }));
    expect(told({ kind: 'nothing' })).toContain('nothing would be posted');
    expect(told({ kind: 'problem', sentence: 'No key.' })).toMatch(
      /There is no preview: No key\..*save the digest without a preview/s,
    );
  });
});

describe('the next times', () => {
  const told = (schedule: Schedule, from: string) => {
    const at = Date.parse(from);
    const dues = duesBetween(schedule, { at }, at + 40 * 86_400_000, 3);
    return dues.map((due, index) => blockText(paragraph(dueText(due, schedule, dues[index - 1]?.at ?? at))));
  };
  const daily = [1, 2, 3, 4, 5, 6, 7];

  test('mark a time that a clock change skips and one that it repeats', () => {
    const night = { time: '02:30', weekdays: daily, zone: 'Europe/Berlin' };
    expect(told(night, '2026-03-27T12:00:00Z')[1]).toBe(
      'Sun 29 Mar 2026, 03:30 UTC+02:00 (the clocks go forward: there is no 02:30 on that day)',
    );
    expect(told(night, '2026-10-23T12:00:00Z')[1]).toContain('02:30 comes twice, and the first one counts');
  });

  test('mention a clock change between two of them once', () => {
    const lines = told({ time: '09:00', weekdays: daily, zone: 'America/New_York' }, '2026-10-30T18:00:00Z');
    expect(lines.map((line) => line.includes('clocks'))).toEqual([false, true, false]);
    expect(lines[1]).toContain(
      '09:00 UTC-05:00 (the clocks change before this post; until then the offset is UTC-04:00)',
    );
  });

  test.each([
    [[1, 2, 3, 4, 5], 'Mon–Fri'],
    [[6, 7], 'Sat, Sun'],
    [[1, 3, 7], 'Mon, Wed, Sun'],
    [[7], 'Sun'],
    [daily, 'every day'],
  ])('with the weekdays %j are called %s', (weekdays, words) => expect(weekdaysText(weekdays)).toBe(words));
});

describe('the workflows that a digest chose', () => {
  const uuids = [1, 2, 3, 4, 5].map(uuid);
  const names = ['fx-rates', hostile, 'payments', 'settlement'];
  const known = names.map((name, at) => ({ uuid: uuid(at + 1), name }));
  const told = (count: number, of = known) =>
    blockText(paragraph(workflowsText({ workflows: { kind: 'chosen', uuids: uuids.slice(0, count) } }, of)));

  test.each([
    [1, known, 'fx-rates'],
    [3, known.slice(0, 1), 'fx-rates and 2 more'],
    [5, known.slice(2), 'payments, settlement and 3 more'],
    [2, [], '2 chosen workflows'],
  ])('are named, of %i of them those that are known', (count, of, words) => expect(told(count, of)).toBe(words));

  test('are named a few at a time, and inert', () => {
    expect(told(5)).toMatch(/^fx-rates, &lt;!channel&gt; .{0,60}…, payments and 2 more$/);
  });
});

describe('the Home tab', () => {
  test.each([
    [0, 'this workspace has none'],
    [1, 'Mon–Fri at 09:00 (Europe/Berlin) (workflows with “'],
    [100, 'and 94 more digests'],
  ])('shows the first of %i digests and counts the rest', (count, words) => {
    const blocks = digestBlocks({ subscriptions: many(count), known: [], mayChange: true });
    expect(validateView({ type: 'home', blocks }, 'home')).toEqual([]);
    expect(blocks.map(blockText).join('\n')).toContain(words);
  });
});

describe('deliveries', () => {
  const part = (state: Delivery['messages'][number]['state'], more = {}) => ({
    name: 'x',
    state,
    attempts: 1,
    error: null,
    ...more,
  });
  const entry = (more: Partial<Delivery>): Delivery => ({
    key: { occurrenceId: '2026-11-21T09:00' },
    channelId: 'C0CHANNEL1',
    dueAt: now,
    ...{
      isLate: false,
      state: 'posted',
      attempts: 0,
      error: null,
      checkError: null,
      nextAt: null,
      messages: [part('sent')],
      link: undefined,
      workflows: undefined,
      known: [],
    },
    ...more,
  });
  const all = { kind: 'all' } as const;
  const told = (more: Partial<Delivery>) =>
    deliveriesMessage({ entries: [entry(more)], isNewest: true, next: null }).text;

  test.each<[string, Partial<Delivery>, RegExp]>([
    ['posted', {}, /white_check_mark: 2026-11-21 09:00 in <#C0CHANNEL1>, due <!date[^>]*>: posted\.$/],
    ['posted with replies', { messages: [part('sent'), part('sent')] }, /posted with 1 reply in its thread/],
    ['posted late', { isLate: true }, /09:00 \(late\)/],
    [
      'of some workflows',
      { workflows: { kind: 'text', text: 'pay' } },
      /<#C0CHANNEL1> \(workflows with “pay” in their name\), due/,
    ],
    [
      'posted in part',
      { messages: [part('sent'), part('dead', { error: 'no_text' })] },
      /:warning:.*: posted; 1 reply was not posted \(.*no_text/,
    ],
    [
      'posted in part, as far as one knows',
      { messages: [part('sent'), part('uncertain'), part('uncertain')] },
      /: posted; 2 replies may be missing \(/,
    ],
    [
      'posted with one of its replies',
      { messages: [part('sent'), part('sent'), part('dead', { error: 'no_text' })] },
      /: posted with 1 reply in its thread; 1 reply was not posted \(/,
    ],
    ['in doubt', { messages: [part('uncertain')] }, /:warning:.*uncertain: Slack did not confirm/],
    ['quiet', { state: 'quiet', messages: [] }, /nothing failed, so nothing was posted/],
    [
      'missed',
      { state: 'missed', isLate: true, messages: [], workflows: all },
      /09:00 in .*skipped; the next digest says so/,
    ],
    ['missed, after which the digest was removed', { state: 'missed', messages: [] }, /: skipped\.$/],
    [
      'missed while the bot was away',
      { state: 'missed', error: 'away', messages: [], workflows: all },
      /skipped: the bot or its database was down .* 6 hours after; the next digest says so\.$/,
    ],
    [
      'missed for another reason',
      { state: 'missed', error: 'slack_is_down', attempts: 3, messages: [], workflows: all },
      /skipped: Slack does not answer; the next digest says so\.$/,
    ],
    [
      'no digest, since the failures could not be read',
      { checkError: 'unavailable' },
      /:warning:.*: posted, but the digest could not check for failures: the query service does not answer\.$/,
    ],
    ['cancelled', { state: 'cancelled', error: 'paused', messages: [] }, /cancelled: the digest was paused before/],
    ['cancelled for an unknown reason', { state: 'cancelled', messages: [] }, /was paused or removed before/],
    [
      'given up',
      { state: 'dead', attempts: 4, error: 'not_in_channel', messages: [] },
      /given up: the bot is not a member of the channel, 5 attempts/,
    ],
    ['on its way', { state: 'due', messages: [] }, /on its way\.$/],
    [
      'on its way again',
      { state: 'due', error: 'ratelimited', attempts: 1, nextAt: now, messages: [] },
      /; 1 attempt failed \(the last: Slack asked the bot to wait\), next attempt <[^>]*>\.$/,
    ],
    [
      'half way',
      { state: 'due', messages: [part('sent'), part('unknown')] },
      /1 of 2 messages posted.*Slack did not answer/,
    ],
    ['that a person requested', { key: { occurrenceId: 'now 2026-11-21T10:30Z' } }, /On request/],
  ])('show a digest that is %s', (_state, more, words) => expect(told(more)).toMatch(words));

  test('are said to be none for the time that they are kept, not for ever', () => {
    expect(deliveriesMessage({ entries: [], isNewest: true, next: null }).text).toContain('in the last 90 days');
    expect(deliveriesMessage({ entries: [], isNewest: false, next: null }).text).toContain('of the last 90 days');
  });

  test('link to the message', () => {
    const url = 'https://acme.slack.com/archives/C1/p1';
    const { blocks } = deliveriesMessage({ entries: [entry({ link: url })], isNewest: true, next: null });
    expect(JSON.stringify(blocks)).toContain(url);
  });

  test.each([0, 1, 10])('of %i fit Slack, however they went', (count) => {
    const entries = Array.from({ length: count }, () =>
      entry({
        state: 'dead',
        error: hostile,
        messages: [part('dead', { error: hostile }), part('dead', { error: hostile })],
      }),
    );
    expectGoodMessage(deliveriesMessage({ entries, isNewest: false, next: 'x'.repeat(200) }), links(count));
  });
});

test('an error of Slack about a channel becomes an instruction', () => {
  expect(refusedChannelText('user_not_in_channel')).toContain('Join it');
  expect(refusedChannelText('some_new_word')).toContain('some_new_word');
  expect(refusedChannelText('channel_is_shared')).toBe(
    'The bot could not post there: people from another company can read the channel. Choose another channel for the digest.',
  );
});
