/** Outbound Slack: clients, posting, members and the tokens that they use. Everything that the bot sends or asks Slack. */
import type { Dispatcher } from 'undici';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { ChannelCalls } from '../../commands/framework/digest-services.ts';
import type { Measure } from '../../domain/measure.ts';
import type { DigestPosting } from '../../outbox/ports.ts';
import { type Access, type AccessDeps, createTokenAccess } from '../installation/access.ts';
import { createInstallation, type InstallSettings } from '../installation/installation.ts';
import { createChannels } from './delivery/channels.ts';
import type { DeliveryDeps } from './delivery/delivery.ts';
import { createDigestPosting } from './delivery/digest-posting.ts';
import { createNotifyPerson, createNotifyUser, type NotifyPerson, type NotifyUser } from './delivery/notify-user.ts';
import { createPosting, type Posting } from './delivery/posting.ts';
import { createSlackClients, type SlackClientDeps, type SlackClients } from './web-api/client.ts';
import { type ConnectCheck, createConnectCheck } from './web-api/connect-check.ts';
import { createMembers, type Members } from './web-api/members.ts';
import { createSendBytes, createSlackAgent, createSlackFetch, type SlackFetchHooks } from './web-api/slack-fetch.ts';

export type OutboundSlackDeps = {
  /** The token of one workspace, or the settings of an app that people install themselves. */
  readonly access: { readonly kind: 'token'; readonly botToken: string } | InstallAccess;
  /** Slack's Web API, with a trailing slash. */
  readonly slackApiUrl: string;
  /** With its slash. */
  readonly slashCommand: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure?: Measure;
  /** undici's dispatcher for a proxy; its creator closes it. Without one Slack is reached directly. */
  readonly proxy?: Dispatcher;
  readonly timing?: Partial<OutboundTiming>;
  /** Takes the `date` header of each of Slack's answers. */
  readonly onSlackDate?: (date: string | null) => void;
};

type InstallAccess = { readonly kind: 'installed' } & InstallSettings;

/** Times in milliseconds; tests shorten them. */
export type OutboundTiming = {
  /** For one call of Slack's Web API or of a response_url. */
  readonly callTimeoutMs: number;
  readonly waitBeforeRepeat: NonNullable<DeliveryDeps['wait']>;
};

/** Ten seconds, together with the checks before a call. */
const callTimeoutDefaultMs = 9_000;

export type OutboundSlack = {
  readonly members: Members;
  readonly web: SlackClientDeps;
  /** Carries everything to Slack: HTTP and the socket. */
  readonly dispatcher: Dispatcher;
  readonly clients: SlackClients;
  readonly connectCheck: ConnectCheck;
  readonly access: Access;
  readonly posting: Posting;
  readonly notifyUser: NotifyUser;
  readonly notifyPerson: NotifyPerson;
  readonly channels: ChannelCalls;
  readonly digests: DigestPosting;
  /** Aborts when the bot stops. */
  readonly stopping: AbortSignal;
  /** Ends every wait before a retry; calls still go out. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
};

export function createOutboundSlack(deps: OutboundSlackDeps): OutboundSlack {
  const {
    clock,
    log,
    slackApiUrl,
    measure,
    timing: { callTimeoutMs = callTimeoutDefaultMs, waitBeforeRepeat } = {},
  } = deps;
  const dispatcher = deps.proxy ?? createSlackAgent();
  const stopping = new AbortController();
  const onRefusal: SlackFetchHooks['onRefusal'] = (...refused) => access.onRefusal(...refused);
  const renew: SlackFetchHooks['renew'] = async (botToken) => access.renew?.(botToken) ?? { kind: 'ended' };
  const fetch = createSlackFetch(dispatcher, { measure, onRefusal, renew, onDate: deps.onSlackDate });
  const web = { slackApiUrl, fetch, log, callTimeoutMs };
  const connectCheck = createConnectCheck({ clients: createSlackClients(web), clock });
  const clients = createSlackClients(web, connectCheck.audienceOf);
  const posting = createPosting({ clients, log, sendBytes: createSendBytes(dispatcher) });
  const notifyUser = createNotifyUser({ posting });
  const access = createAccess({ ...deps, ...web, clients, notifyUser }, deps.access);
  const { workspaces } = access;
  const conversing = { clients, clock, workspaces, posting, audienceOf: connectCheck.audienceOf };
  const notifyPerson = createNotifyPerson({ workspaces, notifyUser });
  const uptime = () => performance.now();
  return {
    members: createMembers({ clients, workspaces, clock, log }),
    ...{ web, dispatcher, clients, connectCheck, access, posting, notifyUser, notifyPerson },
    channels: createChannels(conversing),
    digests: createDigestPosting({
      ...conversing,
      notifyPerson,
      uptime,
      wait: waitBeforeRepeat,
      stopping: stopping.signal,
    }),
    stopping: stopping.signal,
    stop: () => stopping.abort(),
    close: async () => {
      if (!deps.proxy) await dispatcher.destroy();
    },
  };
}

function createAccess(deps: AccessDeps, access: OutboundSlackDeps['access']): Access {
  switch (access.kind) {
    case 'token':
      return createTokenAccess(deps, access.botToken);
    case 'installed':
      return createInstallation(deps, access);
  }
}
