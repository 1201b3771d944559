/** The page in a real browser: every block of a message, and hostile blocks. */

import type { KnownBlock } from '@slack/types';
import { describe, expect } from 'vitest';
import { validateBlocks } from '../../../src/shared/block-kit/validate.ts';
import { browserTest } from '../../support/slack/browser.ts';
import { slackNow } from '../../support/slack/local-slack.ts';
import { openPage, put, said } from '../../support/slack/page.ts';
import * as blocks from '../../support/slack/page-blocks.ts';

const everything = [
  blocks.textMessage({ nowMs: slackNow }),
  blocks.richMessage({ nowMs: slackNow }),
  blocks.controlsMessage,
  blocks.tableMessage,
  blocks.newerMessage,
  blocks.hostileMessage,
];

describe('every block', () => {
  browserTest.each([1280, 400])('of a chart has a name and the numbers of each series, at %i pixels', async (width) => {
    const { page, slack, complaints } = await openPage({ width });
    expect(validateBlocks(blocks.chartMessage, 'message')).toEqual([]);
    put(slack, blocks.chartMessage as readonly unknown[] as readonly KnownBlock[]);
    await page.getByText('Runs per day, bar').waitFor();
    const rows = await page.getByRole('row').allInnerTexts();
    expect(rows.map((row) => row.split(/\s*\t\s*/).slice(-2))).toEqual([
      ['Sat 21', 'Sun 22'],
      ['960', '655'],
      ['1', '-1,200'],
    ]);
    const isTooWide = await page.locator('figure').evaluate((one) => one.scrollWidth > one.clientWidth + 1);
    expect([isTooWide, complaints]).toEqual([false, []]);
  });

  browserTest('a malformed block, or one of an unknown type, does not affect the others', async () => {
    const { page, slack } = await openPage();
    const sent: unknown = JSON.parse('[{"type":"section","text":7},{"type":"table"},{"type":"hologram"}]');
    put(slack, [...(sent as KnownBlock[]), { type: 'header', text: { type: 'plain_text', text: 'still here' } }]);
    await page.getByRole('heading', { name: 'still here' }).waitFor();
    const shown = await said(page.getByRole('article'));
    expect(shown.match(/A block of type (section|table|hologram) could not be drawn/g)).toHaveLength(3);
  });

  browserTest.each([1280, 400])('is drawn within %i pixels, without a request to another server', async (width) => {
    const { page, slack, complaints } = await openPage({ width });
    for (const message of everything) put(slack, message);
    await page.getByText('A block of type video').waitFor();
    await page.getByRole('button', { name: 'Evil' }).waitFor();
    const tooWide = await page.evaluate(() =>
      [...document.querySelectorAll('html, .message-list, .message-body, .message-body > *')]
        .filter((node) => node.scrollWidth > node.clientWidth + 1 && !node.matches('.table-scroll'))
        .map((node) => node.className),
    );
    expect(tooWide).toEqual([]);
    expect(complaints).toEqual([]);
  });

  browserTest(
    'is text, whatever it holds: no script, no foreign picture, no link that a browser would run',
    async () => {
      const { page, slack, complaints } = await openPage();
      for (const message of everything) put(slack, message);
      await page.getByRole('button', { name: 'Evil' }).waitFor();
      const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      expect(links.filter((link) => !/^(https?|mailto):/.test(link))).toEqual([]);
      expect(await page.locator('a:not([rel~=noopener])').count()).toBe(0);
      expect(await page.locator('.message-list script, .message-list iframe').count()).toBe(0);
      expect(await page.locator('img').count()).toBe(0);
      expect(await said(page.getByRole('article').last())).toContain('<script>alert(1)</script>');
      expect(complaints).toEqual([]);
    },
  );

  browserTest('is the same for a screen reader: names for buttons and states for tasks', async () => {
    const { page, slack } = await openPage();
    for (const message of everything) put(slack, message);
    await page.getByRole('button', { name: 'Evil' }).waitFor();
    for (const name of ['complete', 'error', 'in progress', 'pending']) {
      expect(await page.getByRole('img', { name }).count()).toBeGreaterThan(0);
    }
    expect(
      await page
        .getByRole('button')
        .evaluateAll((all) => all.filter((one) => !one.ariaLabel && !one.textContent?.trim())),
    ).toEqual([]);
    expect(await page.getByRole('columnheader', { name: 'Workflow' }).count()).toBe(1);
    expect(await page.getByRole('img', { name: 'warning' }).count()).toBe(1);
  });
});
