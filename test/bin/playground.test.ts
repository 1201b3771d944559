/** The playground, as `npm start` starts it in an empty folder: what it prints, and its page in a real browser, where people type and read the answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { usePlayground } from '../support/programs/playground.ts';
import { expectNoDebugger, modesIn, openToOthers } from '../support/programs/privacy.ts';
import { browserTest, visit } from '../support/slack/browser.ts';
import { pageEvents } from '../support/slack/page-reading.ts';
import { expectSecondWorkspace } from './second-workspace.ts';

const playground = usePlayground();

/** @returns the newest message, which comes after the action */
async function newMessage(page: Page, action: () => Promise<void>) {
  const newest = () => page.evaluate('[...document.querySelectorAll("article")].at(-1)?.dataset.ts');
  const before = await newest();
  await action();
  await expect.poll(newest).not.toBe(before);
  return page.locator(`article[data-ts="${await newest()}"]`);
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

/** A person may ask ten times in ten seconds: the longest round is of somebody who asks nothing else. */
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
    .filter({ hasText: 'Compared with the good run' });
  await thread.getByText(/What to try/).waitFor();
  // Also what is out of sight.
  expect(await thread.textContent()).toMatch(
    /workflow’s fault.*of 9 nodes.*Capability timeline.*Logs.*all 9 nodes logged the same lines/s,
  );
  expect(await widthOf(page)).toBeLessThanOrEqual(width);
}

it('prints only its welcome, answers, and has private files and no debugger', async () => {
  const { program, url } = await playground();
  const next = await pageEvents(url);
  expect(await next()).toMatchObject({ state: { app: { isConnected: true } } });
  await expectNoDebugger([program]);
  const modes = modesIn(program.folder);
  expect(Object.keys(modes)).toEqual(expect.arrayContaining(['data/encryption.keys', 'data/playground.log']));
  expect(openToOthers(modes)).toEqual([]);
  expectWelcome(program.output(), url);
});

browserTest(
  'a second workspace installs, reads why each key is refused, connects with its own key, asks, and uninstalls',
  async () => expectSecondWorkspace(await playground()),
);

browserTest('a person asks, reads, refreshes and shares in a narrow window', async () => {
  const { page, complaints } = await visit({ url: (await playground()).url });
  await actAs(page, 'Ben Carter');
  await page.setViewportSize({ width: 400, height: 800 });
  await askReadAndShare(page, 'Ben Carter', 400);
  expect(complaints).toEqual([]);
});

browserTest('Ctrl-C stops it in order, and after a restart messages are there and their buttons work', async () => {
  const { program, url, servicePort } = await playground();
  const earlier = await visit({ url });
  const card = await type(earlier.page, '/workflow status payments', /is failing/);
  await newMessage(earlier.page, () => card.getByRole('button', { name: 'Share in channel' }).click());
  expect(earlier.complaints).toEqual([]);
  await earlier.page.close();
  program.child.kill('SIGINT');
  expect(await program.ended).toBe(0);
  await expect(fetch(`http://127.0.0.1:${servicePort}/graphql`)).rejects.toThrow();
  expectWelcome(program.output(), url);

  const again = (await playground()).url;
  const narrow = await visit({ url: again, width: 400 });
  await refresh(narrow.page.getByRole('article').filter({ hasText: 'Shared by @Ada Okafor' }).last());
  const own = narrow.page
    .getByRole('article')
    .filter({ hasText: /Only visible to you.*payments is failing/s })
    .last();
  // A red line leads to its cause in a thread.
  await own.getByRole('button', { name: /^Investigate \(posts here\)/ }).click();
  await readCause(narrow.page, 400);
  const wide = await visit({ url: again, width: 1280 });
  await readCause(wide.page, 1280);
  expect([narrow.complaints, wide.complaints]).toEqual([[], []]);
});

it('its query service ends with it, also where it is killed', async () => {
  const { program, servicePort } = await playground();
  program.child.kill('SIGKILL');
  const server = createServer();
  await vi.waitFor(() => listen(server, servicePort), { timeout: 60_000 });
  server.close();
});

function expectWelcome(output: string, url: string): void {
  const lines = output.trim().split('\n');
  expect(lines[0]).toBe('workflow-bot is running in a local Slack, with a sample organization behind it.');
  expect(lines).toContain(`  Open          ${url}`);
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}\S.* {2}wfq_\S+$/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^A digest comes in #ops-alerts at \d\d:\d\d \(Europe\/Berlin\), within two minutes/),
  );
  expect(lines).toHaveLength(19);
}

/** @throws Error while the port is taken */
async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}
