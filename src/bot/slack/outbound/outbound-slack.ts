/** Everything that the bot sends to Slack or asks Slack: clients, posting, members and the tokens that they use. */
import type { Dispatcher } from 'undici';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Measure } from '../../domain/measure.ts';
import { createPostOnce } from '../../outbox/single-post.ts';
import type { Wait } from '../../outbox/timing.ts';
import { type Access, type AccessDeps, createTokenAccess } from '../installation/access.ts';
import { createInstallation, type InstallSettings } from '../installation/installation.ts';
import type { Workspaces } from '../installation/workspaces.ts';
import { createChannels } from './delivery/channels.ts';
import { createNotifyPerson, createNotifyUser } from './delivery/notify-user.ts';
import { createOutboxPosting } from './delivery/outbox-posting.ts';
import { createPosting } from './delivery/posting.ts';
import { createSlackClients, type SlackClientDeps } from './web-api/client.ts';
import { createConnectCheck } from './web-api/connect-check.ts';
import { createHistoryReader } from './web-api/history-reader.ts';
import { createMembers } from './web-api/members.ts';
import { createSendBytes, createSlackAgent, createSlackFetch } from './web-api/slack-fetch.ts';

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
  readonly waitBeforeRepeat: Wait;
};

/** The checks before a call and the call have ten seconds together. */
const callTimeoutDefaultMs = 9_000;

export type OutboundSlack = ReturnType<typeof createOutboundSlack>;

/** Calls and access to workspaces need each other: a call asks access for another token, and access asks Slack by calls. */
export function createOutboundSlack(deps: OutboundSlackDeps) {
  const { clock, log, slackApiUrl, slashCommand, measure, onSlackDate: onDate, timing = {} } = deps;
  const { callTimeoutMs = callTimeoutDefaultMs, waitBeforeRepeat } = timing;
  const dispatcher = deps.proxy ?? createSlackAgent();
  const stopping = new AbortController();
  const fetch = createSlackFetch(dispatcher, {
    measure,
    onDate,
    renew: (botToken) => access.renew(botToken),
    onRefusal: (botToken, error) => access.onRefusal(botToken, error),
  });
  const web: SlackClientDeps = { slackApiUrl, fetch, log, callTimeoutMs };
  const connectCheck = createConnectCheck({ clients: createSlackClients(web), clock });
  const clients = createSlackClients(web, connectCheck.audienceOf);
  const waiting = { clock, wait: waitBeforeRepeat, stopping: stopping.signal };
  const history = createHistoryReader({ clients, ...waiting });
  const common = { clients, clock, slashCommand };
  const posting = createPosting({ ...common, log, sendBytes: createSendBytes(dispatcher) });
  const notifyUser = createNotifyUser({ posting });
  const workspaces: Workspaces = { find: (...given) => access.workspaces.find(...given) };
  const notifyPerson = createNotifyPerson({ workspaces, notifyUser });
  const inWorkspaces = { ...common, workspaces, posting, audienceOf: connectCheck.audienceOf };
  const outboxPosting = createOutboxPosting({
    ...{ ...inWorkspaces, history, notifyPerson },
    uptime: () => performance.now(),
  });
  const access = createAccess(deps.access, { ...common, ...web, ...waiting, notifyUser, posting, outboxPosting });
  return {
    /** Carries all traffic to Slack: HTTP and the socket. */
    dispatcher,
    ...{ web, clients, connectCheck, access, history, notifyUser, notifyPerson, outboxPosting },
    posting: { ...posting, post: createPostOnce({ ...waiting, outboxPosting, log }) },
    members: createMembers({ clients, workspaces, clock, log }),
    channels: createChannels(inWorkspaces),
    /** Aborts when the bot stops. */
    stopping: stopping.signal,
    /** Ends every wait before a retry; calls still go out. */
    stop: () => stopping.abort(),
    close: async () => {
      if (!deps.proxy) await dispatcher.destroy();
    },
  };
}

function createAccess(access: OutboundSlackDeps['access'], deps: AccessDeps): Access {
  return access.kind === 'token' ? createTokenAccess(deps, access.botToken) : createInstallation(deps, access);
}
