/** Bot tokens: the one from the settings, or those of every workspace in which people installed the bot. */
import type { EventEmitter } from 'node:events';
import type { App } from '@slack/bolt';
import type { Route } from '../../../shared/http/routes.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { MessagePosterDeps } from '../../outbox/message-poster.ts';
import type { OutboxPosting } from '../../outbox/ports.ts';
import type { NotifyUser } from '../outbound/delivery/notify-user.ts';
import type { Posting } from '../outbound/delivery/posting.ts';
import type { SlackClientDeps, SlackClients } from '../outbound/web-api/client.ts';
import { createSingleWorkspace, type RefuseApp, type ServedWorkspaces, type Workspaces } from './workspaces.ts';

/**
 * `refused`: Slack refused a call that used this bot token, with this error. Every call emits it; installations then
 * check the token.
 */
export type TokenEvents = EventEmitter<{ refused: [botToken: string, error: string] }>;

export type AccessDeps = SlackClientDeps & {
  readonly clients: SlackClients;
  readonly notifyUser: NotifyUser;
  readonly posting: Posting;
  readonly outboxPostingOf: (workspaces: Workspaces) => OutboxPosting;
  /** Aborted when the bot stops. */
  readonly stopping: AbortSignal;
  readonly wait?: MessagePosterDeps['wait'] | undefined;
  readonly tokenEvents: TokenEvents;
  readonly clock: Clock;
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

export type Access = {
  readonly workspaces: ServedWorkspaces;
  /** Page on which people install the bot; undefined if the bot uses a fixed token. */
  readonly installUrl?: string;
  /** Routes for the bot's HTTP server. */
  readonly routes: Readonly<Record<string, Route>>;
  /** Registers the listeners for uninstallations. */
  readonly listen: (app: App) => void;
  /** Refuses a socket that belongs to another app than the bot token; undefined if people install the bot. */
  readonly refuseApp?: RefuseApp;
  /** @returns lines for an operator about missing permissions; none names a workspace */
  readonly notes: () => readonly string[];
  /** @throws AppError that names the variable to check, if a token is refused or Slack cannot be reached */
  readonly start: () => Promise<void>;
  /** Waits for running work; never rejects. */
  readonly stop: () => Promise<void>;
};

export function createTokenAccess({ clients, clock, log }: AccessDeps, botToken: string): Access {
  const workspaces = createSingleWorkspace({ clients, clock, log, botToken });
  return {
    workspaces,
    routes: {},
    listen: () => undefined,
    refuseApp: workspaces.refuseApp,
    notes: workspaces.notes,
    start: async () => void (await workspaces.verify()),
    stop: async () => undefined,
  };
}
