/** A call of a Web API method, and functions that methods share. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import { fileForApps } from '../files/store.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Organization } from '../state/organization.ts';
import type { Channel } from '../state/seed.ts';
import { findChannel, type Workspace } from '../state/workspace.ts';

/** A call of a method that needs no token. */
export type OpenCall = LocalSlack & {
  readonly fields: JsonRecord;
  /** Hides a message that the call posts until the promise settles. */
  readonly visibleAfter: Promise<unknown> | undefined;
};

export type Call = OpenCall & {
  readonly token: string;
  /** Workspace of the token. */
  readonly workspace: Workspace;
  /** Set if the token is an organization's. */
  readonly organization: Organization | null;
};

/** @throws Refused if the token of the call lacks the scope */
export function requireScope(needed: string, { scopes }: Workspace): void {
  if (!scopes.includes(needed)) throw new Refused('missing_scope', [], { needed, provided: scopes.join(',') });
}

/** @param given a channel's id, its `#name`, or a person's id for the direct messages with the bot */
export function resolveChannel(workspace: Workspace, given: string): Channel | undefined {
  const named = workspace.channels.find((channel) => channel.kind !== 'dm' && `#${channel.name}` === given);
  return findChannel(workspace, given) ?? named ?? directChannel(workspace, given);
}

export function directChannel(workspace: Workspace, userId: string): Channel | undefined {
  const isWith = (channel: Channel) => channel.kind === 'dm' && channel.memberIds.includes(userId);
  return userId === workspace.botUserId ? undefined : workspace.channels.find(isWith);
}

/** Refuses a missing channel, and in the same way a private one without the bot. */
export function knownChannel(channel: Channel | undefined, { botUserId }: Workspace): Channel {
  const isKnown = channel?.kind === 'public' || channel?.memberIds.includes(botUserId);
  if (!channel || !isKnown) throw new Refused('channel_not_found');
  return channel;
}

/** A channel that the bot may write in. @param given the call's `channel` by default */
export function writableChannel({ fields, workspace }: Call, given = readText(fields, 'channel') ?? ''): Channel {
  const channel = knownChannel(resolveChannel(workspace, given), workspace);
  if (channel.isArchived) throw new Refused('is_archived');
  if (!channel.memberIds.includes(workspace.botUserId)) throw new Refused('not_in_channel');
  return channel;
}

/** A message as Slack shows it to apps. */
export function messageForApps(message: SlackMessage, workspace: Workspace, { app, baseUrl }: LocalSlack): JsonRecord {
  const files = message.files.map((file) => fileForApps(file, baseUrl));
  const isBot = message.user === workspace.botUserId;
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    text: message.text,
    blocks: message.blocks,
    team: workspace.teamId,
    ...(isBot ? { bot_id: workspace.botId, app_id: app.id } : {}),
    ...(message.threadTs === null ? {} : { thread_ts: message.threadTs }),
    ...(message.isEdited ? { edited: { user: message.user, ts: message.ts } } : {}),
    ...(files.length === 0 ? {} : { files, upload: true }),
    ...(message.metadata === null ? {} : { metadata: message.metadata }),
  };
}
