/**
 * Prints how many files and functions of the bot one request enters: `status payments` cold and warm, and a digest from its due time
 * to its post. `--files` lists the files. Counted with V8's precise coverage, in src/bot and src/shared.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { planSampleDigest } from '../src/bin/playground/sample-digest.ts';
import { startServiceProcess } from '../src/bin/playground/service-process.ts';
import { startBot } from '../src/bot/compose.ts';
import { openStore } from '../src/bot/store/store.ts';
import type { Logger } from '../src/shared/log/logger.ts';
import { SlackDriver } from '../test/support/slack/driver.ts';

type Trip = { readonly name: string; readonly files: ReadonlySet<string>; readonly functions: number };

const host = '127.0.0.1';
const root = new URL('../', import.meta.url).href;
const counted = [`${root}src/bot/`, `${root}src/shared/`];
/** A digest is due at the next whole minute, and is built half a minute later. */
const digestTimeoutMs = 150_000;
/** Work that follows an answer, such as caching it, must not count for the next request. */
const settleMs = 1_000;

const log: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const folder = mkdtempSync(join(tmpdir(), 'workflow-bot-trips-'));
const databaseUrl = `sqlite:${join(folder, 'bot.db')}`;
const service = await startServiceProcess({ port: 0, databaseUrl: `sqlite:${join(folder, 'service.db')}`, log });
const options = { host, port: 0, slashCommand: '/workflow', commands: [], clock: Date.now, log } as const;
const slack = await SlackDriver.start(options);
const store = await openStore(databaseUrl);
const digest = await planSampleDigest(store, slack.workspace);
await store.close();

const coverage = new Session();
coverage.connect();
await coverage.post('Profiler.enable');
await coverage.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const bot = await startBot(
  {
    ...{ mode: 'socket', slackBotToken: slack.botToken, slackAppToken: slack.appToken, slackApiUrl: slack.apiUrl },
    ...{ slackCommand: '/workflow', logLevel: 'info', databaseUrl, keyring: undefined, proxy: {} },
    ...{ queryServiceUrl: service.url, queryServiceApiKey: service.apiKey, host, port: 0 },
  },
  log,
);
await slack.whenConnected();
await wait(settleMs);

const trips = [
  await measure('`status payments`, cold', () => status(slack)),
  await measure('`status payments`, warm', () => status(slack)),
  await measure('a digest, from due to posted', () => postOf(slack, digest?.channelId ?? '')),
];
for (const { name, files, functions } of trips) {
  console.log(`${name}: ${files.size} files, ${functions} functions`);
  if (process.argv.includes('--files')) for (const file of [...files].sort()) console.log(`  ${file}`);
}
await bot.stop();
await slack.close();
await service.stop();
rmSync(folder, { recursive: true, force: true });

async function measure(name: string, trip: () => Promise<unknown>): Promise<Trip> {
  await coverage.post('Profiler.takePreciseCoverage');
  await trip();
  await wait(settleMs);
  const { result } = await coverage.post('Profiler.takePreciseCoverage');
  const files = new Set<string>();
  let functions = 0;
  for (const script of result.filter(({ url }) => counted.some((folderUrl) => url.startsWith(folderUrl)))) {
    // The first function of a script is the script itself.
    const entered = script.functions.filter(
      ({ ranges, functionName }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    );
    if (entered.length > 0) files.add(script.url.slice(root.length));
    functions += entered.length;
  }
  return { name, files, functions };
}

async function status({ workspace, command, nextMessage }: SlackDriver): Promise<void> {
  const [person] = workspace.people;
  const [channel] = workspace.channels;
  const user = person?.id ?? '';
  const answered = nextMessage({});
  await command({ user, channel: channel?.id ?? '', text: '/workflow status payments' });
  await answered;
}

async function postOf({ workspace, messages }: SlackDriver, channel: string): Promise<void> {
  const until = performance.now() + digestTimeoutMs;
  const viewer = workspace.people[0]?.id ?? '';
  while (performance.now() < until) {
    if (messages({ channel, viewer }).some(({ user }) => user === workspace.botUserId)) return;
    await wait(settleMs);
  }
  throw new Error('The digest did not come.');
}
