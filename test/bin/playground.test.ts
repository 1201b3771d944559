/** The playground in a real browser: a person types at the page that `npm start` opens, and reads the answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { startPlayground } from '../support/programs/playground.ts';
import { browserTest, visit } from '../support/slack/browser.ts';

/** @returns the newest message, which comes after the action */
async function newMessage(page: Page, action: () => Promise<void>) {
  const newest = () => page.evaluate('[...document.querySelectorAll("article")].at(-1)?.dataset.ts');
  const before = await newest();
  await action();
  await expect.poll(newest).not.toBe(before);
  return page.getByRole('article').last();
}

/** Types a line and waits for an answer with this text. */
async function type(page: Page, line: string, words: string | RegExp) {
  const composer = page.getByRole('textbox', { name: /^Message #general/ });
  const answer = await newMessage(page, async () => {
    await composer.fill(line);
    await composer.press('Enter');
  });
  await answer.getByText(words).first().waitFor();
  return answer;
}

async function widthOf(page: Page) {
  return page.evaluate('document.documentElement.scrollWidth');
}

async function askReadAndShare(page: Page, name: string, width: number): Promise<void> {
  const status = await type(page, '/workflow status payments', /is failing/);
  expect(await status.innerText()).toMatch(/Only visible to you.*settlementCurrency.*Last deployment.*As of/s);
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
  const shared = await newMessage(page, () => card.getByRole('button', { name: 'Share in channel' }).click());
  await shared.getByText(/Shared by/).waitFor();
  await shared.getByText(`@${name}`).waitFor();
  expect(await shared.innerText()).not.toContain('Only visible to you');
  // Last, because a refresh replaces its buttons.
  await refresh(shared);

  expect(await widthOf(page)).toBeLessThanOrEqual(width);
}

/** A person may ask ten times in ten seconds: two rounds are of two people. */
async function actAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Acting as/ }).click();
  await page.getByRole('button', { name }).click();
}

async function refresh(shared: Locator): Promise<void> {
  await shared.getByRole('button', { name: /^Refresh/ }).click();
  await shared
    .getByText(/\bas of /i)
    .first()
    .waitFor();
}

/** Reads the thread of an investigation. */
async function readCause(page: Page, width: number): Promise<void> {
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
}

browserTest(
  'a person asks, reads, refreshes and shares, and after a restart messages are there and their buttons work',
  async () => {
    const earlier = await startPlayground();
    const first = await visit({ url: earlier.url, width: 1280 });
    await askReadAndShare(first.page, 'Ada Okafor', 1280);
    expect(first.complaints).toEqual([]);
    earlier.program.child.kill('SIGTERM');
    await earlier.program.ended;

    const { program, url, servicePort } = await startPlayground(earlier);
    const { page, complaints } = await visit({ url, width: 400 });
    await refresh(page.getByRole('article').filter({ hasText: 'Shared by' }).last());
    const own = page.getByRole('article').filter({ hasText: 'payments is failing' }).last();
    // A red line leads to its cause in a thread.
    await own.getByRole('button', { name: /^Investigate \(posts here\)/ }).click();
    await readCause(page, 400);
    const wide = await visit({ url, width: 1280 });
    await readCause(wide.page, 1280);
    const other = await visit({ url, width: 1280 });
    await actAs(other.page, 'Ben Carter');
    await other.page.setViewportSize({ width: 400, height: 800 });
    await askReadAndShare(other.page, 'Ben Carter', 400);
    expect([complaints, wide.complaints, other.complaints]).toEqual([[], [], []]);

    // The query service ends with the playground, however it ends.
    program.child.kill('SIGKILL');
    const server = createServer();
    await vi.waitFor(() => listen(server, servicePort), { timeout: 60_000 });
    server.close();
  },
);

/** @throws Error while the port is taken */
async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}
