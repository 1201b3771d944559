/** Everything that the bot sends to Slack or asks Slack: clients, posting, members and the tokens that they use. */
import type { Dispatcher } from 'undici';
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { ChannelCalls } from '../../commands/framework/command.ts';
import type { Person } from '../../domain/person.ts';
import type { Runtime } from '../../domain/runtime.ts';
import { createPostOnce } from '../../outbox/message-poster.ts';
import type { Wait } from '../../outbox/timing.ts';
import type { Message } from '../../views/blocks/message.ts';
import { type Access, createTokenAccess } from '../installation/access.ts';
import { createInstallation } from '../installation/installation.ts';
import type { InstallSettings } from '../installation/services.ts';
import type { Workspaces } from '../installation/workspaces.ts';
import { Delivery } from './delivery/delivery.ts';
import { createOutboxPosting } from './delivery/outbox-posting.ts';
import { Posting } from './delivery/posting.ts';
import type { AudienceOf, Conversation, SharingBlock } from './web-api/audience.ts';
import { createSlackClients, type SlackClientDeps } from './web-api/client.ts';
import { ConnectCheck } from './web-api/connect-check.ts';
import { createHistoryReader } from './web-api/history-reader.ts';
import { createMembers } from './web-api/members.ts';
import { createSendBytes, createSlackAgent, createSlackFetch } from './web-api/slack-fetch.ts';

export type OutboundSlackDeps = {
  /** The token of one workspace, or the settings of an app that people install themselves. */
  readonly access:
    | { readonly kind: 'token'; readonly botToken: string }
    | ({ readonly kind: 'installed' } & InstallSettings);
  /** Slack's Web API, with a trailing slash. */
  readonly slackApiUrl: string;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly runtime: Runtime;
  /** undici's dispatcher for a proxy; its creator closes it. If left out, the bot reaches Slack directly. */
  readonly proxy?: Dispatcher;
  readonly timing?: Partial<OutboundTiming>;
  /** Takes the `date` header of each of Slack's answers. */
  readonly onSlackDate?: (date: string | null) => void;
};

/** Times in milliseconds; tests shorten them. */
type OutboundTiming = {
  /** Limit for one call of Slack's Web API or of a response_url. */
  readonly callTimeoutMs: number;
  /** Limit for the question who reads a channel. */
  readonly audienceTimeoutMs: number;
  readonly waitBeforeRepeat: Wait;
};

/** The checks before a call and the call have ten seconds together. */
const callTimeoutDefaultMs = 9_000;

export type OutboundSlack = ReturnType<typeof createOutboundSlack>;

/** Calls and access to workspaces need each other: a call asks access for another token, and access asks Slack by calls. */
export function createOutboundSlack(deps: OutboundSlackDeps) {
  const { runtime, slackApiUrl, slashCommand, onSlackDate: onDate, timing = {} } = deps;
  const { clock, log, measure } = runtime;
  const { callTimeoutMs = callTimeoutDefaultMs, audienceTimeoutMs, waitBeforeRepeat: wait } = timing;
  const dispatcher = deps.proxy ?? createSlackAgent();
  const ending = new AbortController();
  const stopping = ending.signal;
  const fetch = createSlackFetch(dispatcher, {
    measure,
    onDate,
    renew: (botToken) => access.renew(botToken),
    onRefusal: (botToken, error) => access.onRefusal(botToken, error),
  });
  const web: SlackClientDeps = { slackApiUrl, fetch, log, callTimeoutMs };
  const connectCheck = new ConnectCheck(createSlackClients(web), clock, audienceTimeoutMs);
  const { audienceOf } = connectCheck;
  const clients = createSlackClients(web, audienceOf);
  const history = createHistoryReader({ clients, clock, wait, stopping });
  const workspaces: Workspaces = { find: (...given) => access.workspaces.find(...given) };
  const tokenOf = async (teamId: string) => (await workspaces.find(teamId).catch(() => undefined))?.botToken;
  /** Sends a direct message in the person's workspace. Never rejects. @returns true if Slack accepted it */
  const notifyPerson = async ({ teamId, userId }: Person, message: Message): Promise<boolean> => {
    const botToken = await tokenOf(teamId);
    return botToken !== undefined && posting.notifyUser({ botToken }, userId, message);
  };
  const parts = { clients, history, workspaces, audienceOf, slashCommand, lookUpMaxMs: audienceTimeoutMs };
  const outboxPosting = createOutboxPosting({ ...parts, notifyPerson, uptime: () => performance.now() });
  const post = createPostOnce({ runtime, wait, stopping, outboxPosting });
  const posting = new Posting({ clients, sendBytes: createSendBytes(dispatcher), log, slashCommand, post });
  const calls = { runtime, slashCommand, web, clients, posting, outboxPosting, stopping, wait };
  const access: Access =
    deps.access.kind === 'token'
      ? createTokenAccess(calls, deps.access.botToken)
      : createInstallation(calls, deps.access);
  return {
    ...calls,
    /** Carries all traffic to Slack: HTTP and the socket. */
    dispatcher,
    ...{ connectCheck, access, history, notifyPerson },
    delivery: new Delivery({ web, posting, connectCheck, wait }),
    members: createMembers(clients, workspaces, runtime),
    channels: createChannels(posting, tokenOf, audienceOf, clock),
    /** Ends every wait before a retry; calls still go out. */
    stop: () => ending.abort(),
    close: async () => {
      if (!deps.proxy) await dispatcher.destroy();
    },
  };
}

/** The address of a message does not change. */
const linkLifetimeMs = 24 * 60 * 60_000;
const linksMax = 5_000;

/** For setting up a digest: shows a preview, links to a message, and says why nothing may be posted. */
function createChannels(
  posting: Posting,
  tokenOf: (teamId: string) => Promise<string | undefined>,
  audienceOf: AudienceOf,
  clock: Clock,
): ChannelCalls {
  const links = createLruCache<string>({ clock, ttlMs: linkLifetimeMs, entriesMax: linksMax });
  const withheldIn = async (conversation: Conversation): Promise<SharingBlock | undefined> => {
    const audience = await audienceOf(conversation);
    // The bot cannot post to a channel that it cannot see; Slack gives the reason when the bot tries.
    return audience === 'own' || audience === 'sharing_needs_membership' ? undefined : audience;
  };
  return {
    withheldIn: async ({ teamId }, channelId) => withheldIn({ botToken: await tokenOf(teamId), channelId }),
    showIn: async ({ teamId, userId }, channelId, message) => {
      const botToken = await tokenOf(teamId);
      if (botToken === undefined) return { kind: 'unknown' };
      const withheld = await withheldIn({ botToken, channelId });
      if (withheld !== undefined) return { kind: 'refused', error: withheld };
      const sent = await posting.postPrivately({ teamId, botToken, channelId }, userId, message);
      if (sent.kind === 'permanent') return { kind: 'refused', error: sent.error };
      return { kind: sent.kind === 'done' ? 'shown' : 'unknown' };
    },
    linkTo: async ({ teamId }, channelId, ts) => {
      const key = `${teamId} ${channelId} ${ts}`;
      const known = links.get(key);
      if (known !== undefined) return known;
      const botToken = await tokenOf(teamId);
      if (botToken === undefined) return undefined;
      const permalink = await posting.permalink({ botToken, channelId }, ts);
      if (permalink.kind !== 'link') return undefined;
      links.set(key, permalink.url);
      return permalink.url;
    },
  };
}
