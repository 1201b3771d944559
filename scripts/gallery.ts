/** Takes the pictures of docs/gallery.md (`npm run gallery`): setup and every story of the sample, at the width of a phone. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execPath, exit } from 'node:process';
import { parseArgs } from 'node:util';
import { chromium, type Locator, type Page } from 'playwright-core';
import { clockEnvironment, galleryStart, replaceClock } from './gallery-clock.ts';

/** A phone's width, and tall enough for a whole thread. */
const phone = { width: 400, height: 6_000 };
const [pagePort, servicePort] = [3_900, 4_900];
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** A failing workflow is shown as a thread, another one as its status card. */
const stories = [
  { slug: 'payments', workflow: 'payments' },
  { slug: 'payments-eu', workflow: 'payments-eu' },
  { slug: 'payments-staging', workflow: 'payments-staging', isCard: true },
  { slug: 'collateral-rebalance', workflow: 'collateral-rebalance' },
  { slug: 'xau-usd-price-feed', workflow: 'xau-usd-price-feed' },
  { slug: 'fx-rates', workflow: 'fx-rates' },
  { slug: 'settlement', workflow: 'settlement' },
  { slug: 'eth-usd-price-feed', workflow: 'eth-usd-price-feed' },
  { slug: 'proof-of-reserves', workflow: 'proof-of-reserves' },
  { slug: 'risk-model', workflow: 'risk-model' },
  { slug: 'carbon-credits', workflow: 'carbon-credits', isCard: true },
  { slug: 'daily-nav-report', workflow: 'daily-nav-report', isCard: true },
  { slug: 'hostile-name', workflow: '<!channel>' },
  { slug: 'another-alphabet', workflow: 'курсы' },
  { slug: 'loyalty-points', workflow: 'loyalty-points', isCard: true },
  { slug: 'invoice-sync', workflow: 'invoice-sync', isCard: true },
  { slug: 'legacy-payouts', workflow: 'legacy-payouts', isCard: true },
] as const;

type Story = { readonly slug: string; readonly workflow: string; readonly isCard?: boolean };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.info('npm run gallery -- [folder]\nTakes the pictures of docs/gallery.md into the folder (docs/gallery).');
  exit(0);
}

let threadCount = 0;
const into = resolve(positionals[0] ?? 'docs/gallery');
const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
const clock = { from: Date.now(), start: galleryStart };
const program = spawn(execPath, ['--disable-warning=ExperimentalWarning', resolve('src/bin/start.ts')], {
  cwd: folder,
  env: {
    ...{ PLAYGROUND_PORT: String(pagePort), SERVICE_PORT: String(servicePort) },
    // Inherited by the query service's process.
    ...clockEnvironment(clock),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: flags });
try {
  let said = '';
  for await (const chunk of program.stdout) {
    said += String(chunk);
    if (said.includes('Ctrl-C')) break;
  }
  await shootDigest();
  for (const story of stories) await shoot(story);
  await shootSetup(/wfq_\S+/.exec(said)?.[0] ?? '');
} finally {
  await browser.close();
  program.kill();
  rmSync(folder, { recursive: true, force: true });
}
exit(0);

async function open(viewport: typeof phone): Promise<Page> {
  const page = await browser.newPage({ viewport });
  await page.addInitScript(replaceClock, clock);
  await page.goto(`http://127.0.0.1:${pagePort}`);
  await page.locator('[role=log][aria-busy=false]').waitFor();
  return page;
}

async function shoot(story: Story): Promise<void> {
  const page = await open(phone);
  const threads = page.getByRole('button', { name: /\d repl/ });
  const composer = page.getByRole('textbox', { name: /^Message #general/ });
  await composer.fill(`/workflow ${story.isCard ? 'status' : 'execution'} ${story.workflow}`);
  await composer.press('Escape');
  await composer.press('Enter');
  const answer = page.getByRole('article').last();
  if (story.isCard) {
    await answer.getByText(story.workflow).first().waitFor();
    await answer.getByText(/\bas of /).waitFor();
    await shootAll(page, answer, story.slug);
  } else {
    await threads.nth(threadCount).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('Compared with the last good run').waitFor();
    await thread.getByRole('link', { name: 'Download timeline' }).waitFor();
    await shootAll(page, thread.getByRole('article'), story.slug);
    threadCount += 1;
  }
  await page.close();
}

/** A digest and its thread. */
async function shootDigest(): Promise<void> {
  const page = await open(phone);
  await page.getByRole('button', { name: /^Channels/ }).click();
  await page.getByRole('button', { name: /^ops-alerts/ }).click();
  await typeInAlerts(page, '/workflow digest now');
  const replies = page.getByRole('button', { name: /8 replies/ });
  await replies.waitFor({ timeout: 60_000 });
  const root = page.getByRole('article').filter({ has: replies });
  await shootAll(page, root, 'digest');
  await replies.click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  const causes = thread.getByRole('article').filter({ has: page.getByRole('button', { name: /^Investigate/ }) });
  await shootBetween(page, [causes.first(), causes.nth(4)], 'digest-thread');
  await thread.getByRole('button', { name: 'Close' }).click();
  await shootPreview(page);
  await typeInAlerts(page, '/workflow deliveries');
  const ledger = page.getByRole('article').filter({ hasText: 'newest first' });
  await ledger.getByText('posted with 2 replies').waitFor();
  await shootAll(page, ledger, 'deliveries');
  await page.close();
}

/** The preview of a digest, and its first message. */
async function shootPreview(page: Page): Promise<void> {
  await typeInAlerts(page, '/workflow digest');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Name contains…').click();
  await dialog.getByRole('textbox', { name: /^Name contains/ }).fill('payments');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('Next three posts').waitFor({ timeout: 60_000 });
  await page.setViewportSize({ ...phone, height: 900 });
  await shootPage(page, dialog, 'digest-preview');
  await page.setViewportSize(phone);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page
    .getByRole('article')
    .filter({ hasText: 'Digest set up' })
    .getByRole('button', { name: 'Post now' })
    .click();
  await page.getByRole('button', { name: /2 replies/ }).waitFor({ timeout: 60_000 });
}

async function typeInAlerts(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: /^Message #ops-alerts/ });
  await composer.fill(text);
  await composer.press('Escape');
  await composer.press('Enter');
}

/** One picture of consecutive messages, from the first to the last. */
async function shootAll(page: Page, articles: Locator, slug: string): Promise<void> {
  await shootBetween(page, [articles.first(), articles.last()], slug);
}

async function shootBetween(page: Page, ends: readonly [Locator, Locator], slug: string): Promise<void> {
  const [first, last] = [await ends[0].boundingBox(), await ends[1].boundingBox()];
  if (!first || !last) throw new Error(`Nothing to see of ${slug}.`);
  const path = join(into, `${slug}.jpg`);
  await page.screenshot({
    path,
    quality: 60,
    clip: { x: 0, y: first.y, width: phone.width, height: last.y + last.height - first.y },
  });
}

/** The Home, and a second workspace that connects: first with a refused key, then with its own. */
async function shootSetup(key: string): Promise<void> {
  const page = await open({ ...phone, height: 1_400 });
  await openHome(page);
  await page.getByText('What to type').waitFor();
  await shootPage(page, page.locator('.home-blocks'), 'home');
  await page.setViewportSize({ ...phone, height: 560 });
  await installElsewhere(page);
  await openHome(page);
  await page.getByRole('region').getByRole('button', { name: 'Connect', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const offer = async (offered: string) => {
    await dialog.getByRole('textbox', { name: 'API key' }).fill(offered);
    await dialog.getByRole('button', { name: 'Connect' }).click();
  };
  await offer('not-a-key');
  await dialog.getByRole('alert').waitFor();
  await shootPage(page, dialog, 'connect-refused');
  await offer(key);
  await dialog.getByText('Connected to').waitFor();
  await shootPage(page, dialog, 'connected');
  await page.close();
}

async function openHome(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Channels/ }).click();
  await page.getByRole('button', { name: /^Workflow Bot/ }).click();
  await page.getByRole('button', { name: 'Home', exact: true }).click();
}

async function installElsewhere(page: Page): Promise<void> {
  const openMenu = async () => {
    await page.getByRole('button', { name: /^Channels/ }).click();
    await page
      .locator('.sidebar')
      .getByRole('button', { name: /^Local Slack/ })
      .first()
      .click();
  };
  await openMenu();
  await page.getByRole('button', { name: 'Add a workspace' }).click();
  await page.getByRole('button', { name: /^Local Slack 2/ }).click();
  await openMenu();
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: /Install/ }).click();
  const bots = await opened;
  await bots.getByRole('link', { name: 'Add to Slack' }).click();
  await bots.getByRole('button', { name: 'Allow' }).click();
  await bots.getByRole('heading', { name: /is in Local Slack 2/ }).waitFor();
  await bots.close();
  await page.reload();
  await page.locator('[role=log][aria-busy=false]').waitFor();
}

/** From the top of the page to the bottom of an element. */
async function shootPage(page: Page, part: Locator, slug: string): Promise<void> {
  const box = await part.boundingBox();
  if (!box) throw new Error(`Nothing to see of ${slug}.`);
  const clip = { x: 0, y: 0, width: phone.width, height: box.y + box.height };
  await page.screenshot({ path: join(into, `${slug}.jpg`), quality: 60, clip });
}
