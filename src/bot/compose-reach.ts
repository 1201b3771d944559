/** Wiring of how Slack and the bot reach each other: tokens and transport of each mode. */

import { onlyUnder } from '../shared/http/host-names.ts';
import { type OperationsDeps, operationsRoutes } from '../shared/http/operations.ts';
import type { Logger } from '../shared/log/logger.ts';
import type { BotConfig, HttpConfig } from './config.ts';
import type { SlackBotDeps } from './slack/bot.ts';
import { createSharedClaim } from './slack/inbound/middleware/deduplicate.ts';
import { createHttpReceiver } from './slack/inbound/receivers/http-receiver.ts';
import type { InstallSettings } from './slack/installation/installation.ts';
import type { OutboundSlackDeps } from './slack/outbound/outbound-slack.ts';
import type { Store } from './store/store.ts';

type InstallParts = Pick<InstallSettings, 'onGone' | 'record' | 'store'>;

/** The one token of Socket Mode, or in HTTP mode the app that every workspace installs itself. */
export function slackAccess(config: BotConfig, parts: InstallParts): OutboundSlackDeps['access'] {
  if (config.mode === 'socket') return { kind: 'token', botToken: config.slackBotToken };
  const { slackClientId: clientId, slackClientSecret: clientSecret, publicUrl } = config;
  return { kind: 'installed', clientId, clientSecret, publicUrl, ...parts };
}

export type TransportParts = {
  readonly operations: Omit<OperationsDeps, 'isConnected'>;
  readonly store: Store;
  readonly log: Logger;
};

type Reach = Pick<SlackBotDeps, 'transport' | 'claim' | 'leases'>;

/** In HTTP mode several processes may share the store, so duplicates are claimed there. */
export function slackTransport(config: BotConfig, parts: TransportParts): Reach {
  if (config.mode === 'socket') return { transport: { kind: 'socket', appToken: config.slackAppToken } };
  const { store, log } = parts;
  return {
    transport: httpTransport(config, parts),
    claim: createSharedClaim({ deliveries: store.idempotencyKeys, clock: Date.now, log }),
    leases: store.leases,
  };
}

/** One server for Slack, browsers and the operator; each route answers under its host names alone. */
function httpTransport(config: HttpConfig, { operations, log }: TransportParts): SlackBotDeps['transport'] {
  const { hostNames = [] } = config.http;
  const publicNames = [new URL(config.publicUrl).hostname, ...hostNames];
  return {
    kind: 'http',
    createReceiver: (routes) =>
      createHttpReceiver({
        ...config.http,
        signingSecret: config.slackSigningSecret,
        clock: Date.now,
        log,
        operationsRoutes: (isConnected) => operationsRoutes({ ...operations, isConnected }, hostNames),
        routes: onlyUnder(publicNames, routes),
      }),
  };
}
