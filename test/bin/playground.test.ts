/** The playground in a real browser: a person types at the page that `npm start` opens, and reads the answers. */
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { startPlayground } from '../support/programs/playground.ts';
import { browserTest, visit } from '../support/slack/browser.ts';

async function open(width: number) {
  const { url } = await startPlayground();
  return visit({ url, width });
}

/** Types a line and waits for an answer with this text. */
async function type(page: Page, line: string, words: string | RegExp) {
  const composer = page.getByRole('textbox', { name: /^Message #general/ });
  await composer.fill(line);
  await composer.press('Escape');
  await composer.press('Enter');
  const answer = page.getByRole('article').last();
  await answer.getByText(words).first().waitFor();
  return answer;
}

async function widthOf(page: Page) {
  return page.evaluate('document.documentElement.scrollWidth');
}

describe.each([1280, 400])('at %i pixels', (width) => {
  browserTest('a person asks, reads, refreshes and shares', async () => {
    const { page, complaints } = await open(width);

    const status = await type(page, '/workflow status payments', /is failing/);
    expect(await status.innerText()).toMatch(/Only visible to you.*settlementCurrency.*Last deployment.*as of/s);
    await type(page, '/workflow status paymnts', /closest match/);
    await type(page, '/workflow status pay', /may be one of/);
    await type(page, '/workflow list', /carbon-credits/);
    const help = await type(page, '/workflow', /shows the status of a workflow/);
    await help.getByRole('button', { name: 'Status of…' }).click();
    await page.keyboard.type('eu');
    await page.locator('.popup').getByRole('button', { name: 'payments-eu' }).click();
    // The menu shows the name too.
    await page.getByRole('article').last().getByText('Success rate').waitFor();
    await type(page, '/workflow explode', /There is no command or workflow/);

    const card = await type(page, '/workflow status settlement', /settlement/);
    await card.getByRole('button', { name: 'Share in channel' }).click();
    const shared = page.getByRole('article').filter({ hasText: 'Shared by' });
    await shared.getByText('@Ada Okafor').waitFor();
    expect(await shared.innerText()).not.toContain('Only visible to you');
    // Last, because a refresh replaces its buttons.
    await shared.getByRole('button', { name: /^Refresh/ }).click();
    await shared
      .getByText(/\bas of /i)
      .first()
      .waitFor();

    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
  });

  browserTest('a red line leads to its cause in a thread', async () => {
    const { page, complaints } = await open(width);
    const card = await type(page, '/workflow status payments', /is failing/);
    await card.getByRole('button', { name: /^Investigate \(posts here\)/ }).click();
    await page.getByRole('button', { name: /\d replies/ }).click();
    const thread = page
      .getByRole('complementary')
      .or(page.getByRole('dialog'))
      .filter({ hasText: 'Compared with the last good run' });
    await thread.getByText(/What to try/).waitFor();
    expect(await thread.innerText()).toMatch(
      /workflow’s fault.*of 9 nodes.*Capability timeline.*Logs.*all 9 nodes logged the same lines/s,
    );
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
  });
});

browserTest('after a restart, earlier messages are there and their buttons work', async () => {
  const earlier = await startPlayground();
  const { page } = await visit({ url: earlier.url, width: 1280 });
  const card = await type(page, '/workflow status settlement', /settlement/);
  await card.getByRole('button', { name: 'Share in channel' }).click();
  await page.getByRole('article').filter({ hasText: 'Shared by' }).waitFor();
  await type(page, '/workflow status payments', /is failing/);
  await page.close();
  earlier.program.child.kill('SIGTERM');
  await earlier.program.ended;

  const { url } = await startPlayground(earlier);
  const later = (await visit({ url, width: 1280 })).page;
  const shared = later.getByRole('article').filter({ hasText: 'Shared by' });
  await shared.getByRole('button', { name: /^Refresh/ }).click();
  await shared
    .getByText(/\bas of /i)
    .first()
    .waitFor();
  const own = later.getByRole('article').filter({ hasText: 'is failing' });
  await own.getByRole('button', { name: /^Investigate \(posts here\)/ }).click();
  await later.getByRole('button', { name: /\d replies/ }).waitFor();
});
