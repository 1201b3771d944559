/** The page in a real browser: the files of a message. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { channelId } from '../../../../src/local-slack/state/seed.ts';
import { browserTest } from '../../../support/slack/browser.ts';
import type { SlackDriver } from '../../../support/slack/driver.ts';
import { webClient } from '../../../support/slack/local-slack.ts';
import { openPage, said } from '../../../support/slack/page.ts';
import { tinyPicture } from '../../../support/slack/page-blocks.ts';

const picture = Buffer.from(tinyPicture.replace(/^.*,/, ''), 'base64');

async function share(slack: SlackDriver, filename: string, content: Buffer, altText = ''): Promise<void> {
  const client = webClient(slack);
  const parameters = { filename, length: content.byteLength, alt_txt: altText };
  const { upload_url = '', file_id = '' } = await client.files.getUploadURLExternal(parameters);
  await fetch(upload_url, { method: 'POST', body: new Uint8Array(content) });
  const files: [{ id: string; title: string }] = [{ id: file_id, title: `Title of ${filename}` }];
  await client.files.completeUploadExternal({ files, channel_id: channelId('general') });
}

const log = (lines: number) => Buffer.from(Array.from({ length: lines }, (_, at) => `line ${at + 1}`).join('\n'));
const snippet = (page: Page, name: string) => page.getByRole('group', { name: `File ${name}` });

describe('the page', () => {
  browserTest('draws a picture with its words, and loads it from nowhere else', async () => {
    const { page, slack, complaints } = await openPage();
    await share(slack, 'timeline.png', picture, '5 steps in 4 s');
    const image = page.getByRole('img', { name: '5 steps in 4 s' });
    // The element is there before its picture.
    const width = () => image.evaluate((node) => ('naturalWidth' in node ? node.naturalWidth : 0));
    await expect.poll(width).toBe(2);
    expect(complaints).toEqual([]);
  });

  browserTest('shows the first lines of a text, which scroll, and the number of the rest', async () => {
    const { page, slack, complaints } = await openPage({ width: 400 });
    await share(slack, 'logs.txt', log(1204));
    const file = snippet(page, 'logs.txt');
    await file.waitFor();
    expect(await said(file)).toMatch(/Title of logs\.txt\s+line 1\nline 2/);
    expect(await file.locator('pre').evaluate((lines) => lines.clientHeight)).toBeLessThan(200);
    expect(await said(file)).toMatch(/line 100\s+Download/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    expect(complaints).toEqual([]);
  });

  browserTest('downloads the whole file, byte for byte', async () => {
    const { page, slack } = await openPage();
    const content = log(1204);
    await share(slack, 'logs.txt', content);
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download logs.txt' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('logs.txt');
    expect(await readFile(await download.path())).toEqual(content);
  });

  browserTest('shows a text and runs nothing of it', async () => {
    const { page, slack, complaints } = await openPage();
    await share(slack, 'page.html', Buffer.from('<img src=x onerror=document.title="owned"><b>bold</b>'));
    await snippet(page, 'page.html').getByText('<b>bold</b>').waitFor();
    expect(await page.title()).not.toContain('owned');
    expect(complaints).toEqual([]);
  });

  browserTest('names a file of another kind', async () => {
    const { page, slack } = await openPage();
    await share(slack, 'a.bin', Buffer.from([0, 1, 255]));
    await snippet(page, 'a.bin').waitFor();
    expect(await said(snippet(page, 'a.bin'))).toMatch(/Title of a\.bin\s+Download/);
  });
});
