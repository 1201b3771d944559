/** A second workspace in a real browser: install, refused keys, connect, ask, uninstall. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Playground } from '../support/programs/playground.ts';
import { visit } from '../support/slack/browser.ts';

/** The keys that the program prints. */
async function open({ program, url }: Playground) {
  const keyAfter = (words: string) => new RegExp(`${words}.*?(wfq_\\S+)`).exec(program.output())?.[1] ?? '';
  const keys = { good: keyAfter('Blackwood'), expired: keyAfter('expired'), restricted: keyAfter('restricted') };
  const [first, second] = [await visit({ url }), await visit({ url })];
  return { keys, first: first.page, page: second.page, complaints: [first.complaints, second.complaints] };
}

const menu = (page: Page) => page.getByRole('button', { name: /^Local Slack/ }).first();
const sidebar = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();

/** Adds a workspace through the bot's installation page, and opens it. */
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
  await composer.press('Enter');
  const answer = page.getByRole('article').last();
  await answer.getByText(words).first().waitFor();
  return answer.innerText();
}

/** Opens the form from the bot's Home, which names it as the next step. */
async function openForm(page: Page): Promise<Locator> {
  await sidebar(page, /^Workflow Bot/).click();
  await page.getByRole('button', { name: 'Home', exact: true }).click();
  const home = page.getByRole('region', { name: 'Home' });
  await home.getByText(/not connected to an organization/).waitFor();
  await home.getByText(/press Connect and enter an API key/).waitFor();
  await home.getByRole('button', { name: 'Connect', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input:focus').waitFor();
  return dialog;
}

async function offer(dialog: Locator, key: string): Promise<void> {
  await dialog.getByRole('textbox', { name: 'API key' }).fill(key);
  await dialog.getByRole('button', { name: 'Connect' }).click();
}

/** @returns the error beside the wrong input, which has the focus. A busy machine may need more than Slack's three seconds: then it is offered again. */
async function refusal(dialog: Locator, key: string): Promise<string> {
  const alert = dialog.getByRole('alert');
  expect(await alert.count()).toBe(0);
  await offer(dialog, key);
  while ((await alert.innerText()).includes('operation_timeout')) await offer(dialog, key);
  const said = await alert.innerText();
  await dialog.getByRole('textbox', { name: 'API key' }).fill('');
  return said;
}

/** Waits until the modal is closed: earlier typing would be lost. */
async function leave(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The last query service does not answer. */
async function choose(dialog: Locator, which: 'first' | 'last'): Promise<void> {
  const select = dialog.getByRole('combobox', { name: 'Query service' });
  const value = await select.getByRole('option')[which]().getAttribute('value');
  await select.selectOption(value);
}

async function disconnect(page: Page): Promise<void> {
  await sidebar(page, /^general/).click();
  await page.getByRole('textbox', { name: /^Message #general/ }).fill('/workflow disconnect');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('What happens when this workspace is disconnected from Blackwood Capital').waitFor();
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await dialog.getByText(/no longer connected/).waitFor();
  await leave(dialog);
}

/** Leaves the menu open. */
async function remove(page: Page): Promise<void> {
  await menu(page).click();
  await page.getByRole('button', { name: 'Remove Workflow Bot…' }).click();
  await page.getByRole('button', { name: 'Really remove it? From Local Slack 2' }).click();
  await page.getByText('Workflow Bot is not installed').waitFor();
}

/** Each key is refused for its reason, the second workspace asks with its own, and the first one is left alone. */
export async function expectSecondWorkspace(playground: Playground): Promise<void> {
  const { first, page, keys, complaints } = await open(playground);
  await install(page);
  const dialog = await openForm(page);
  const unsaid = /did not say why: it may be unknown, expired or revoked, or its organization may be restr/;
  // A person may ask ten times within ten seconds.
  for (const key of [keys.expired, keys.restricted]) expect(await refusal(dialog, key)).toMatch(unsaid);
  expect(await refusal(dialog, keys.good.slice(0, -1))).toContain('it looks incomplete');
  await choose(dialog, 'last');
  expect(await refusal(dialog, keys.good)).toMatch(/cannot be reached.*Nothing was stored/);
  await choose(dialog, 'first');
  await offer(dialog, keys.good);
  await dialog.getByText('Connected to Blackwood Capital').waitFor();
  await leave(dialog);
  await page.getByText(/of Blackwood Capital/).waitFor();
  await sidebar(page, /general/).click();
  expect(await type(page, '/workflow status payments', 'Last deployment')).toContain('BLACKWOOD-PRIVATE');
  expect(await type(first, '/workflow status payments', 'Last deployment')).not.toContain('BLACKWOOD');
  await disconnect(page);
  await type(page, '/workflow status payments', /not connected to an organization/);
  await remove(page);
  await type(first, '/workflow list', 'carbon-credits');
  expect(complaints).toEqual([[], []]);
}
