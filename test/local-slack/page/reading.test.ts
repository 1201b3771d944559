/** Reading in the page, in a real browser: people, channels, threads and messages. */
import { describe, expect } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { browserTest } from '../../support/slack/browser.ts';
import { connectApp, localSlack, webClient } from '../../support/slack/local-slack.ts';
import { openPage, put, said } from '../../support/slack/page.ts';
import * as blocks from '../../support/slack/page-blocks.ts';

describe('people and places', () => {
  browserTest('acting as another member shows what that member sees', async () => {
    const { page, slack } = await openPage();
    put(slack, [{ type: 'section', text: { type: 'mrkdwn', text: 'for Ada' } }], personId('ada'));
    put(slack, [{ type: 'section', text: { type: 'mrkdwn', text: 'for Ben' } }], personId('ben'));
    await page.getByText('for Ada').waitFor();
    await page.getByRole('button', { name: /Acting as/ }).click();
    await page.getByRole('button', { name: /Ben Carter/ }).click();
    await page.getByText('for Ben').waitFor();
    expect(await page.getByText('for Ada').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'incident-room' }).count()).toBe(0);
    expect(await said(page.getByRole('article'))).toContain('4:30 AM');
  });

  browserTest(
    'a message elsewhere marks its channel until it is opened, and the address remembers the place',
    async () => {
      const { page, slack } = await openPage();
      put(slack, [], null, channelId('payments'));
      const unread = page.getByRole('img', { name: 'unread messages' });
      await unread.waitFor();
      await page
        .getByRole('button', { name: /payments/ })
        .first()
        .click();
      await page.getByText('a message').waitFor();
      expect(await unread.count()).toBe(0);
      await page.reload();
      await page.getByRole('heading', { name: 'payments', exact: true }).waitFor();
    },
  );

  browserTest('on a phone the way to the channels is marked while the bot’s direct message is unread', async () => {
    const { page, slack } = await openPage({ width: 400 });
    await webClient(slack).chat.postMessage({ channel: personId('ada'), text: 'your file' });
    await page.getByRole('button', { name: 'Channels, unread messages' }).click();
    await page.getByRole('button', { name: 'Workflow Bot unread messages' }).click();
    await page.getByText('your file').waitFor();
    expect(await page.getByRole('button', { name: 'Channels, unread messages' }).count()).toBe(0);
  });

  browserTest('a thread opens beside its channel, takes replies and is counted', async () => {
    const { page, slack } = await openPage();
    const root = put(slack, []);
    await page.getByRole('article').last().hover();
    await page.getByRole('button', { name: 'Reply in thread' }).click();
    await page.getByRole('textbox', { name: 'Reply…' }).fill('looking');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /1 reply/ }).waitFor();
    slack.say({ user: personId('ben'), channel: channelId('general'), threadTs: root.ts, text: 'me too' });
    await page.getByRole('button', { name: /2 replies/ }).waitFor();
    await page.getByRole('complementary', { name: 'Thread' }).getByText('me too').waitFor();
    expect(await page.getByRole('log', { name: 'Messages in #general' }).getByText('me too').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'detached' });
  });

  browserTest('a long thread shows its newest reply, and scrolls to its first message', async () => {
    const { page, slack } = await openPage();
    const root = put(slack, [{ type: 'section', text: { type: 'mrkdwn', text: 'the beginning' } }]);
    for (let number = 1; number <= 40; number += 1)
      slack.say({ user: personId('ben'), channel: root.channel, threadTs: root.ts, text: `reply number ${number}.` });
    await page.getByRole('button', { name: /40 replies/ }).click();
    const log = page.getByRole('log', { name: 'Messages in the thread' });
    const isShown = (text: string) =>
      log.evaluate((list, wanted) => {
        const { top, bottom } = list.getBoundingClientRect();
        const rows = [...list.querySelectorAll('.message-row')].filter((row) => row.textContent?.includes(wanted));
        return rows.some(
          (row) => row.getBoundingClientRect().top >= top && row.getBoundingClientRect().bottom <= bottom,
        );
      }, text);
    await expect.poll(() => isShown('reply number 40.')).toBe(true);
    await log.evaluate((list) => list.scrollBy(0, -100_000));
    await expect.poll(() => isShown('the beginning')).toBe(true);
  });

  browserTest('a permalink opens its channel and thread, from outside and from within', async () => {
    const { page, slack } = await openPage();
    const root = put(slack, [], null, channelId('payments'));
    const target = { channel: root.channel, threadTs: root.ts, user: personId('ben') };
    const reply = slack.workspace.history.post({ ...target, text: 'here it is', blocks: [], viewer: null });
    const link = `${slack.url}/archives/${root.channel}/p${reply.ts.replace('.', '')}?thread_ts=${root.ts}`;
    const text = `<${link}|the thread>`;
    put(slack, [{ type: 'section', text: { type: 'mrkdwn', text } }]);
    await page.getByRole('link', { name: 'the thread' }).click();
    const found = page.getByRole('complementary', { name: 'Thread' }).getByText('here it is');
    await found.waitFor();
    await page.getByRole('button', { name: 'general' }).click();
    await found.waitFor({ state: 'detached' });
    await page.goto(link);
    await found.waitFor();
    await page.getByRole('heading', { name: 'payments', exact: true }).waitFor();
  });

  browserTest('a person who is not a member of a channel reads it and cannot write', async () => {
    const { page } = await openPage();
    await page.getByRole('button', { name: /Acting as/ }).click();
    await page.getByRole('button', { name: /Chiyo Tanaka/ }).click();
    await page.getByRole('button', { name: /^#? ?payments/ }).click();
    await page.getByText('Chiyo Tanaka is not a member of #payments').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
  });

  browserTest('a long channel shows its newest message, and follows it while one is at the end', async () => {
    const { page, slack } = await openPage();
    const say = (at: number) => {
      slack.say({ user: personId('ben'), channel: channelId('general'), text: `message ${at} of many` });
      return page.getByText(`message ${at} of many`, { exact: true });
    };
    for (let at = 1; at < 200; at += 1) say(at);
    const isInView = (text: ReturnType<typeof say>) =>
      expect.poll(() => text.evaluate((node) => node.getBoundingClientRect().bottom < innerHeight)).toBe(true);
    await isInView(say(200));
    await isInView(say(201));
    await page.getByRole('log').evaluate((log) => log.scrollBy(0, -2000));
    await page.getByText('message 170 of many', { exact: true }).waitFor();
    await say(202).waitFor();
    expect(await page.getByRole('log').evaluate((log) => log.scrollTop)).toBeLessThan(-100);
  });

  browserTest('on a phone the channels are in a drawer', async () => {
    const { page } = await openPage({ width: 400 });
    expect(await page.getByRole('button', { name: 'random' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Channels' }).click();
    await page.getByRole('button', { name: 'random' }).click();
    await page.getByRole('heading', { name: 'random', exact: true }).waitFor();
    await page.getByRole('button', { name: 'random' }).waitFor({ state: 'hidden' });
  });
});

describe('errors', () => {
  browserTest('a banner shows that the bot is not connected, and that a press failed', async () => {
    const { page, slack } = await openPage();
    put(slack, blocks.controlsMessage);
    await page.getByRole('alert').getByText('is not connected').waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').getByText('Workflow Bot is not connected. (dispatch_failed)').waitFor();
    await connectApp(slack);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });

  browserTest('a message that cannot be sent is reported', async () => {
    const { page } = await openPage();
    await page.context().setOffline(true);
    await page.getByRole('textbox').fill('are you there?');
    await page.keyboard.press('Enter');
    await page.getByText('The local Slack did not answer. Is it still running?').waitFor();
  });

  browserTest('a lost server is reported, and the page loads again when it is back', async () => {
    const { page, slack } = await openPage();
    put(slack, []);
    await page.getByText('a message').waitFor();
    await slack.close();
    await page.getByRole('alert').getByText('Trying again').waitFor();
    const back = await localSlack({ port: Number(new URL(slack.url).port) });
    put(back, [{ type: 'header', text: { type: 'plain_text', text: 'said meanwhile' } }]);
    await page.getByRole('heading', { name: 'said meanwhile' }).waitFor();
    expect(await page.getByText('a message').count()).toBe(0);
    await page.getByText('Trying again').waitFor({ state: 'detached' });
  });
});

// https://github.com/slackapi/node-slack-sdk/issues/2701
browserTest('a plan is open until its message is edited', async () => {
  const { page, slack } = await openPage();
  const message = put(slack, blocks.newerMessage.slice(0, 1));
  await page.getByText('charge-cards').waitFor();
  slack.workspace.history.change(message, { blocks: blocks.newerMessage.slice(0, 1) });
  await page.getByText('(edited)').waitFor();
  await expect.poll(() => page.getByText('charge-cards').isVisible()).toBe(false);
  expect(await page.getByText('What execution 7f3a did').isVisible()).toBe(true);
});
