/** Time from the start of a program until it is usable. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programFlags } from '../../test/support/programs/node-flags.ts';
import { startSlack } from './contender.ts';
import type { Settings } from './protocol.ts';

const root = new URL('../../', import.meta.url).pathname;

type Start = {
  /** Script and arguments. */
  readonly args: readonly string[];
  /** Folder of its databases. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Resolves when it is usable. */
  readonly isUp: (child: ChildProcess) => Promise<unknown>;
};

/** @returns milliseconds; the program has ended by then */
async function timeStart({ args, folder, environment = {}, isUp }: Start): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...programFlags, ...args], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  });
  const exited = once(child, 'exit');
  const tooSoon = exited.then(() => {
    throw new Error('A program ended before it was up.');
  });
  await Promise.race([isUp(child), tooSoon]);
  const afterMs = performance.now() - startedAt;
  tooSoon.catch(() => undefined);
  child.kill('SIGTERM');
  await exited;
  return afterMs;
}

type BotStart = Pick<Settings, 'serviceUrl' | 'apiKey'> & { readonly folder: string };

/** Our bot, until it is connected. */
export async function timeBotStart({ serviceUrl, apiKey, folder }: BotStart): Promise<number> {
  await using slack = await disposableSlack();
  return await timeStart({
    args: [`${root}src/bin/start.ts`],
    folder,
    environment: {
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      QUERY_SERVICE_URL: serviceUrl,
      QUERY_SERVICE_API_KEY: apiKey,
    },
    isUp: () => slack.whenConnected(),
  });
}

/** A bare Bolt app, until it is connected. */
export async function timeBoltStart({ serviceUrl, apiKey, folder }: BotStart): Promise<number> {
  await using slack = await disposableSlack();
  const { apiUrl: slackApiUrl, botToken, appToken } = slack;
  const settings = { slackApiUrl, botToken, appToken, transport: 'socket', serviceUrl, apiKey, answer: {} };
  return await timeStart({
    args: [`${root}bench/bot/bare-bolt.ts`, JSON.stringify(settings)],
    folder,
    isUp: () => slack.whenConnected(),
  });
}

/** Local Slack, query service and bot, until the welcome message; builds the sample if the folder has none. */
export async function timePlaygroundStart(folder: string): Promise<number> {
  return await timeStart({
    args: [`${root}src/bin/start.ts`],
    folder,
    environment: { PLAYGROUND_PORT: '0', SERVICE_PORT: '0' },
    isUp: async (child) => {
      let said = '';
      for await (const chunk of child.stdout ?? []) {
        said += String(chunk);
        if (said.includes('Ctrl-C stops everything')) return;
      }
    },
  });
}

async function disposableSlack() {
  const slack = await startSlack();
  return Object.assign(slack, { [Symbol.asyncDispose]: slack.close });
}
