/** `digest` in the local Slack, with the real store and the real service: set up, list, change, pause, remove, request. */
import { describe, expect, test } from 'vitest';
import { nextDue, type Schedule } from '../../../../../src/bot/domain/schedule.ts';
import type { SubscriptionPlan } from '../../../../../src/bot/domain/subscription.ts';
import { blockText } from '../../../../../src/bot/views/blocks/message.ts';
import { channelId, directId, personId } from '../../../../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../../../../src/local-slack/state/view.ts';
import { type GovernedBot, useGovernedBot } from '../../../../support/bot/governed-bot.ts';
import { connectingBot } from '../../../../support/slack/connecting.ts';

const governed = useGovernedBot();
const [ada, ben] = [personId('ada'), personId('ben')];
const textOf = ({ blocks }: SlackView) => blocks.map(blockText).join('\n');
type Values = Readonly<Record<string, string | readonly string[]>>;
/** About one workflow, so that the preview is short. */
const small: Values = { which: 'text', text: 'loyalty-points' };
const entered = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([id, value]) => [id, { [id === 'zone' ? 'find:zones' : 'value']: value }]),
  );

/** Ada fills in the form. @returns the window with the preview */
async function preview({ open, submit, slack }: GovernedBot, values: Values = {}, line = 'digest'): Promise<SlackView> {
  const form = await open('ada', line);
  const next = slack.nextView({ user: ada, matches: ({ title }) => title?.text === 'Preview' });
  expect(await submit('ada', form, entered(values))).toMatchObject({ ok: true });
  return next;
}

/** Ada sets one up in the form. @returns it */
async function setUpInForm(bot: GovernedBot, values: Values = {}) {
  const told = bot.slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('Digest set up') });
  await bot.submit('ada', await preview(bot, values), {});
  await told;
  const [subscription] = await bot.store.subscriptions.list(bot.teamId);
  if (!subscription) throw new Error('There is none.');
  return subscription;
}

type Given = Partial<Omit<SubscriptionPlan, 'schedule'>> & { readonly schedule?: Partial<Schedule> };

/** Ada has one, as the form sets it up, without the wait for a preview. */
async function setUp(
  { store, teamId, time }: Pick<GovernedBot, 'store' | 'teamId' | 'time'>,
  { schedule: times, ...given }: Given = {},
) {
  const schedule = { time: '09:00', weekdays: [1, 2, 3, 4, 5], zone: 'Europe/Berlin', ...times };
  const usual = {
    workflows: { kind: 'text', text: 'loyalty-points' },
    hasAllClear: true,
    onUncertain: 'hold',
  } as const;
  const by = { userId: ada, at: time.now };
  const plan = { channelId: channelId('general'), schedule, ...usual, ...given };
  return store.subscriptions.create(teamId, plan, by, nextDue(schedule, by));
}

describe('the form of a new digest', () => {
  test('shows the next three times and the message in a preview, and the message in the channel only to the person', async () => {
    const bot = await governed();
    const shown = bot.slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('nothing is saved yet') });
    const window = await preview(bot);
    expect(textOf(window)).toMatch(
      /Mon–Fri at 09:00 \(Europe\/Berlin\).*Mon 23 Nov 2026, 09:00 UTC\+01:00.*Wed 25 Nov/s,
    );
    expect(textOf(window)).toMatch(/Below is the digest.*Digest.*failures/s);
    expect(await shown).toMatchObject({ viewer: ada, text: expect.stringContaining('Digest') });
    expect(await bot.store.subscriptions.list(bot.teamId)).toEqual([]);
  });

  test('returns when the preview is closed, and the next preview uses its current values', async () => {
    const bot = await governed();
    const form = await bot.open('ada', 'digest');
    const previewed = () => bot.slack.nextView({ user: ada, matches: ({ title }) => title?.text === 'Preview' });
    const first = previewed();
    await bot.submit('ada', form, entered(small));
    bot.slack.closeView({ user: ada, view: (await first).id });
    const second = previewed();
    await bot.submit('ada', form, entered({ ...small, time: '06:15' }));
    expect(textOf(await second)).toContain('06:15 UTC+01:00');
  });

  test.each([
    ['random', /The bot is not in this conversation\. Type \/invite/],
    ['incident-room', /The bot is not in this conversation\. Type \/invite/],
    ['old-alerts', /the channel is archived/],
  ] as const)('refuses a channel in which the bot cannot post: #%s', async (name, words) => {
    const bot = await governed();
    const result = await bot.submit(
      'ada',
      await bot.open('ada', 'digest'),
      entered({ ...small, channel: channelId(name) }),
    );
    expect(result).toMatchObject({ ok: false, errors: { channel: expect.stringMatching(words) } });
    expect(await bot.store.subscriptions.list(bot.teamId)).toEqual([]);
  });

  test('refuses a channel that people of another company read', async () => {
    const bot = await governed();
    bot.slack.changeChannel(channelId('payments'), { isShared: true });
    const form = await bot.open('ada', 'digest');
    expect(await bot.submit('ada', form, entered({ ...small, channel: channelId('payments') }))).toMatchObject({
      errors: { channel: expect.stringContaining('people from another company can read the channel') },
    });
  });

  test('accepts the person’s own direct messages with the bot', async () => {
    const bot = await governed();
    expect((await setUpInForm(bot, { ...small, channel: directId('ada') })).channelId).toBe(directId('ada'));
  });
});

describe('a digest that is set up', () => {
  test('is listed by channel and time, with its buttons', async () => {
    const bot = await governed();
    await setUp(bot);
    await setUp(bot, { channelId: channelId('payments'), hasAllClear: false });
    const { text, blocks, isEphemeral } = await bot.type('ada', 'digest list');
    expect(text).toMatch(
      /2 digests.*<#C01GENERAL0>.*Mon–Fri at 09:00.*<#C01PAYMENTS>.*no message when nothing failed/s,
    );
    expect(isEphemeral).toBe(true);
    for (const word of ['edit', 'pause', 'now', 'remove']) expect(JSON.stringify(blocks)).toContain(`digest ${word} `);
  });

  test('is changed in a form that has the current values', async () => {
    const bot = await governed();
    const { id } = await setUp(bot, { schedule: { weekdays: [7] } });
    const told = bot.slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('Digest changed') });
    const window = await preview(bot, { time: '23:30' }, 'digest edit');
    await bot.submit('ada', window, {});
    await told;
    expect(await bot.store.subscriptions.find(bot.teamId, id)).toMatchObject({
      schedule: { time: '23:30', weekdays: [7], zone: 'Europe/Berlin' },
      nextDue: { localTime: '2026-11-22T23:30' },
    });
  });

  test.each([
    ['not_in_channel', { channel: channelId('payments') }, null],
    ['not_in_channel', { time: '23:30' }, 'not_in_channel'],
    ['unauthorized', { channel: channelId('payments') }, 'unauthorized'],
    ['person', { channel: channelId('payments') }, 'person'],
  ])('paused for %s and changed to %o has the pause %s', async (reason, values, after) => {
    const bot = await governed();
    const { id } = await setUp(bot);
    await bot.store.subscriptions.pause(bot.teamId, id, { reason, at: bot.time.now, by: null });
    const told = bot.slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('Digest changed') });
    await bot.submit('ada', await preview(bot, values, 'digest edit'), {});
    const { text } = await told;
    expect((await bot.store.subscriptions.find(bot.teamId, id))?.pause?.reason ?? null).toBe(after);
    expect(text.includes('until it is resumed')).toBe(after === 'person');
  });

  test('pauses and resumes, and says so each time', async () => {
    const bot = await governed();
    const { id } = await setUp(bot);
    expect((await bot.type('ada', 'digest pause')).text).toMatch(/Paused.*paused since .*, by <@U01ADA/s);
    expect(await bot.store.subscriptions.find(bot.teamId, id)).toMatchObject({
      pause: { reason: 'person', by: ada },
      nextDue: null,
    });
    expect((await bot.type('ada', 'digest pause')).text).toMatch(/^\S+ Already paused\n.*paused since/s);
    expect((await bot.type('ada', 'digest resume')).text).toMatch(/Resumed.*next <!date/s);
    expect(await bot.store.subscriptions.find(bot.teamId, id)).toMatchObject({
      pause: null,
      nextDue: { localTime: '2026-11-23T09:00' },
    });
  });

  test('that is not paused is not called resumed', async () => {
    const bot = await governed();
    await setUp(bot);
    const { text } = await bot.type('ada', 'digest resume');
    expect(text).toMatch(/was not paused.*next <!date/s);
    expect(text).not.toContain('Resumed');
  });

  test('is removed after a modal has described it', async () => {
    const bot = await governed();
    await setUp(bot);
    const window = await bot.open('ada', 'digest remove');
    expect(textOf(window)).toContain('To stop the digest for a while, pause it instead.');
    expect(await bot.store.subscriptions.list(bot.teamId)).toHaveLength(1);
    await bot.submit('ada', window, {});
    expect(await bot.store.subscriptions.list(bot.teamId)).toEqual([]);
  });

  test('is requested once a minute at most, and waits in the outbox', async () => {
    const bot = await governed();
    const { id } = await setUp(bot);
    expect((await bot.type('ada', 'digest now')).text).toContain('Posting');
    expect((await bot.type('ada', 'digest now')).text).toMatch(/requested a moment ago, so no second one/);
    const entries = await bot.store.outbox.page(bot.teamId, 10);
    expect(entries).toMatchObject([{ key: { subject: id }, state: 'due', channelId: channelId('general') }]);
    const { window, dueAt } = entries[0] ?? {};
    expect(window).toEqual({ from: Number(dueAt) - 86_400_000, to: dueAt });
    expect((await bot.type('ada', 'deliveries')).text).toMatch(/On request in <#C01GENERAL0>.*on its way/s);
  });

  test.each([
    ['no key', undefined, /Not posted in .*: this workspace is not connected/],
    ['the key of a service that is not allowed', 'https://dropped.example/graphql', /is not on the bot’s list/],
  ])('requested with %s is not posted, and the answer says why', async (_, endpoint, words) => {
    const bot = await connectingBot(['https://listed.example/graphql']);
    await setUp(bot);
    const by = { connectedBy: ada, connectedAt: 0, organizationId: 'o', organizationName: 'o' };
    if (endpoint) await bot.store.credentials.connect(bot.teamId, { endpoint, apiKey: 'k', keyHint: '', ...by });
    expect(await bot.type('digest now')).toMatch(words);
    expect(await bot.store.outbox.page(bot.teamId, 9)).toEqual([]);
  });

  test('requested for a channel without access gets the reason and the remedy, and is posted once that is done', async () => {
    const bot = await governed();
    const { id } = await setUp(bot, { channelId: channelId('payments') });
    bot.slack.changeChannel(channelId('payments'), { isArchived: true });
    const { text, blocks } = await bot.type('ada', `digest now ${id}`);
    expect(text).toMatch(/^:warning: Not posted in <#C01PAYMENTS>: the channel is archived\.\nUnarchive it/);
    expect(JSON.stringify(blocks)).toContain(`digest now ${id}`);
    expect(await bot.store.outbox.page(bot.teamId, 9)).toEqual([]);
    bot.slack.changeChannel(channelId('payments'), { isArchived: false });
    expect((await bot.type('ada', `digest now ${id}`)).text).toContain('Posting');
    const seen = bot.slack.messages({ channel: channelId('payments'), viewer: ada });
    expect(seen.at(-1)?.text).toContain('will be posted here shortly');
    expect(await bot.store.outbox.page(bot.teamId, 9)).toMatchObject([{ state: 'due' }]);
  });

  test('requested after an earlier refusal is posted, and the list does not call it failing', async () => {
    const bot = await governed();
    const { id } = await setUp(bot);
    await bot.store.subscriptions.pause(bot.teamId, id, { reason: 'not_in_channel', at: bot.time.now, by: null });
    const coming = bot.slack.nextMessage({
      viewer: ada,
      matches: ({ text }) => text.includes('will be posted here shortly'),
    });
    await bot.type('ada', 'digest now');
    expect((await coming).viewer).toBe(ada);
    const told = bot.slack.messages({ channel: channelId('general'), viewer: ada }).map(({ text }) => text);
    expect(told.some((text) => text.includes('Posting') && !text.includes('fail'))).toBe(true);
  });

  test.each([
    ['unauthorized', /Scheduled posts have failed since .*: the query service refuses.*Ask a workspace admin/s],
    ['person', /The schedule stays paused/],
  ])(
    'requested while it is paused (%s) is posted, and the answer says that it stays paused or fails',
    async (reason, words) => {
      const bot = await governed();
      const { id } = await setUp(bot);
      await bot.store.subscriptions.pause(bot.teamId, id, { reason, at: bot.time.now, by: null });
      expect((await bot.type('ada', 'digest now')).text).toMatch(words);
      expect(await bot.store.outbox.page(bot.teamId, 9)).toMatchObject([{ state: 'due' }]);
    },
  );

  test('has each of its changes in the audit, with the person, the channel and the schedule', async () => {
    const bot = await governed();
    await setUpInForm(bot, small);
    for (const line of ['digest pause', 'digest resume', 'digest now']) await bot.type('ada', line);
    await bot.submit('ada', await bot.open('ada', 'digest remove'), {});
    expect(await bot.audited()).toEqual(
      ['created', 'paused', 'resumed', 'requested', 'removed'].map((action) => `${ada} digest ${action}`),
    );
    const entries = bot.slack.nextMessage({ viewer: ada, matches: ({ text }) => text.startsWith('Audit') });
    bot.time.now += 11_000;
    await bot.type('ada', 'audit');
    expect((await entries).text).toMatch(/digest created.*in <#C01GENERAL0>, when Mon–Fri at 09:00/s);
  });
});

describe('the choice of a digest', () => {
  test('is offered if a channel has several, and an answer says if it has none', async () => {
    const bot = await governed();
    await setUp(bot);
    await setUp(bot, { schedule: { time: '17:00' } });
    expect((await bot.type('ada', 'digest pause')).text).toMatch(/^Which one do you mean\?.*09:00.*17:00/s);
    bot.time.now += 11_000;
    expect((await bot.type('ada', 'digest pause', 'payments')).text).toMatch(/^This channel has no digest\./);
  });

  test('needs no answer if the command can change only one digest of the channel', async () => {
    const bot = await governed();
    const { id } = await setUp(bot);
    await setUp(bot, { schedule: { time: '17:00' } });
    await bot.type('ada', `digest pause ${id}`);
    bot.time.now += 11_000;
    expect((await bot.type('ada', 'digest pause')).text).toMatch(/Paused.*17:00/s);
    expect((await bot.type('ada', 'digest pause')).text).toMatch(/^Which one.*09:00.*17:00/s);
    expect((await bot.type('ada', `digest resume ${id}`)).text).toMatch(/Resumed.*09:00/s);
    expect((await bot.type('ada', 'digest resume')).text).toMatch(/Resumed.*17:00/s);
  });

  test('in a modal opens the form of that digest', async () => {
    const bot = await governed();
    await setUp(bot);
    const { id } = await setUp(bot, { schedule: { time: '17:00' } });
    const window = await bot.open('ada', 'digest edit');
    const next = bot.slack.nextView({ id: window.id });
    expect(await bot.submit('ada', window, entered({ digest: id }))).toMatchObject({ ok: true });
    expect(JSON.stringify((await next).blocks)).toContain('"initial_time":"17:00"');
  });

  test('accepts a channel or an id; other text is refused with an instruction', async () => {
    const bot = await governed();
    const { id } = await setUp(bot);
    expect((await bot.type('ada', `digest pause <#${channelId('general')}|general>`, 'payments')).text).toContain(
      'Paused',
    );
    expect((await bot.type('ada', `digest resume ${id.slice(0, 8)}`, 'payments')).text).toContain('Resumed');
    expect((await bot.type('ada', 'digest pause nonsense')).text).toMatch(/no digest “nonsense”.*digest list/s);
    const elsewhere = (await bot.type('ada', 'digest pause #random')).text;
    expect(elsewhere).toMatch(/There is no digest in #random\./);
    expect((await bot.type('ada', 'digest frobnicate')).text).toContain('list, edit, pause, resume, remove, now');
  });
});

describe('access', () => {
  test.each(['digest', 'digest list', 'digest now', 'deliveries'])('to “%s” needs the role operator', async (line) => {
    const bot = await governed();
    expect(await bot.answer('ben', line)).toContain('Only bot operators');
    await bot.store.roles.grant(bot.teamId, { userId: ben, role: 'operator', grantedBy: ada, grantedAt: 1 });
    bot.time.now += 61_000;
    expect(await bot.answer('ben', line)).not.toContain('Only bot operators');
  });

  test('to a form ends when the person is no longer an operator: it saves nothing', async () => {
    const bot = await governed();
    const window = await preview(bot, small);
    bot.says({ is_admin: false });
    bot.time.now += 61_000;
    await bot.submit('ada', window, {});
    expect(await bot.store.subscriptions.list(bot.teamId)).toEqual([]);
    expect(await bot.audited()).toEqual([`${ada} permission refused`]);
  });
});

describe('the menus of the form', () => {
  const asked = async (bot: GovernedBot, actionId: string, value: string) => {
    const { id } = await bot.open('ada', 'digest');
    const result = await bot.slack.suggest({ user: ada, view: id, actionId, value });
    return result.ok ? result.options.map(({ text }) => text.text) : [];
  };

  test('offer the person’s own zone first, then those of the workspace’s digests', async () => {
    const bot = await governed();
    const { id } = await bot.open('ada', 'digest');
    await bot.slack.suggest({ user: ada, view: id, actionId: 'find:zones', value: 'kolkata' });
    expect((await asked(bot, 'find:zones', '')).slice(0, 1)).toEqual(['Europe/Berlin (UTC+01:00)']);
    expect(await asked(bot, 'find:zones', 'new york')).toEqual(['America/New York (UTC-05:00)']);
    expect(await asked(bot, 'find:zones', 'phobos')).toEqual([]);
  });

  test('find workflows to choose, and the chosen ones are named wherever the digest is shown', async () => {
    const bot = await governed();
    const form = await bot.open('ada', 'digest');
    const result = await bot.slack.suggest({ user: ada, view: form.id, actionId: 'find:workflows', value: 'pay' });
    const uuids = result.ok ? result.options.map(({ value }) => value ?? '') : [];
    const { id, nextDue, ...plan } = await setUp(bot);
    const workflows = { kind: 'chosen', uuids: uuids.slice(0, 2) } as const;
    if (nextDue) await bot.store.subscriptions.change(bot.teamId, id, { ...plan, workflows }, nextDue);
    const texts = [(await bot.type('ada', 'digest list')).text, textOf(await bot.home('ada'))];
    for (const line of ['digest remove', 'digest edit']) texts.push(JSON.stringify(await bot.open('ada', line)));
    for (const text of texts) expect(text).toMatch(/payments.*payments-eu/s);
    await bot.type('ada', 'digest now');
    expect((await bot.type('ada', 'deliveries')).text).toContain('<#C01GENERAL0> (payments and 1 more), due');
  });

  test('find workflows by name', async () => {
    const found = await asked(await governed(), 'find:workflows', 'pay');
    expect(found.slice(0, 2)).toEqual(['payments', 'payments-eu']);
  });
});

describe('the Home tab', () => {
  test('shows an operator how to set up the first digest, and then when it is next due', async () => {
    const bot = await governed();
    expect(textOf(await bot.home('ada'))).toContain('this workspace has none');
    await setUp(bot, { workflows: { kind: 'all' } });
    expect(textOf(await bot.home('ada'))).toMatch(
      /Digests.*<#C01GENERAL0> Mon–Fri at 09:00 \(Europe\/Berlin\): next <!date/s,
    );
    expect(JSON.stringify((await bot.home('ben')).blocks)).not.toContain('cmd:open:digest');
  });
});
