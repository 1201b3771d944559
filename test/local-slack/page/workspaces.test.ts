/** Several workspaces in a real browser: going from one to the other. */
import { describe, expect } from 'vitest';
import { slackId } from '../../../src/local-slack/state/ids.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { browserTest } from '../../support/slack/browser.ts';
import type { SocketEvent } from '../../support/slack/local-slack.ts';
import { openPage } from '../../support/slack/page.ts';

describe('the workspace switcher', () => {
  browserTest('opens another workspace as one of its members', async () => {
    const heard: SocketEvent['body'][] = [];
    const collect = ({ ack, body }: SocketEvent) => {
      heard.push(body);
      return ack({ text: 'There you are.' });
    };
    const { page, slack, complaints } = await openPage({ on: { slack_event: collect } });
    const { teamId } = slack.addWorkspace();
    slack.say({ user: personId('ben', 2), channel: channelId('general', 2), text: 'hello from here' });
    await page.getByRole('button', { name: /^Local Slack/ }).click();
    await page.getByRole('button', { name: 'Local Slack 2 With Workflow Bot' }).click();
    await page.getByText('hello from here').waitFor();
    await page.getByRole('textbox').fill('/workflow list ');
    await page.keyboard.press('Enter');
    await page.getByText('There you are.').waitFor();
    expect(heard).toMatchObject([
      { team_id: teamId, user_id: personId('ada', 2), channel_id: channelId('general', 2) },
    ]);
    expect(complaints).toEqual([]);
  });

  browserTest('adds one without the app', async () => {
    const { page } = await openPage({ on: {} });
    await page.getByRole('button', { name: /^Local Slack/ }).click();
    await page.getByRole('button', { name: 'Add a workspace' }).click();
    await page.getByRole('button', { name: 'Local Slack 2 Without Workflow Bot' }).click();
    await page.getByText('Workflow Bot is not installed').waitFor();
    expect(await page.getByRole('button', { name: 'Workflow Bot', exact: true }).count()).toBe(0);
  });

  browserTest('adds an organization, whose workspaces get the app that it has, and lose it again', async () => {
    const events: unknown[] = [];
    const { page, slack, complaints } = await openPage({
      on: {
        slack_event: ({ ack, body }: SocketEvent) => {
          events.push(body['event']);
          return ack();
        },
      },
    });
    const without = page.getByRole('button', { name: 'Local Slack 3 Without Workflow Bot' });
    await page.getByRole('button', { name: /^Local Slack/ }).click();
    await page.getByRole('button', { name: /Add an organization/ }).click();
    await without.click();
    slack.installOrganization(slackId('E', 2, 'local'));
    await page.getByRole('button', { name: /^Local Slack 3/ }).click();
    await page.getByRole('button', { name: /Add Workflow Bot here/ }).click();
    await page.getByRole('button', { name: 'Local Slack 3 With Workflow Bot' }).waitFor();
    await page.getByRole('button', { name: /Remove Workflow Bot/ }).click();
    await page.getByRole('button', { name: /Really remove it/ }).click();
    await without.waitFor();
    const [third = ''] = slack
      .workspaces()
      .slice(2)
      .map(({ teamId }) => teamId);
    expect(events).toEqual([
      { type: 'team_access_granted', team_ids: [third] },
      { type: 'team_access_revoked', team_ids: [third] },
    ]);
    expect(complaints).toEqual([]);
  });

  browserTest('lets a person of another company act, who sees only the shared channel', async () => {
    const { page, complaints } = await openPage();
    await page.getByRole('textbox').fill('/invite rob@partner.example ');
    await page.keyboard.press('Enter');
    await page.getByText('Shared with another company').waitFor();
    await page.getByRole('button', { name: /Acting as/ }).click();
    await page.getByRole('button', { name: /Rob \(partner.example\) Another company/ }).click();
    const channels = page.getByRole('navigation', { name: 'Channels and direct messages' }).getByRole('button');
    await expect.poll(() => channels.allInnerTexts()).toHaveLength(1);
    await page.getByRole('textbox').fill('hello from outside');
    await page.keyboard.press('Enter');
    await page.getByRole('article').filter({ hasText: 'hello from outside' }).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('stays where one was when the page is loaded again', async () => {
    const { page, slack } = await openPage();
    const second = slack.addWorkspace();
    await page.getByRole('button', { name: /^Local Slack/ }).click();
    await page.getByRole('button', { name: /^Local Slack 2/ }).click();
    await expect.poll(() => page.url()).toContain(`team=${second.teamId}`);
    await page.reload();
    await page.getByRole('button', { name: /^Local Slack 2/ }).waitFor();
  });

  browserTest('is not needed for a message of another workspace: its address is enough', async () => {
    const { page, slack } = await openPage();
    slack.addWorkspace();
    const message = slack.say({ user: personId('ben', 2), channel: channelId('general', 2), text: 'far away' });
    await page.goto(`${slack.url}/archives/${channelId('general', 2)}/p${message?.ts.replace('.', '')}`);
    await page.getByText('far away').waitFor();
  });
});
