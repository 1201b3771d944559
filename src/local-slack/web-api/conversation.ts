/** What stands in a conversation: conversations.history, conversations.replies. */

import { type Fields, flagField, isRecord, textField } from '../server/json.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Channel } from '../state/seed.ts';
import { findChannel } from '../state/workspace.ts';
import { threadRoot } from './chat.ts';
import { type Call, type Method, messageForApps, type Reply, refuse } from './method.ts';
import { type PageRule, pageOf } from './page-of-history.ts';
import { missingScope } from './people.ts';

/** Newest first, without what stands in threads. */
export const conversationsHistory: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const target = readableChannel(call);
    if ('reply' in target) return target.reply;
    const all = everybodys(call, target.channel);
    const roots = all.filter(({ threadTs }) => threadTs === null).reverse();
    return listed(call, all, roots, { limitDefault: 100, limitMax: 999 });
  },
};

/** The root, then its replies, oldest first. */
export const conversationsReplies: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const target = readableChannel(call);
    if ('reply' in target) return target.reply;
    const root = threadRoot(call.workspace, target.channel.id, textField(call.fields, 'ts') ?? '');
    if (root === undefined) return refuse('thread_not_found');
    const all = everybodys(call, target.channel);
    const thread = all.filter(({ ts, threadTs }) => ts === root || threadTs === root);
    return listed(call, all, thread, { limitDefault: 1000, limitMax: 1000 });
  },
};

const neededScope = { public: 'channels:history', private: 'groups:history', dm: 'im:history' } as const;

/** Only what the bot is a member of. */
function readableChannel({ fields, workspace }: Call): { readonly channel: Channel } | { readonly reply: Reply } {
  const channel = findChannel(workspace, textField(fields, 'channel') ?? '');
  const isMember = channel?.memberIds.includes(workspace.botUserId) ?? false;
  if (!channel || (!isMember && channel.kind !== 'public')) return { reply: refuse('channel_not_found') };
  const needed = neededScope[channel.kind];
  if (!workspace.scopes.includes(needed)) return { reply: missingScope(needed, workspace) };
  return isMember ? { channel } : { reply: refuse('not_in_channel') };
}

/** What one person alone sees is in no history. */
function everybodys({ workspace }: Call, channel: Channel): readonly SlackMessage[] {
  return workspace.history.list(channel.id).filter(({ viewer }) => viewer === null);
}

/** @param all what everybody sees in the channel @param messages of them, those that are asked for, in the order they are told */
function listed(call: Call, all: readonly SlackMessage[], messages: readonly SlackMessage[], rule: PageRule): Reply {
  const page = pageOf(messages, call.fields, rule);
  if (typeof page === 'string') return refuse(page);
  return {
    ok: true,
    messages: page.messages.map((message) => ({ ...shown(call, message), ...threadOf(message, all) })),
    has_more: page.nextCursor !== undefined,
    ...(page.nextCursor !== undefined && { response_metadata: { next_cursor: page.nextCursor } }),
  };
}

/** Of what an app attached, its kind is always told; the rest to who asks for all of it. */
function shown(call: Call, message: SlackMessage): Fields {
  const { metadata } = message;
  const isAll = !isRecord(metadata) || flagField(call.fields, 'include_all_metadata');
  const told = isAll ? metadata : { event_type: metadata['event_type'] };
  return messageForApps({ ...message, metadata: told }, call.workspace, call);
}

/** Where it stands in a thread: a root counts its replies, a reply names who began. */
function threadOf({ ts, threadTs }: SlackMessage, all: readonly SlackMessage[]): Fields {
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
