/** The Home in the local Slack: the first thing that a new member sees. */
import { describe, expect, it } from 'vitest';
import { blockText } from '../../../src/bot/views/blocks/message.ts';
import { httpStatus } from '../../../src/local-slack/server/faults.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../../src/local-slack/state/view.ts';
import { useGovernedBot } from '../../support/governed-bot.ts';

const governed = useGovernedBot();
const [ada, ben] = [personId('ada'), personId('ben')];
const textOf = ({ blocks }: SlackView) => blocks.map(blockText).join('\n');
const linesOf = ({ blocks }: SlackView) =>
  [...JSON.stringify(blocks).matchAll(/"action_id":"(cmd:[^"]*)"/g)].map(([, id = '']) => id);

describe('opened', () => {
  it('it tells a member how everything does, and what to type', async () => {
    const { home } = await governed();
    const view = await home('ben');
    expect(textOf(view)).toMatch(/\d+ of \d+ workflows.*failed in the last 24 hours.*payments.*What to type/s);
    expect(textOf(view)).not.toContain('For admins');
  });

  it('it tells what went silent apart from what is fine, as the status card judges it', async () => {
    const { home } = await governed();
    const text = textOf(await home('ben'));
    expect(text).toMatch(/1 went silent.*carbon-credits: no run for 6 h 5 min, where one came every 15 min/s);
    expect(/Without a failure: (.*)/.exec(text)?.[1]).toMatch(/^daily-nav-report, invoice-sync, payments-staging$/);
  });

  it('it has settings, audit and the key for an admin', async () => {
    const { home } = await governed();
    const view = await home('ada');
    expect(textOf(view)).toContain('For admins');
    expect(linesOf(view)).toEqual(expect.arrayContaining(['cmd:open:settings', 'cmd:open:audit', 'cmd:open:connect']));
  });

  it('again it is made anew, from cached answers', async () => {
    const { home, time } = await governed();
    await home('ben');
    time.now += 10_000;
    expect(textOf(await home('ben'))).toContain('cached 10 s ago');
  });

  it('if Slack does not say who a person is, they see what a member sees', async () => {
    const { home, slack } = await governed();
    slack.fail('users.info', httpStatus(500));
    expect(textOf(await home('ada'))).not.toContain('For admins');
  });

  it('where everybody may ask only elsewhere, it shows a member nothing but where', async () => {
    const { home, store, teamId } = await governed();
    await store.settings.change(teamId, { readerChannels: [channelId('payments')] }, ada, 1);
    expect(textOf(await home('ben'))).toMatch(/It answers you in <#C01PAYMENTS>\.$/);
    expect(textOf(await home('ada'))).toMatch(/workflows.*failed/s);
  });

  it('is made anew when its reader has changed something in a form', async () => {
    const { home, open, submit, slack, time } = await governed();
    await home('ada');
    const view = await open('ada', 'settings');
    time.now += 10_000;
    const renewed = slack.nextView({ user: ada, matches: ({ type }) => type === 'home' });
    await submit('ada', view, {});
    expect(textOf(await renewed)).toContain('cached 10 s ago');
  });

  it('while the store is down it says so', async () => {
    const { home, store } = await governed();
    await store.close();
    expect(textOf(await home('ben'))).toContain('I cannot look up what is allowed in this workspace right now.');
  });
});

describe('a press in it', () => {
  it('is answered in direct messages, which everybody has', async () => {
    const { home, slack } = await governed();
    const view = await home('ben');
    const sent = slack.nextMessage({ channel: directId('ben') });
    await slack.press({ user: ben, view: view.id, actionId: 'cmd:open:failures' });
    expect((await sent).text).toContain('quorum');
  });

  it('opens a window where the answer is one', async () => {
    const { home, slack } = await governed();
    const view = await home('ada');
    const opened = slack.nextView({ user: ada, matches: ({ title }) => title?.text === 'Settings' });
    await slack.press({ user: ada, view: view.id, actionId: 'cmd:open:settings' });
    expect((await opened).type).toBe('modal');
  });

  it('finds a workflow by name, for people who may read', async () => {
    const { home, slack, store, teamId, time } = await governed();
    const view = await home('ben');
    const actionId = linesOf(view).find((id) => id.includes('search')) ?? '';
    const asked = { user: ben, view: view.id, actionId, value: 'pay' };
    expect(JSON.stringify(await slack.suggest(asked))).toContain('payments');
    await store.settings.change(teamId, { readerChannels: [] }, ada, 1);
    time.now += 60_000;
    expect(await slack.suggest(asked)).toMatchObject({ ok: true, groups: [] });
  });
});
