/** The page in a real browser: calling the bot where slash commands do not reach. */
import { describe, expect } from 'vitest';
import { channelId } from '../../../src/local-slack/state/seed.ts';
import { browserTest } from '../../support/slack/browser.ts';
import type { SocketEvent } from '../../support/slack/local-slack.ts';
import { openPage, put } from '../../support/slack/page.ts';

describe('the composer', () => {
  browserTest('mentions the bot inside a thread, where no slash command works', async () => {
    const heard: unknown[] = [];
    const hear = async ({ ack, body }: SocketEvent) => {
      heard.push(body['event']);
      await ack();
    };
    const { page, slack } = await openPage({ on: { slack_event: hear } });
    const { ts } = put(slack, []);
    await page.getByRole('article').hover();
    await page.getByRole('button', { name: 'Reply in thread' }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByRole('textbox').fill('@Workflow Bot status payments');
    await page.keyboard.press('Enter');
    await thread.getByText('status payments').waitFor();
    const text = `<@${slack.workspace.botUserId}> status payments`;
    await expect.poll(() => heard).toMatchObject([{ type: 'app_mention', thread_ts: ts, text }]);
  });
});

describe('an archived channel', () => {
  browserTest('is read, and not written in', async () => {
    const { page, slack, complaints } = await openPage({ width: 400 });
    await page.getByRole('button', { name: 'Channels', exact: true }).click();
    await page.getByRole('button', { name: 'payments', exact: true }).click();
    slack.changeChannel(channelId('payments'), { isArchived: true });
    await page.getByText('#payments is archived').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    slack.changeChannel(channelId('payments'), { isArchived: false });
    await page.getByRole('textbox').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the menu of a message', () => {
  browserTest('hands the message to the app', async () => {
    const picked: unknown[] = [];
    const take = async ({ ack, body }: SocketEvent) => {
      picked.push(body);
      await ack();
    };
    const { page, slack, complaints } = await openPage({ on: { interactive: take }, width: 400 });
    const { ts } = put(slack, []);
    await page.getByRole('article').hover();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Explain this failure' }).click();
    await expect.poll(() => picked).toMatchObject([{ type: 'message_action', message_ts: ts }]);
    expect(complaints).toEqual([]);
  });

  browserTest('deletes it for its author and for admins', async () => {
    const { page, slack } = await openPage();
    put(slack, []);
    await page.getByRole('article').hover();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Delete message' }).click();
    await page.getByRole('article').waitFor({ state: 'detached' });
    expect(slack.workspace.history.list(channelId('general'))).toEqual([]);
  });

  browserTest('reports that the app is not connected, and is missing on ephemeral messages', async () => {
    const { page, slack } = await openPage();
    put(slack, [], slack.workspace.people[0]?.id ?? '');
    put(slack, []);
    await page.getByRole('article').nth(1).hover();
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(1);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Explain this failure' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Workflow Bot is not connected. (dispatch_failed)').waitFor();
  });
});
