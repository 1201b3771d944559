/** conversations.history, conversations.replies (both with cursors), conversations.info, conversations.open. */
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import { flagField } from '../server/http.ts';
import { Refused } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import { type Channel, otherTeamId } from '../state/seed.ts';
import { findChannel, findPerson } from '../state/workspace.ts';
import { type Call, directChannel, knownChannel, messageForApps, requireScope, resolveChannel } from './method.ts';

/** Newest first, without replies in threads. */
export function conversationsHistory(call: Call): JsonRecord {
  const all = everybodys(call, readableChannel(call));
  const roots = all.filter(({ threadTs }) => threadTs === null).reverse();
  return listed(call, all, roots, { limitDefault: 100, limitMax: 999 });
}

/** The root, then its replies, oldest first. */
export function conversationsReplies(call: Call): JsonRecord {
  const channel = readableChannel(call);
  const root = call.workspace.history.threadRoot(channel.id, readText(call.fields, 'ts') ?? '');
  if (root === undefined) throw new Refused('thread_not_found');
  const all = everybodys(call, channel);
  const thread = all.filter(({ ts, threadTs }) => ts === root || threadTs === root);
  return listed(call, all, thread, { limitDefault: 1000, limitMax: 1000 });
}

/** Allows only conversations of which the bot is a member. */
function readableChannel({ fields, workspace }: Call): Channel {
  const channel = knownChannel(findChannel(workspace, readText(fields, 'channel') ?? ''), workspace);
  requireScope({ public: 'channels:history', private: 'groups:history', dm: 'im:history' }[channel.kind], workspace);
  if (!channel.memberIds.includes(workspace.botUserId)) throw new Refused('not_in_channel');
  return channel;
}

/** Excludes ephemeral messages. */
function everybodys({ workspace }: Call, channel: Channel): readonly SlackMessage[] {
  return workspace.history.list(channel.id).filter(({ viewer }) => viewer === null);
}

/** @param all non-ephemeral messages of the channel @param messages the requested ones, in the order of the reply */
function listed(
  call: Call,
  all: readonly SlackMessage[],
  messages: readonly SlackMessage[],
  rule: PageRule,
): JsonRecord {
  const page = pageOf(messages, call.fields, rule);
  return {
    messages: page.messages.map((message) => ({ ...shown(call, message), ...threadOf(message, all) })),
    has_more: page.nextCursor !== undefined,
    ...(page.nextCursor !== undefined && { response_metadata: { next_cursor: page.nextCursor } }),
  };
}

/** Metadata: always `event_type`; the payload only with `include_all_metadata`. */
function shown(call: Call, message: SlackMessage): JsonRecord {
  const { metadata } = message;
  const isAll = !isRecord(metadata) || flagField(call.fields, 'include_all_metadata');
  const visible = isAll ? metadata : { event_type: metadata['event_type'] };
  return messageForApps({ ...message, metadata: visible }, call.workspace, call);
}

/** Thread fields: a root has reply counts, a reply has `parent_user_id`. */
function threadOf({ ts, threadTs }: SlackMessage, all: readonly SlackMessage[]): JsonRecord {
  if (threadTs !== null) return { parent_user_id: all.find((message) => message.ts === threadTs)?.user };
  const replies = all.filter((message) => message.threadTs === ts);
  const latest = replies.at(-1);
  if (latest === undefined) return {};
  const users = [...new Set(replies.map(({ user }) => user))];
  return {
    thread_ts: ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users,
    latest_reply: latest.ts,
  };
}

type Page = {
  readonly messages: readonly SlackMessage[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
};

type PageRule = { readonly limitDefault: number; readonly limitMax: number };

/**
 * https://docs.slack.dev/reference/methods/conversations.history; the same rules apply to conversations.replies.
 * @param messages in the order of the reply
 */
function pageOf(messages: readonly SlackMessage[], fields: JsonRecord, rule: PageRule): Page {
  for (const name of ['oldest', 'latest']) {
    const isValid = isAbsent(fields[name]) || /^\d{1,12}(?:\.\d{1,6})?$/.test(String(fields[name]));
    if (!isValid) throw new Refused(`invalid_ts_${name}`);
  }
  const limit = isAbsent(fields['limit']) ? rule.limitDefault : Number(fields['limit']);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new Refused('invalid_limit');
  const cursor = isAbsent(fields['cursor']) ? null : readCursor(String(fields['cursor']));
  if (cursor === undefined) throw new Refused('invalid_cursor');
  const within = messages.filter(({ ts }) => isWithin(Number(ts), fields));
  const isNewestFirst = Number(within[0]?.ts) > Number(within.at(-1)?.ts);
  const isFrom = (ts: number, start: number) => (isNewestFirst ? ts <= start : ts >= start);
  // The first message of the page may be deleted since.
  const rest = cursor === null ? within : within.filter(({ ts }) => isFrom(Number(ts), cursor));
  const size = Math.min(limit, rule.limitMax);
  const next = rest[size];
  return { messages: rest.slice(0, size), nextCursor: next && Buffer.from(cursorMark + next.ts).toString('base64') };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === '';
}

/** Both ends are excluded unless `inclusive` is set. */
function isWithin(ts: number, fields: JsonRecord): boolean {
  const isInclusive = flagField(fields, 'inclusive');
  const oldest = isAbsent(fields['oldest']) ? Number.NEGATIVE_INFINITY : Number(fields['oldest']);
  const latest = isAbsent(fields['latest']) ? Number.POSITIVE_INFINITY : Number(fields['latest']);
  return (oldest < ts && ts < latest) || (isInclusive && (ts === oldest || ts === latest));
}

const cursorMark = 'next_ts:';

/** @returns undefined for an invalid cursor */
function readCursor(cursor: string): number | undefined {
  const text = Buffer.from(cursor, 'base64').toString('utf8');
  const ts = text.startsWith(cursorMark) ? Number(text.slice(cursorMark.length)) : Number.NaN;
  return Number.isFinite(ts) ? ts : undefined;
}

export function conversationsInfo({ fields, workspace }: Call): JsonRecord {
  const channel = knownChannel(resolveChannel(workspace, readText(fields, 'channel') ?? ''), workspace);
  requireScope({ public: 'channels:read', private: 'groups:read', dm: 'im:read' }[channel.kind], workspace);
  const isDirect = channel.kind === 'dm';
  const others = channel.isShared ? [otherTeamId] : [];
  const name = isDirect ? { user: channel.memberIds[0] } : { name: channel.name, name_normalized: channel.name };
  return {
    channel: {
      id: channel.id,
      ...name,
      is_channel: channel.kind === 'public',
      is_group: channel.kind === 'private',
      is_im: isDirect,
      is_private: channel.kind !== 'public',
      is_archived: channel.isArchived,
      is_member: channel.memberIds.includes(workspace.botUserId),
      is_shared: channel.isShared,
      is_ext_shared: channel.isShared,
      is_org_shared: false,
      is_pending_ext_shared: false,
      pending_shared: [],
      pending_connected_team_ids: [],
      shared_team_ids: [workspace.teamId, ...others],
      conversation_host_id: workspace.teamId,
      internal_team_ids: [],
      connected_team_ids: others,
      context_team_id: workspace.teamId,
    },
  };
}

export function conversationsOpen({ fields, workspace }: Call): JsonRecord {
  const person = findPerson(workspace, readText(fields, 'users') ?? '');
  if (!person) throw new Refused('user_not_found');
  const channel = directChannel(workspace, person.id);
  if (!channel) throw new Refused('cannot_dm_bot');
  return { channel: { id: channel.id } };
}
