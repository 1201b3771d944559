/** The bot tokens: the one of the settings, or those of every workspace in which people installed the bot. */
import type { EventEmitter } from 'node:events';
import type { App } from '@slack/bolt';
import type { Route } from '../../../shared/http/routes.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { NotifyUser } from '../outbound/delivery/notify-user.ts';
import type { SlackClientDeps, SlackClients } from '../outbound/web-api/client.ts';
import { createSingleWorkspace, type RefuseApp, type Workspaces } from './workspaces.ts';

/** `refused`: Slack refused a call with this bot token, with this error. Every call emits it; installations check the token then. */
export type TokenEvents = EventEmitter<{ refused: [botToken: string, error: string] }>;

export type AccessDeps = SlackClientDeps & {
  readonly clients: SlackClients;
  readonly notifyUser: NotifyUser;
  readonly tokenEvents: TokenEvents;
  readonly clock: Clock;
  /** With its slash. */
  readonly slashCommand: string;
};

export type Access = {
  readonly workspaces: Workspaces;
  /** Where people install the bot; undefined where its tokens are given to it. */
  readonly installUrl?: string;
  /** For the bot's HTTP server. */
  readonly routes: Readonly<Record<string, Route>>;
  /** Registers the listeners for uninstallations. */
  readonly listen: (app: App) => void;
  /** Says why a socket is not the one for the token that was given; undefined where people install the bot. */
  readonly refuseApp?: RefuseApp;
  /** @throws AppError that names the variable to look at, when a token is refused or Slack cannot be reached */
  readonly start: () => Promise<void>;
  /** Ends what is under way; never rejects. */
  readonly stop: () => Promise<void>;
};

export function createTokenAccess({ clients, log }: AccessDeps, botToken: string): Access {
  const workspaces = createSingleWorkspace({ clients, log, botToken });
  return {
    workspaces,
    routes: {},
    listen: () => undefined,
    refuseApp: workspaces.refuseApp,
    start: async () => void (await workspaces.verify()),
    stop: async () => undefined,
  };
}
