/** The app's Home in a real browser. */
import { describe, expect } from 'vitest';
import { personId } from '../../../src/local-slack/state/seed.ts';
import { browserTest } from '../../support/slack/browser.ts';
import { connectApp, type SocketEvent, webClient } from '../../support/slack/local-slack.ts';
import { plain } from '../../support/slack/modals.ts';
import { openPage } from '../../support/slack/page.ts';

const [ada, ben] = [personId('ada'), personId('ben')];
const button = { type: 'button' as const, action_id: 'go', text: plain('Set up') };
const home = (words: string) => ({
  type: 'home' as const,
  blocks: [
    { type: 'header' as const, text: plain(words) },
    { type: 'actions' as const, elements: [button] },
  ],
});

/** The page with an app that collects its events. */
async function opened(width = 1280) {
  const heard: SocketEvent['body'][] = [];
  const collect = ({ ack, body }: SocketEvent) => {
    heard.push(body);
    return ack();
  };
  const visited = await openPage({ on: { slack_event: collect }, width });
  const openApp = async () => {
    if (width < 700) await visited.page.getByRole('button', { name: 'Channels' }).click();
    await visited.page.getByRole('button', { name: 'Workflow Bot', exact: true }).click();
  };
  return { ...visited, heard, openApp, client: webClient(visited.slack) };
}

describe('the app in the sidebar', () => {
  browserTest.each([1280, 400])('opens on its Home tab, which the app then fills, at %i pixels', async (width) => {
    const { page, heard, openApp, client, complaints } = await opened(width);
    await openApp();
    await page.getByText('Workflow Bot has put nothing here yet.').waitFor();
    await expect.poll(() => heard).toMatchObject([{ event: { type: 'app_home_opened', user: ada, tab: 'home' } }]);
    await client.views.publish({ user_id: ada, view: home('Good morning, Ada') });
    await page.getByRole('heading', { name: 'Good morning, Ada' }).waitFor();
    await page.getByRole('button', { name: 'Set up' }).click();
    await expect.poll(() => heard[1]).toMatchObject({ type: 'block_actions', container: { type: 'view' } });
    expect(complaints).toEqual([]);
  });

  browserTest('opened while the app is not connected is filled after it connects', async () => {
    const { page, slack, complaints } = await openPage();
    await page.getByRole('button', { name: 'Workflow Bot', exact: true }).click();
    await page.getByText('is not connected').waitFor();
    await page.getByText('Workflow Bot has put nothing here yet.').waitFor();
    const fill = async ({ ack }: SocketEvent) => {
      await ack();
      await webClient(slack).views.publish({ user_id: ada, view: home('Good morning') });
    };
    await connectApp(slack, { slack_event: fill });
    await page.getByRole('heading', { name: 'Good morning' }).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('has the messages in a second tab, and marks unread ones', async () => {
    const { page, heard, openApp, client } = await opened();
    await openApp();
    await client.chat.postMessage({ channel: ada, text: 'A file for you' });
    await page.getByRole('button', { name: 'Messages unread messages' }).click();
    await page.getByText('A file for you').waitFor();
    expect(await page.locator('.unread').count()).toBe(0);
    await expect.poll(() => heard.at(-1)).toMatchObject({ event: { type: 'app_home_opened', tab: 'messages' } });
  });

  browserTest('opens on its messages for whoever has unread ones', async () => {
    const { page, openApp, client } = await opened();
    await client.chat.postMessage({ channel: ada, text: 'A file for you' });
    await page.getByRole('button', { name: 'Workflow Bot unread messages' }).click();
    await page.getByText('A file for you').waitFor();
    await page.getByRole('button', { name: 'general', exact: true }).click();
    await openApp();
    await page.getByText('Workflow Bot has put nothing here yet.').waitFor();
  });

  browserTest('shows each person their own', async () => {
    const { page, openApp, client } = await opened();
    await client.views.publish({ user_id: ada, view: home('For Ada') });
    await client.views.publish({ user_id: ben, view: home('For Ben') });
    await openApp();
    await page.getByRole('heading', { name: 'For Ada' }).waitFor();
    await page.getByRole('button', { name: /Acting as/ }).click();
    await page.getByRole('button', { name: /^Ben Carter/ }).click();
    await openApp();
    await page.getByRole('heading', { name: 'For Ben' }).waitFor();
    expect(await page.getByText('For Ada').count()).toBe(0);
  });
});
