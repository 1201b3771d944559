/** Everything that the bot sends to Slack or asks Slack: clients, posting, members and the tokens that they use. */
import { EventEmitter } from 'node:events';
import type { Dispatcher } from 'undici';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Measure } from '../../domain/measure.ts';
import { type AccessDeps, createTokenAccess, type TokenEvents } from '../installation/access.ts';
import { createInstallation, createInstalledTokens, type InstallSettings } from '../installation/installation.ts';
import type { Workspaces } from '../installation/workspaces.ts';
import { createChannels } from './delivery/channels.ts';
import type { DeliveryDeps } from './delivery/delivery.ts';
import { createNotifyPerson, createNotifyUser } from './delivery/notify-user.ts';
import { createOutboxPosting } from './delivery/outbox-posting.ts';
import { createPosting } from './delivery/posting.ts';
import { createSlackClients, type SlackClientDeps } from './web-api/client.ts';
import { createConnectCheck } from './web-api/connect-check.ts';
import { createFindPost } from './web-api/find-post.ts';
import { createHistoryReader } from './web-api/history-reader.ts';
import { createMembers } from './web-api/members.ts';
import { createSendBytes, createSlackAgent, createSlackFetch, type SlackFetchHooks } from './web-api/slack-fetch.ts';

export type OutboundSlackDeps = {
  /** The token of one workspace, or the settings of an app that people install themselves. */
  readonly access: { readonly kind: 'token'; readonly botToken: string } | InstallAccess;
  /** Slack's Web API, with a trailing slash. */
  readonly slackApiUrl: string;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure?: Measure;
  /** undici's dispatcher for a proxy; its creator closes it. If left out, the bot reaches Slack directly. */
  readonly proxy?: Dispatcher;
  readonly timing?: Partial<OutboundTiming>;
  /** Takes the `date` header of each of Slack's answers. */
  readonly onSlackDate?: (date: string | null) => void;
};

type InstallAccess = { readonly kind: 'installed' } & InstallSettings;

/** Times in milliseconds; tests shorten them. */
export type OutboundTiming = {
  /** Limit for one call of Slack's Web API or of a response_url. */
  readonly callTimeoutMs: number;
  readonly waitBeforeRepeat: NonNullable<DeliveryDeps['wait']>;
};

/** The checks before a call and the call have ten seconds together. */
const callTimeoutDefaultMs = 9_000;

export type OutboundSlack = ReturnType<typeof createOutboundSlack>;

/** Creates the tokens first, then the calls that renew them, then access to workspaces, which uses these calls. */
export function createOutboundSlack(deps: OutboundSlackDeps) {
  const { clock, log, slackApiUrl, slashCommand, measure, onSlackDate: onDate, timing = {} } = deps;
  const { callTimeoutMs = callTimeoutDefaultMs, waitBeforeRepeat } = timing;
  const dispatcher = deps.proxy ?? createSlackAgent();
  const stopping = new AbortController();
  const tokenEvents: TokenEvents = new EventEmitter();
  const webWith = (hooks: SlackFetchHooks = {}): SlackClientDeps => {
    const fetch = createSlackFetch(dispatcher, { measure, onDate, ...hooks });
    return { slackApiUrl, fetch, log, callTimeoutMs };
  };
  const { renew, create } = planAccess(deps.access, webWith(), clock);
  const onRefusal = (...refused: [botToken: string, error: string]) => void tokenEvents.emit('refused', ...refused);
  const web = webWith({ renew, onRefusal });
  const connectCheck = createConnectCheck({ clients: createSlackClients(web), clock });
  const clients = createSlackClients(web, connectCheck.audienceOf);
  const waiting = { clock, wait: waitBeforeRepeat, stopping: stopping.signal };
  const history = createHistoryReader({ clients, ...waiting });
  const findPost = createFindPost({ history, ...waiting });
  const common = { clients, clock, slashCommand };
  const posting = createPosting({ ...common, findPost, log, sendBytes: createSendBytes(dispatcher) });
  const notifyUser = createNotifyUser({ posting });
  const { audienceOf } = connectCheck;
  const uptime = () => performance.now();
  const outboxPostingOf = (workspaces: Workspaces) =>
    createOutboxPosting({
      ...{ clients, slashCommand, workspaces, posting, audienceOf, history, uptime },
      notifyPerson: createNotifyPerson({ workspaces, notifyUser }),
    });
  const access = create({ ...deps, ...web, ...waiting, clients, notifyUser, posting, outboxPostingOf, tokenEvents });
  const { workspaces } = access;
  const notifyPerson = createNotifyPerson({ workspaces, notifyUser });
  return {
    /** Carries all traffic to Slack: HTTP and the socket. */
    dispatcher,
    ...{ web, clients, connectCheck, access, posting, history, notifyUser, notifyPerson },
    members: createMembers({ clients, workspaces, clock, log }),
    channels: createChannels({ ...common, workspaces, posting, audienceOf }),
    outboxPosting: outboxPostingOf(workspaces),
    /** Aborts when the bot stops. */
    stopping: stopping.signal,
    /** Ends every wait before a retry; calls still go out. */
    stop: () => stopping.abort(),
    close: async () => {
      if (!deps.proxy) await dispatcher.destroy();
    },
  };
}

/** @returns a function that renews a call's token, and a function that creates access once the calls exist */
function planAccess(access: OutboundSlackDeps['access'], web: SlackClientDeps, clock: Clock) {
  if (access.kind === 'token') {
    return { renew: undefined, create: (deps: AccessDeps) => createTokenAccess(deps, access.botToken) };
  }
  const tokens = createInstalledTokens(web, access, clock);
  return { renew: tokens.renew, create: (deps: AccessDeps) => createInstallation(deps, access, tokens) };
}
