/** Installing and removing the app in a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, onTestFinished } from 'vitest';
import { personId } from '../../../src/local-slack/state/seed.ts';
import { browserTest } from '../../support/slack/browser.ts';
import type { SocketEvent } from '../../support/slack/local-slack.ts';
import { openPage, put } from '../../support/slack/page.ts';

/** The app's redirect URL: a page that shows its address. */
async function redirectTarget(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<h1>Back at the app</h1>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/slack/oauth_redirect`;
}

/** The page, a second workspace without the app, and the question that the app asks. */
async function opened(width = 1280) {
  const visited = await openPage({ width });
  const { slack } = visited;
  const bare = slack.addWorkspace(null);
  const redirect_uri = await redirectTarget();
  slack.configureOAuth({ redirectUrls: [redirect_uri], installUrl: `${slack.url}/install` });
  const parameters = { client_id: slack.clientId, scope: 'commands chat:write', redirect_uri, state: '<s"1>' };
  return { ...visited, bare, question: `${slack.url}/oauth/v2/authorize?${new URLSearchParams(parameters)}` };
}

describe('the page that asks for permission', () => {
  browserTest.each([1280, 400])(
    'lists the permissions, and sends the browser back with a code, at %i pixels',
    async (width) => {
      const { page, bare, question, complaints } = await opened(width);
      await page.goto(question);
      await page
        .getByRole('heading', { name: 'Workflow Bot asks for permission to work in a Slack workspace' })
        .waitFor();
      await page.getByText('Send messages as the app chat:write').waitFor();
      const who = page.getByLabel('Workspace, and whom you act as');
      expect(await who.inputValue()).toBe(personId('ada', 2));
      await who.selectOption('Local Slack 2: Ben Carter');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'Back at the app' }).waitFor();
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('state'), searchParams.get('code')]).toEqual(['<s"1>', expect.stringMatching(/^\d/)]);
      expect(bare.installation.isInstalled()).toBe(false);
      expect(complaints.filter((complaint) => !complaint.startsWith('asked'))).toEqual([]);
    },
  );

  browserTest('redirects without a code, whatever else the address has', async () => {
    const { page, question } = await opened();
    await page.goto(`${question}&answer=allow&user=${personId('ada')}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Back at the app' }).waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });
});

describe('the workspace switcher', () => {
  browserTest('leads to the app’s own page where it is not installed, and shows it once it is', async () => {
    const { page, slack, bare } = await opened();
    await page.getByRole('button', { name: /^Local Slack/ }).click();
    await page.getByRole('button', { name: /^Local Slack 2/ }).click();
    await page.getByRole('button', { name: /^Local Slack 2/ }).click();
    const link = page.getByRole('link', { name: 'Install Workflow Bot' });
    expect(await link.getAttribute('href')).toBe(`${slack.url}/install`);
    slack.install(bare.teamId);
    await page.getByRole('button', { name: 'Workflow Bot', exact: true }).waitFor();
  });

  browserTest('removes the app after a confirmation, and the app gets the events', async () => {
    const heard: unknown[] = [];
    const collect = ({ ack, body }: SocketEvent) => {
      heard.push(body['event']);
      return ack();
    };
    const { page, slack } = await openPage({ on: { slack_event: collect } });
    put(slack, []);
    await page.getByRole('button', { name: /^Local Slack/ }).click();
    await page.getByRole('button', { name: 'Remove Workflow Bot…' }).click();
    expect(slack.workspace.installation.isInstalled()).toBe(true);
    await page.getByRole('button', { name: 'Really remove it? From Local Slack' }).click();
    await page.getByText('Workflow Bot is not installed').waitFor();
    expect(await page.getByRole('article', { name: /^Workflow Bot,/ }).count()).toBe(1);
    await expect.poll(() => heard).toMatchObject([{ type: 'tokens_revoked' }, { type: 'app_uninstalled' }]);
  });
});
