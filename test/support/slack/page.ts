/** The page open in a browser, on a real local Slack, with an app on the real SDK behind it when a test wants one. */
import type { KnownBlock } from '@slack/types';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import { channelId } from '../../../src/local-slack/state/seed.ts';
import { type Visited, visit } from './browser.ts';
import type { SlackDriver } from './driver.ts';
import { connectApp, localSlack, type SocketListener, slackNow } from './local-slack.ts';

const commands = [
  { name: 'status', examples: ['status payments'] },
  { name: 'list', examples: ['list'] },
];

type Opened = Visited & { readonly slack: SlackDriver };
type Opening = {
  /** The app's listeners; no app is connected if absent. */
  readonly on?: Readonly<Record<string, SocketListener>>;
  readonly width?: number;
};

/** Opens the page as Ada in #general. */
export async function openPage({ on, width = 1280 }: Opening = {}): Promise<Opened> {
  // These tests are about the page: on a busy machine an acknowledgement may take longer than Slack's three seconds.
  const slack = await localSlack({ commands, ackTimeoutMs: 60_000 });
  if (on) await connectApp(slack, on);
  return { slack, ...(await visit({ url: slack.url, now: slackNow, width })) };
}

/** Adds a message that the API would refuse or rewrite. @param viewer the only person who sees it */
export function put(
  slack: SlackDriver,
  blocks: readonly KnownBlock[],
  viewer: string | null = null,
  channel = channelId('general'),
): SlackMessage {
  const draft = { channel, threadTs: null, user: slack.workspace.botUserId, text: 'a message', viewer };
  return slack.workspace.history.post({ ...draft, blocks });
}

/** The visible text, as soon as there is some: the browser draws a new message one frame after the page has it. */
export async function said(part: Locator): Promise<string> {
  const text = async () => (await part.allInnerTexts()).join('\n');
  await expect.poll(text).not.toBe('');
  return text();
}
