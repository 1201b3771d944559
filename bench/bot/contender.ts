/** A bot in its own process, with the local Slack or a load generator: started, measured and stopped. */
import { memoryFlags } from '../../test/support/programs/node-flags.ts';
import { SlackDriver } from '../../test/support/slack/driver.ts';
import { startChild } from '../support/child.ts';
import type { Load, LoadOrder, LoadPattern, LoadSaid, LoadSettings, Order, Said, Settings, Usage } from './protocol.ts';

type Contender = {
  /** Resources used since the last call. */
  readonly usage: () => Promise<Usage>;
  readonly startProfile: () => Promise<void>;
  /** @returns milliseconds of processor time by component */
  readonly endProfile: () => Promise<Readonly<Record<string, number>>>;
  readonly stop: () => Promise<void>;
};

/** In a local Slack of its own. */
export type LocalContender = Contender & { readonly slack: SlackDriver };

/** With a load generator of its own, which takes one pattern at a time. */
export type LoadedContender = Contender & { readonly load: (pattern: LoadPattern) => Promise<Load> };

/** Ignores every line. */
export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function startSlack(): Promise<SlackDriver> {
  return SlackDriver.start({
    host: '127.0.0.1',
    port: 0,
    slashCommand: '/workflow',
    commands: [],
    clock: Date.now,
    log: silent,
  });
}

const signingSecret = 'a-signing-secret-of-the-bench';

type ContenderOptions = Omit<Settings, 'slackApiUrl' | 'botToken' | 'appToken' | 'signingSecret'>;

/** @param entry a file in this folder @returns the contender, once it is connected */
export async function startContender(entry: URL, options: ContenderOptions): Promise<LocalContender> {
  const slack = await startSlack();
  const { apiUrl: slackApiUrl, botToken, appToken } = slack;
  const { contender } = await start(entry, { ...options, slackApiUrl, botToken, appToken, signingSecret });
  const stop = async () => {
    await contender.stop();
    await slack.close();
  };
  return { ...contender, slack, stop };
}

/** @returns the contender, once it is connected to its generator */
export async function startLoaded(entry: URL, options: ContenderOptions): Promise<LoadedContender> {
  const settings: LoadSettings = { signingSecret };
  const generator = startChild<LoadOrder, LoadSaid>(new URL('load/process.ts', import.meta.url), settings);
  const { slackApiUrl } = await generator.heard('listening');
  const tokens = { botToken: 'xoxb-of-the-bench', appToken: 'xapp-of-the-bench' };
  const { contender, origin } = await start(entry, { ...options, ...tokens, slackApiUrl, signingSecret });
  if (origin !== null) generator.tell({ kind: 'target', origin });
  return {
    ...contender,
    load: async (pattern) => {
      generator.tell({ kind: 'load', pattern });
      return (await generator.heard('load')).load;
    },
    stop: async () => {
      await generator.stop();
      await contender.stop();
    },
  };
}

/** @returns also its HTTP address, if it listens */
async function start(entry: URL, settings: Settings): Promise<{ contender: Contender; origin: string | null }> {
  const child = startChild<Order, Said>(entry, settings, memoryFlags);
  const { origin } = await child.heard('ready');
  const contender: Contender = {
    usage: async () => {
      child.tell('usage');
      return (await child.heard('usage')).usage;
    },
    startProfile: async () => {
      child.tell('start profile');
      await child.heard('profiling');
    },
    endProfile: async () => {
      child.tell('end profile');
      return (await child.heard('profile')).parts;
    },
    stop: child.stop,
  };
  return { contender, origin };
}
