/** The pictures of docs/gallery.md: every story of the sample organization, as a person reads it on a phone. `npm run gallery`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { argv, execPath, exit } from 'node:process';
import { chromium, type Locator, type Page } from 'playwright-core';

/** A phone's width. Tall enough that a whole thread is in the picture. */
const phone = { width: 400, height: 6_000 };
const [pagePort, servicePort] = [3_900, 4_900];
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** A failing story ends in a thread; one that has not failed, in its status card. */
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

let threadCount = 0;
const into = resolve(argv[2] ?? 'docs/gallery');
const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
const program = spawn(execPath, ['--disable-warning=ExperimentalWarning', resolve('src/bin/start.ts')], {
  cwd: folder,
  env: { PLAYGROUND_PORT: String(pagePort), SERVICE_PORT: String(servicePort) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
try {
  for await (const chunk of program.stdout) if (String(chunk).includes('Ctrl-C')) break;
  for (const story of stories) await shoot(story);
} finally {
  await browser.close();
  program.kill();
  rmSync(folder, { recursive: true, force: true });
}
exit(0);

async function shoot(story: Story): Promise<void> {
  const page = await browser.newPage({ viewport: phone });
  await page.goto(`http://127.0.0.1:${pagePort}`);
  await page.locator('[role=log][aria-busy=false]').waitFor();
  const threads = page.getByRole('button', { name: /\d repl/ });
  const composer = page.getByRole('textbox', { name: /^Message #general/ });
  await composer.fill(`/workflow ${story.isCard ? 'status' : 'execution'} ${story.workflow}`);
  await composer.press('Escape');
  await composer.press('Enter');
  const answer = page.getByRole('article').last();
  if (story.isCard) {
    await answer.getByText(story.workflow).first().waitFor();
    await answer.getByText(/live|cached/).waitFor();
    await shootAll(page, answer, story.slug);
  } else {
    await threads.nth(threadCount).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('Against the last good run').waitFor();
    await thread.getByRole('link', { name: 'Download timeline' }).waitFor();
    await shootAll(page, thread.getByRole('article'), story.slug);
    threadCount += 1;
  }
  await page.close();
}

/** From the first to the last, as they stand below each other. */
async function shootAll(page: Page, articles: Locator, slug: string): Promise<void> {
  const [first, last] = [await articles.first().boundingBox(), await articles.last().boundingBox()];
  if (!first || !last) throw new Error(`Nothing to see of ${slug}.`);
  const path = join(into, `${slug}.jpg`);
  await page.screenshot({
    path,
    quality: 60,
    clip: { x: 0, y: first.y, width: phone.width, height: last.y + last.height - first.y },
  });
}
