/** The bot in one workspace or in many, over Socket Mode or signed HTTP: what compose starts and stops. */
import type { Dispatcher } from 'undici';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { once, waitUpTo } from '../../shared/time/timeout.ts';
import type { Dispatch } from '../commands/framework/dispatch.ts';
import type { Submit } from '../commands/framework/submit.ts';
import type { HomeOf } from '../commands/home.ts';
import type { NameSearch } from '../commands/lookup/search-names.ts';
import type { ZoneSearch } from '../commands/lookup/search-zones.ts';
import type { Measure } from '../domain/measure.ts';
import type { Leases } from '../store/repositories/leases.ts';
import type { Threads } from '../store/repositories/threads.ts';
import { createSlackApp, type SlackAppDeps } from './app.ts';
import type { ClaimDelivery } from './inbound/middleware/deduplicate.ts';
import { pollSlackDate } from './inbound/receivers/clock-check.ts';
import type { SlackReceiver } from './inbound/receivers/receiver.ts';
import {
  createSocketReceiver,
  defaultReconnecting,
  type Reconnecting,
  type SocketReceiverDeps,
} from './inbound/receivers/socket-receiver.ts';
import { type Access, type AccessDeps, createTokenAccess } from './installation/access.ts';
import { createInstallation, type InstallSettings } from './installation/installation.ts';
import type { DeliveryDeps } from './outbound/delivery/delivery.ts';
import { createSpeaking, type Speaking } from './outbound/delivery/speaking.ts';
import { createSlackClients } from './outbound/web-api/client.ts';
import { createConnectCheck } from './outbound/web-api/connect-check.ts';
import { createMembers, type Members } from './outbound/web-api/members.ts';
import { persistently } from './outbound/web-api/persistently.ts';
import {
  createSendBytes,
  createSlackAgent,
  createSlackFetch,
  type SlackFetchHooks,
} from './outbound/web-api/slack-fetch.ts';

export type SlackBotDeps = {
  readonly dispatch: Dispatch;
  readonly submit: Submit;
  readonly searchNames: NameSearch;
  readonly searchZones: ZoneSearch;
  /** As in `SlackAppDeps`. */
  readonly homeOf?: HomeOf;
  /** With its slash. */
  readonly slashCommand: string;
  /** The token of one workspace, or what people need who install the bot themselves. */
  readonly access: { readonly kind: 'token'; readonly botToken: string } | InstallAccess;
  readonly transport: Transport;
  /** Slack's Web API, with a trailing slash. */
  readonly slackApiUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** A short id that names one fault in an answer and in the log. */
  readonly createReference: () => string;
  readonly measure?: Measure;
  readonly threads: Threads;
  /** As in `SlackAppDeps`. */
  readonly onChannelDeleted?: SlackAppDeps['onChannelDeleted'];
  /** As in `SlackAppDeps`. */
  readonly claim?: ClaimDelivery;
  readonly leases?: Pick<Leases, 'take'>;
  /** undici's dispatcher for a proxy; whoever made it closes it. Without one Slack is reached directly. */
  readonly proxy?: Dispatcher;
  readonly timing?: Partial<SlackBotTiming>;
  /** Told when Slack sent each of its answers; where Slack comes to us it is asked for that alone, too. */
  readonly onSlackDate?: (date: string | null) => void;
};

type InstallAccess = { readonly kind: 'installed' } & InstallSettings;

/** How Slack reaches us. */
export type Transport =
  | { readonly kind: 'socket'; readonly appToken: string }
  /** Made by whoever decides what else is served there beside these routes; the bot starts and stops it. */
  | { readonly kind: 'http'; readonly createReceiver: (routes: Access['routes']) => SlackReceiver };

/** Times in milliseconds; tests shorten them. */
export type SlackBotTiming = {
  /** Slack gives up after 3 s. */
  readonly acknowledgeWithinMs: number;
  /** For one call of Slack's Web API or of a response_url. */
  readonly callTimeoutMs: number;
  /** A Slack that cannot be reached is tried again this long before `start` fails. */
  readonly startWithinMs: number;
  /** Answers under way get this long when the bot stops. */
  readonly finishWithinMs: number;
  readonly reconnecting: Reconnecting;
  readonly waitBeforeRepeat: NonNullable<DeliveryDeps['wait']>;
};

const defaultTiming = {
  acknowledgeWithinMs: 2_000,
  // With what comes before a call, ten seconds.
  callTimeoutMs: 9_000,
  startWithinMs: 15_000,
  finishWithinMs: 8_000,
  reconnecting: defaultReconnecting,
};

export type SlackBot = Members &
  Speaking & {
    /** @throws AppError that names the variable to look at, when a token is refused or Slack stays out of reach */
    readonly start: () => Promise<void>;
    /** Takes nothing new, and finishes the answers under way; what the bot says by itself still gets out. Never rejects. */
    readonly finish: () => Promise<void>;
    /** The same, then closes everything. */
    readonly stop: () => Promise<void>;
    /** Whether Slack can reach this process now. */
    readonly isConnected: () => boolean;
  };

export function createSlackBot(deps: SlackBotDeps): SlackBot {
  const timing = { ...defaultTiming, ...deps.timing };
  const dispatcher = deps.proxy ?? createSlackAgent();
  const onRefusal: SlackFetchHooks['onRefusal'] = (...refused) => access.onRefusal(...refused);
  const renew: SlackFetchHooks['renew'] = async (botToken) => access.renew?.(botToken) ?? { kind: 'ended' };
  const fetch = createSlackFetch(dispatcher, { measure: deps.measure, onRefusal, renew, onDate: deps.onSlackDate });
  const web = { ...deps, fetch, sendBytes: createSendBytes(dispatcher), callTimeoutMs: timing.callTimeoutMs };
  const connectCheck = createConnectCheck({ clients: createSlackClients(web), clock: deps.clock });
  const clients = createSlackClients(web, connectCheck.audienceOf);
  const access = createAccess({ ...web, clients }, deps.access);
  const receiver = createReceiver(deps, access, { ...web, reconnecting: timing.reconnecting });
  const app = createSlackApp({
    ...{ ...web, receiver, clients, connectCheck, access },
    acknowledgeWithinMs: timing.acknowledgeWithinMs,
    ...(timing.waitBeforeRepeat && { wait: timing.waitBeforeRepeat }),
  });
  const stopping = new AbortController();
  const finish = once(async () => {
    stopping.abort();
    app.acknowledgements.flush();
    const answered = receiver.stop().then(receiver.settled);
    // Tokens that an answer wanted are looked after once more.
    await waitUpTo(timing.finishWithinMs, Promise.all([access.stop(), answered.then(access.stop)]));
    app.delivery.stop();
  });
  const stop = async () => {
    await finish();
    if (!deps.proxy) await dispatcher.destroy();
  };
  const asking = { ...web, ...connectCheck, clients, workspaces: access.workspaces };
  return {
    ...createMembers(asking),
    ...createSpeaking({ ...asking, tellAt: app.tell, wait: timing.waitBeforeRepeat, stopping: stopping.signal }),
    isConnected: receiver.isConnected,
    start: async () => {
      try {
        await persistently(access.start, timing, stopping.signal);
        await persistently(() => receiver.start(), timing, stopping.signal);
        if (deps.onSlackDate && deps.transport.kind === 'http') pollSlackDate({ ...web, stopping: stopping.signal });
      } catch (error) {
        await stop();
        throw error;
      }
    },
    finish,
    stop,
  };
}

function createAccess(deps: AccessDeps, access: SlackBotDeps['access']): Access {
  switch (access.kind) {
    case 'token':
      return createTokenAccess(deps, access.botToken);
    case 'installed':
      return createInstallation(deps, access);
  }
}

function createReceiver(
  { transport, proxy }: Pick<SlackBotDeps, 'transport' | 'proxy'>,
  { routes, refuseApp }: Pick<Access, 'routes' | 'refuseApp'>,
  web: Omit<SocketReceiverDeps, 'appToken' | 'refuseApp' | 'socketDispatcher'>,
): SlackReceiver {
  switch (transport.kind) {
    case 'socket':
      return createSocketReceiver({
        ...web,
        ...{ appToken: transport.appToken, refuseApp },
        ...(proxy && { socketDispatcher: proxy }),
      });
    case 'http':
      return transport.createReceiver(routes);
  }
}
