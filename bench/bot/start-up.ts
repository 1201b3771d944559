/** How long a program takes from its start to being of use, as somebody who runs npm start would time it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { startSlack } from './contender.ts';
import type { Settings } from './protocol.ts';

const root = new URL('../../', import.meta.url).pathname;

type Start = {
  /** Its script and arguments. */
  readonly args: readonly string[];
  /** Its own, where its databases go. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Settles when it is of use. */
  readonly isUp: (child: ChildProcess) => Promise<unknown>;
};

/** @returns milliseconds; the program is gone by then */
async function timeStart({ args, folder, environment = {}, isUp }: Start): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', `${root}src/bin/node-version.mjs`, '--disable-warning=ExperimentalWarning', ...args],
    { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'inherit'], timeout: 30_000 },
  );
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

/** Our bot alone, to its connection. */
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

/** A bare Bolt app, to its connection. */
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

/** Local Slack, query service and bot, to the welcome; the sample is built where the folder holds none. */
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
  return { ...slack, [Symbol.asyncDispose]: slack.close };
}
