/** A second workspace in a real browser: from the empty one to the answer of another organization, and out again. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, useBrowser } from '../support/browser.ts';
import { freePorts } from '../support/ports.ts';
import { startProgram } from '../support/program.ts';

const visit = useBrowser();

async function open() {
  const [page, service] = await freePorts(2);
  const environment = { PLAYGROUND_PORT: String(page), SERVICE_PORT: String(service) };
  const program = startProgram({ entry: 'src/bin/start.ts', environment });
  await program.said(/Ctrl-C stops everything\.\n$/);
  const [key = ''] = /wfq_\S+/.exec(program.output()) ?? [];
  return { key, ...(await visit({ url: `http://127.0.0.1:${page}` })) };
}

const menu = (page: Page) => page.getByRole('button', { name: /^Local Slack/ }).first();

/** Adds a workspace and goes there, at the page of the bot's that its menu leads to. */
async function install(page: Page): Promise<void> {
  await menu(page).click();
  await page.getByRole('button', { name: 'Add a workspace' }).click();
  await page.getByRole('button', { name: /^Local Slack 2/ }).click();
  await menu(page).click();
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: /Install/ }).click();
  const bots = await opened;
  await bots.getByRole('link', { name: 'Add to Slack' }).click();
  await bots.getByRole('button', { name: 'Allow' }).click();
  await bots.getByRole('heading', { name: 'Workflow Bot is in Local Slack 2' }).waitFor();
  await bots.close();
  await page.keyboard.press('Escape');
}

async function type(page: Page, line: string, words: string | RegExp): Promise<string> {
  const composer = page.getByRole('textbox', { name: /^Message #general/ });
  await composer.fill(line);
  await composer.press('Escape');
  await composer.press('Enter');
  const answer = page.getByRole('article').last();
  await answer.getByText(words).first().waitFor();
  return answer.innerText();
}

/** At the Home of the bot, which says that this is the next step. */
async function connect(page: Page, key: string): Promise<void> {
  await page
    .getByRole('button', { name: /^Workflow Bot/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').last().fill(key);
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await dialog.getByText('Blackwood Capital').first().waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('button', { name: /general/ })
    .first()
    .click();
}

/** Leaves the menu open. */
async function remove(page: Page): Promise<void> {
  await menu(page).click();
  await page.getByRole('button', { name: 'Remove Workflow Bot…' }).click();
  await page.getByRole('button', { name: /^Remove it from/ }).click();
  await page.getByText('Workflow Bot is not installed').waitFor();
}

browserTest(
  'is installed, connected with a key of its own, asked, and left',
  async () => {
    const { page, key, complaints } = await open();
    await install(page);
    await type(page, '/workflow list', /not connected to a query service yet/);
    await connect(page, key);
    const theirs = await type(page, '/workflow list', 'vault-audit');
    expect(theirs).not.toContain('carbon-credits');
    await remove(page);
    await page.getByRole('button', { name: /^Local Slack With/ }).click();
    const ours = await type(page, '/workflow list', 'carbon-credits');
    expect(ours).not.toContain('vault-audit');
    expect(complaints).toEqual([]);
  },
  60_000,
);
