/** The page in a real browser: a menu that the app fills while one types. */
import type { KnownBlock } from '@slack/types';
import { describe, expect } from 'vitest';
import { browserTest } from '../../support/slack/browser.ts';
import type { SocketEvent } from '../../support/slack/local-slack.ts';
import { openPage, put, said } from '../../support/slack/page.ts';

const text = (words: string) => ({ type: 'plain_text' as const, text: words });
const option = (value: string) => ({ text: text(value), value });
const menu = (min: number): readonly KnownBlock[] => [
  {
    type: 'actions',
    block_id: 'row',
    elements: [
      { type: 'external_select', action_id: 'name', placeholder: text('Choose a workflow'), min_query_length: min },
    ],
  },
];

/** Answers with the typed text; `slow` waits for the next request. */
function echoing() {
  const searches: string[] = [];
  const chosen: unknown[] = [];
  const slow: (() => void)[] = [];
  const interactive = async ({ ack, body }: SocketEvent) => {
    if (body['type'] !== 'block_suggestion') {
      chosen.push(body['actions']);
      return ack();
    }
    const value = String(body['value']);
    searches.push(value);
    for (const go of slow.splice(0)) go();
    if (value === 'slow') await new Promise<void>((go) => slow.push(go));
    return ack({ options: [option(`${value} one`), option(`${value} two`)] });
  };
  return { interactive, searches, chosen };
}

describe('the page', () => {
  browserTest(
    'requests options at once for an empty search, again after a pause in typing, and sends the choice',
    async () => {
      const { interactive, searches, chosen } = echoing();
      const { page, slack, complaints } = await openPage({ on: { interactive }, width: 400 });
      put(slack, menu(0));
      await page.getByRole('button', { name: 'Choose a workflow' }).click();
      await page.getByRole('button', { name: 'one' }).waitFor();
      // In one turn of the page, which no load can stretch into a pause.
      await page.locator('.popup:popover-open input').evaluate((input: HTMLInputElement) => {
        for (const typed of ['p', 'pa', 'pay']) {
          input.value = typed;
          input.dispatchEvent(new Event('input', { bubbles: true }));
        }
      });
      await page.getByRole('button', { name: 'pay two' }).waitFor();
      expect(searches).toEqual(['', 'pay']);
      expect(await said(page.locator('.popup:popover-open'))).toMatch(/pay one\s+pay two/);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'pay two' }).waitFor();
      await expect.poll(() => chosen).toMatchObject([[{ action_id: 'name', selected_option: option('pay two') }]]);
      expect(complaints).toEqual([]);
    },
  );

  browserTest('shows how much to type, and only the reply to the latest text', async () => {
    const { interactive, searches } = echoing();
    const { page, slack } = await openPage({ on: { interactive } });
    put(slack, menu(3));
    await page.getByRole('button', { name: 'Choose a workflow' }).click();
    const popup = page.locator('.popup:popover-open');
    await popup.getByText('Type 3 characters or more to search').waitFor();
    const search = popup.getByRole('textbox');
    await search.fill('slow');
    await expect.poll(() => searches).toEqual(['slow']);
    await popup.getByText('Loading…').waitFor();
    await search.fill('fast');
    await page.getByRole('button', { name: 'fast one' }).waitFor();
    expect(await page.getByRole('button', { name: 'slow one' }).count()).toBe(0);
    expect(searches).toEqual(['slow', 'fast']);
  });

  browserTest('shows an error instead of the choices', async () => {
    const interactive = ({ ack }: SocketEvent) => ack({ options: [{ text: text('x'.repeat(76)), value: 'x' }] });
    const { page, slack } = await openPage({ on: { interactive } });
    put(slack, menu(0));
    await page.getByRole('button', { name: 'Choose a workflow' }).click();
    await page
      .locator('.popup:popover-open')
      .getByText('options that Slack does not take. (invalid_options) /options/0/text')
      .waitFor();
  });
});
