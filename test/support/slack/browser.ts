/** A real browser for the page's tests, without requests to other servers: Chromium's headless shell, which needs half the processor time of the whole browser. */
import { existsSync } from 'node:fs';
import { env } from 'node:process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { it, onTestFinished } from 'vitest';

/** Shorter than a test's timeout, so that a failure names the missing element. */
const waitMs = 200_000;
const executablePath = '/usr/bin/chromium-headless-shell';
const quiet = ['no-sandbox', 'disable-gpu', 'disable-quic', 'no-first-run', 'disable-background-networking'];
const flags = [...quiet, 'disable-component-update', 'disable-sync'].map((name) => `--${name}`);

/** `it`, skipped by name without it; in CI its absence is a failure. */
export const browserTest = existsSync(executablePath) || isCi() ? it : it.skip;

function isCi(): boolean {
  // biome-ignore lint/style/noProcessEnv: not a setting of the product, but where its tests run
  return env['CI'] === 'true';
}

type Visit = {
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
  /** The page's time in epoch milliseconds; the machine's clock if absent. */
  readonly now?: number;
  readonly context?: BrowserContextOptions;
};

export type Visited = {
  readonly page: Page;
  /** Problems of the page: errors, refused requests, requests to other servers. Expected to be empty. */
  readonly complaints: readonly string[];
};

/** One browser for all files of a worker: it ends with the process. */
let browser: Promise<Browser> | undefined;

/** Opens a page that is closed when the test ends. */
export async function visit({ url, width = 1280, height = 800, now, context }: Visit): Promise<Visited> {
  browser ??= chromium.launch({ executablePath, args: flags });
  const page = await (await browser).newPage({ viewport: { width, height }, ...context });
  onTestFinished(() => page.close());
  page.setDefaultTimeout(waitMs);
  const complaints = watch(page, url);
  if (now !== undefined) await page.clock.setFixedTime(now);
  await page.goto(url);
  await page
    .locator('[role=log][aria-busy=false]')
    .waitFor()
    .catch((error: unknown) => {
      throw new Error(`The page did not come up. ${complaints.join(' ')}`, { cause: error });
    });
  return { page, complaints };
}

function watch(page: Page, url: string): readonly string[] {
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    const isOwn = new URL(request.url()).origin === origin || request.url().startsWith('data:');
    if (!isOwn) complaints.push(`asked ${request.url()}`);
  });
  return complaints;
}
