/** The part of the wiring diagram that is about how Slack reaches the bot. */

import { onlyUnder } from '../shared/http/host-names.ts';
import { type OperationsDeps, operationsRoutes } from '../shared/http/operations.ts';
import type { Logger } from '../shared/log/logger.ts';
import type { HttpConfig, SocketConfig } from './config.ts';
import type { SlackBotDeps } from './slack/bot.ts';
import { createSharedClaim } from './slack/inbound/middleware/deduplicate.ts';
import { createHttpReceiver } from './slack/inbound/receivers/http-receiver.ts';
import type { InstallSettings } from './slack/installation/installation.ts';

type Reach = Pick<SlackBotDeps, 'access' | 'transport' | 'claim' | 'leases'>;

/** From the inside out, in one workspace. */
export function reachOverSocket({ slackBotToken: botToken, slackAppToken: appToken }: SocketConfig): Reach {
  return { access: { kind: 'token', botToken }, transport: { kind: 'socket', appToken } };
}

type HttpReachDeps = Pick<InstallSettings, 'onGone' | 'record' | 'store'> & {
  readonly operations: OperationsDeps;
  readonly log: Logger;
};

/** At a public address, in every workspace that installs the bot; the same server tells how it does. */
export function reachOverHttp(config: HttpConfig, { operations, log, ...kept }: HttpReachDeps): Reach {
  const clock = Date.now;
  const { slackSigningSecret: signingSecret, slackClientId: clientId, slackClientSecret: clientSecret } = config;
  const { hostNames = [] } = config.http;
  const own = operationsRoutes(operations, hostNames);
  return {
    access: { kind: 'installed', clientId, clientSecret, publicUrl: config.publicUrl, ...kept },
    transport: {
      kind: 'http',
      createReceiver: (routes) =>
        createHttpReceiver({
          ...config.http,
          signingSecret,
          clock,
          log,
          routes: { ...own, ...onlyUnder([new URL(config.publicUrl).hostname, ...hostNames], routes) },
        }),
    },
    claim: createSharedClaim({ deliveries: kept.store.idempotencyKeys, clock, log }),
    leases: kept.store.leases,
  };
}
