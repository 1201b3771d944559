/** What slash commands and pressed buttons have in common: who invokes, the trigger, and what the app may need later. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import type { AppEvents } from './app-events.ts';
import type { Offers } from './offers.ts';
import type { ResponseUrls } from './response-url.ts';
import type { Channel, Person } from './seed.ts';
import type { SocketMode } from './socket.ts';
import { canSee, findChannel, findPerson, type Workspace } from './workspace.ts';

export type InvokeDeps = {
  readonly workspaces: () => readonly Workspace[];
  readonly socketMode: SocketMode;
  readonly appEvents: AppEvents;
  readonly responseUrls: ResponseUrls;
  readonly offers: Offers;
  readonly app: AppIdentity;
  readonly clock: Clock;
  readonly log: Logger;
  readonly baseUrl: () => string;
};

export type AppIdentity = {
  readonly id: string;
  readonly name: string;
  /** With its slash. */
  readonly slashCommand: string;
  /** The old verification token that every payload still carries. */
  readonly verificationToken: string;
};

export type Invoker = {
  readonly workspace: Workspace;
  readonly person: Person;
  readonly channel: Channel;
  /** Whether this person may write there, and not only look. */
  readonly isMember: boolean;
};

/** @returns undefined when there is no such person, or the person cannot look into that channel */
export function findInvoker(workspaces: readonly Workspace[], userId: string, channelId: string): Invoker | undefined {
  for (const workspace of workspaces) {
    const person = findPerson(workspace, userId);
    const channel = findChannel(workspace, channelId);
    if (person && !person.isBot && channel && canSee(channel, userId)) {
      return { workspace, person, channel, isMember: channel.memberIds.includes(userId) };
    }
  }
  return undefined;
}

/** In Slack's form; good once, for three seconds. */
export function newTriggerId(clock: Clock): string {
  return `${clock()}.${randomBytes(4).readUInt32BE()}.${randomBytes(16).toString('hex')}`;
}
