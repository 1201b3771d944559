/** A real browser for the page's tests, without requests to other servers: Chromium's headless shell, which needs half the processor time of the whole browser. */
import { existsSync } from 'node:fs';
import { env } from 'node:process';
import { type Browser, type ConsoleMessage, chromium, type Page, type Request } from 'playwright-core';
import { it, onTestFinished } from 'vitest';

/** Shorter than a test's timeout, so that a failure names the missing element. */
const waitMs = 200_000;
const executablePath = '/usr/bin/chromium-headless-shell';
const quiet = [
  'no-sandbox',
  'disable-gpu',
  'in-process-gpu',
  'disable-quic',
  'no-first-run',
  'disable-background-networking',
];
/** Otherwise each opened page starts a process of its own and decodes the page's fonts again, which is a quarter of the processor time. */
const perPage = ['renderer-process-limit=1', 'disable-site-isolation-trials', 'disable-remote-fonts'];
const flags = [...quiet, ...perPage, 'disable-component-update', 'disable-sync'].map((name) => `--${name}`);

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
};

export type Visited = {
  readonly page: Page;
  /** Problems of the page: errors, refused requests, requests to other servers. Expected to be empty. */
  readonly complaints: readonly string[];
};

/** One browser for all files of a worker: it ends with the process. */
let browser: Promise<Browser> | undefined;

/** Pages in no use, by their time: a new one is a process of its own, which takes as long as the test. What a page keeps belongs to the address of its server. */
const free = new Map<number | undefined, Page[]>();

/** Opens a page until the test ends. */
export async function visit({ url, width = 1280, height = 800, now }: Visit): Promise<Visited> {
  const page = free.get(now)?.pop() ?? (await newPage(now));
  const { complaints, stop } = watch(page, url);
  onTestFinished(async () => {
    stop();
    if (page.isClosed()) return;
    await page.context().setOffline(false);
    await page.goto('about:blank');
    free.set(now, [...(free.get(now) ?? []), page]);
  });
  await page.setViewportSize({ width, height });
  await page.goto(url);
  await page
    .locator('[role=log][aria-busy=false]')
    .waitFor()
    .catch((error: unknown) => {
      throw new Error(`The page did not come up. ${complaints.join(' ')}`, { cause: error });
    });
  return { page, complaints };
}

async function newPage(now: number | undefined): Promise<Page> {
  browser ??= chromium.launch({ executablePath, args: flags });
  const page = await (await browser).newPage();
  page.setDefaultTimeout(waitMs);
  if (now !== undefined) await page.clock.setFixedTime(now);
  return page;
}

function watch(page: Page, url: string): { readonly complaints: readonly string[]; readonly stop: () => void } {
  const complaints: string[] = [];
  const { origin } = new URL(url);
  const onError = ({ message }: Error) => void complaints.push(message);
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  };
  const onRequest = (request: Request) => {
    const isOwn = new URL(request.url()).origin === origin || request.url().startsWith('data:');
    if (!isOwn) complaints.push(`asked ${request.url()}`);
  };
  page.on('pageerror', onError).on('console', onConsole).on('request', onRequest);
  const stop = () => void page.off('pageerror', onError).off('console', onConsole).off('request', onRequest);
  return { complaints, stop };
}
