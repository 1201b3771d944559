/** The Home tab in the local Slack. */
import { describe, expect, it } from 'vitest';
import { HomeTab } from '../../../src/bot/slack/inbound/listeners/home-tab.ts';
import { blockText } from '../../../src/bot/views/blocks/message.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../../src/local-slack/state/view.ts';
import { useGovernedBot } from '../../support/bot/governed-bot.ts';
import { testRuntime } from '../../support/bot/runtime.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { delayedUntil, httpStatus } from '../../support/slack/faults.ts';

const governed = useGovernedBot();
const [ada, ben] = [personId('ada'), personId('ben')];
const textOf = ({ blocks }: SlackView) => blocks.map(blockText).join('\n');
const linesOf = ({ blocks }: SlackView) =>
  [...JSON.stringify(blocks).matchAll(/"action_id":"(cmd:[^"]*)"/g)].map(([, id = '']) => id);

describe('the Home tab', () => {
  it('shows a member the state of all workflows and the commands', async () => {
    const { home } = await governed();
    const view = await home('ben');
    expect(textOf(view)).toMatch(/\d+ of \d+ workflows.*are failing.*payments.*What to type/s);
    expect(textOf(view)).not.toContain('For bot admins');
  });

  it('lists silent workflows apart from healthy ones, as the status card judges them', async () => {
    const { home } = await governed();
    const text = textOf(await home('ben'));
    expect(text).toMatch(/1 is silent.*carbon-credits: no run for 6 h 5 min, usually one every 15 min/s);
    expect(/Healthy, no failed run in the last 24 h: (.*)/.exec(text)?.[1]).toMatch(
      /^daily-nav-report, payments-staging$/,
    );
  });

  it('shows an admin settings, audit and the key', async () => {
    const { home } = await governed();
    const view = await home('ada');
    expect(textOf(view)).toContain('For bot admins');
    expect(linesOf(view)).toEqual(expect.arrayContaining(['cmd:open:settings', 'cmd:open:audit', 'cmd:open:connect']));
  });

  it('is rendered anew from cached answers when it is opened again', async () => {
    const { home, time } = await governed();
    await home('ben');
    time.now += 10_000;
    expect(textOf(await home('ben'))).toContain('(cached)');
  });

  it('is rendered anew from fresh answers by its Refresh button', async () => {
    const { home, nextHome, direct, slack, time } = await governed();
    const view = await home('ben');
    time.now += 10_000;
    const renewed = nextHome('ben');
    await slack.press({ user: ben, view: view.id, actionId: 'cmd:refresh:home' });
    expect(textOf(await renewed)).toMatch(/As of <!date[^>]*>(?! \(cached\))/);
    expect(direct('ben')).toEqual([]);
  });

  it('is rendered from cached answers, and says why, for the eleventh press of Refresh within ten seconds', async () => {
    const { home, nextHome, slack, time } = await governed();
    const view = await home('ben');
    const refreshed = async () => {
      const renewed = nextHome('ben');
      await slack.press({ user: ben, view: view.id, actionId: 'cmd:refresh:home' });
      return textOf(await renewed);
    };
    for (let presses = 1; presses <= 10; presses += 1)
      expect(await refreshed()).toMatch(/As of <!date[^>]*>(?! \(cached\))/);
    time.now += 5_000;
    expect(await refreshed()).toMatch(/^:warning: Rate limit: 10 requests per 10 s.*\(cached\)/s);
    time.now += 5_000;
    expect(await refreshed()).toMatch(/As of <!date[^>]*>(?! \(cached\))/);
  });

  it('is published twenty times within ten seconds for one person who opens it again and again, and for others too', async () => {
    const { home, slack, time } = await governed();
    let published = 0;
    slack.failWhen('views.publish', ({ user_id: user }) => {
      if (user === ben) published += 1;
      return undefined;
    });
    for (let opened = 1; opened <= 20; opened += 1) await home('ben');
    slack.openHome({ user: ben, tab: 'home' });
    expect(textOf(await home('ada'))).toContain('For bot admins');
    expect(published).toBe(20);
    time.now += 10_000;
    await home('ben');
    expect(published).toBe(21);
  });

  it('is rendered once more for all presses of Refresh while it is being rendered', async () => {
    const { home, slack, finish } = await governed();
    const view = await home('ben');
    const press = () => slack.press({ user: ben, view: view.id, actionId: 'cmd:refresh:home' });
    const gate = Promise.withResolvers<void>();
    slack.fail(
      'views.publish',
      delayedUntil(() => gate.promise),
    );
    const first = slack.nextView({ user: ben, matches: ({ type }) => type === 'home' });
    await press();
    await first;
    let published = 0;
    slack.failWhen('views.publish', ({ view: shown }) => {
      if (!String(shown).includes('Still asking')) published += 1;
      return undefined;
    });
    await Promise.all([press(), press(), press(), press()]);
    gate.resolve();
    await finish();
    expect(published).toBe(1);
  });

  it('is that of a member if Slack does not return the profile', async () => {
    const { home, slack } = await governed();
    slack.fail('users.info', httpStatus(500));
    expect(textOf(await home('ada'))).not.toContain('For bot admins');
  });

  it('shows a member only the channels for commands if an admin has chosen some', async () => {
    const { home, store, teamId } = await governed();
    await store.settings.change(teamId, { readerChannels: [channelId('payments')] }, ada, 1);
    expect(textOf(await home('ben'))).toMatch(/Type the command in <#C01PAYMENTS>\.$/);
    expect(textOf(await home('ada'))).toMatch(/workflows.*failing/s);
  });

  it('is rendered anew after its reader submits a form', async () => {
    const { home, nextHome, open, submit, time } = await governed();
    await home('ada');
    const view = await open('ada', 'settings');
    time.now += 10_000;
    const renewed = nextHome('ada');
    await submit('ada', view, {});
    expect(textOf(await renewed)).toContain('(cached)');
  });

  it('says so while the store is down', async () => {
    const { home, store } = await governed();
    await store.close();
    expect(textOf(await home('ben'))).toContain('The bot cannot read its settings for this workspace right now.');
  });

  it('leaves no timer of its note of waiting behind if it cannot be made at all', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const fail = (): never => {
      throw new Error('not to be had');
    };
    const homeOf = async () => fail();
    const runtime = { ...testRuntime(Date.now, createMemoryLog().log), createReference: fail };
    const homeTab = new HomeTab(runtime, { of: fail }, homeOf);
    const before = timers();
    await expect(homeTab.renew({ teamId: 'T1', userId: ben }, 'a token')).rejects.toThrow('not to be had');
    expect(timers()).toBe(before);
  });
});

describe('a press in the Home tab', () => {
  it('is answered in direct messages', async () => {
    const { home, slack } = await governed();
    const view = await home('ben');
    const sent = slack.nextMessage({ channel: directId('ben') });
    await slack.press({ user: ben, view: view.id, actionId: 'cmd:open:failures' });
    expect((await sent).text).toContain('quorum');
  });

  it('opens a modal if the answer is one', async () => {
    const { home, slack } = await governed();
    const view = await home('ada');
    const opened = slack.nextView({ user: ada, matches: ({ title }) => title?.text === 'Settings' });
    await slack.press({ user: ada, view: view.id, actionId: 'cmd:open:settings' });
    expect((await opened).type).toBe('modal');
  });

  it('finds a workflow by name for people with read access', async () => {
    const { home, slack, store, teamId, time } = await governed();
    const view = await home('ben');
    const actionId = linesOf(view).find((id) => id.includes('search')) ?? '';
    const asked = { user: ben, view: view.id, actionId, value: 'pay' };
    expect(JSON.stringify(await slack.suggest(asked))).toContain('payments');
    await store.settings.change(teamId, { readerChannels: [] }, ada, 1);
    time.now += 60_000;
    expect(await slack.suggest(asked)).toMatchObject({ ok: true, options: [] });
  });
});
