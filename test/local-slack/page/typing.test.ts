/** The page in a real browser: what a person types and presses. */
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { browserTest } from '../../support/slack/browser.ts';
import type { SocketEvent } from '../../support/slack/local-slack.ts';
import { openPage, put, said } from '../../support/slack/page.ts';
import * as blocks from '../../support/slack/page-blocks.ts';

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message #general' });
const answer = async ({ ack, body }: SocketEvent) => ack({ text: `You typed ${String(body['text'])}` });

describe('the composer', () => {
  browserTest('sends a command by Enter, and shows the answer to this person alone', async () => {
    const { page, complaints } = await openPage({ on: { slash_commands: answer } });
    await composer(page).pressSequentially('/workflow status payments');
    await page.keyboard.press('Enter');
    const message = page.getByRole('article').last();
    await message.getByText('You typed status payments').waitFor();
    expect(await said(message)).toMatch(/Only visible to you\s+Workflow Bot\s+APP\s+10:30 AM/);
    expect(await composer(page).inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });

  browserTest('breaks the line with Shift and Enter', async () => {
    const { page, slack } = await openPage();
    await composer(page).pressSequentially('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two <b> & *bold*');
    const posted = slack.nextMessage({ channel: channelId('general') });
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await posted).toMatchObject({ text: 'one\ntwo &lt;b&gt; &amp; *bold*' });
    expect(await said(page.getByRole('article').last())).toContain('one\ntwo <b> & bold');
  });
});

describe('buttons and menus', () => {
  browserTest('a pressed button shows a spinner until the app has answered', async () => {
    const { promise, resolve } = Promise.withResolvers<SocketEvent>();
    const { page, slack } = await openPage({ on: { interactive: (event) => resolve(event) } });
    put(slack, blocks.controlsMessage);
    const button = page.getByRole('button', { name: 'Refresh' });
    await button.click();
    const { ack, body } = await promise;
    expect(body).toMatchObject({
      user: { id: personId('ada') },
      actions: [{ action_id: 'refresh', value: 'refresh' }],
    });
    expect(await button.getAttribute('aria-busy')).toBe('true');
    expect(await button.locator('.button-label').evaluate((node) => getComputedStyle(node).opacity)).toBe('0');
    expect(await button.evaluate((node) => getComputedStyle(node, '::after').animationName)).toBe('turn');
    await ack();
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('false');
  });

  browserTest('a button stays where it is while its message is replaced', async () => {
    const { page, slack } = await openPage();
    const message = put(slack, blocks.controlsMessage);
    const button = await page.getByRole('button', { name: 'Investigate' }).elementHandle();
    const renewed = blocks.controlsMessage.map((block, at) => ({ ...block, block_id: `renewed-${at}` }));
    slack.workspace.history.change(message, { blocks: renewed });
    await page.getByText('(edited)').waitFor();
    expect(await button?.evaluate((node) => node.isConnected)).toBe(true);
  });

  browserTest('a select is chosen from with the keyboard alone', async () => {
    const { promise, resolve } = Promise.withResolvers<SocketEvent>();
    const { page, slack } = await openPage({ on: { interactive: (event) => resolve(event) } });
    put(slack, blocks.controlsMessage);
    const select = page.getByRole('combobox', { name: 'Show the status of…' });
    await select.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('workflow-2');
    await page.keyboard.press('Enter');
    const { ack, body } = await promise;
    await ack();
    expect(body).toMatchObject({ actions: [{ selected_option: { value: 'status 2' } }] });
    expect(await select.evaluate((node) => node.matches(':focus'))).toBe(true);
  });
});
