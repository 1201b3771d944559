/** What stands in a conversation: conversations.history, conversations.replies. */
import type { SlackMessage } from '../history.ts';
import { type Fields, flagField, textField } from '../json.ts';
import type { Channel } from '../seed.ts';
import { findChannel } from '../workspace.ts';
import { threadRoot } from './chat.ts';
import { type Call, type Method, messageForApps, type Reply, refuse } from './method.ts';
import { missingScope } from './people.ts';

/** Newest first, without what stands in threads. */
export const conversationsHistory: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const target = readableChannel(call);
    if ('reply' in target) return target.reply;
    const messages = everybodys(call, target.channel).filter(({ threadTs }) => threadTs === null);
    return listed(call, messages.toReversed());
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
    const messages = everybodys(call, target.channel);
    return listed(
      call,
      messages.filter(({ ts, threadTs }) => ts === root || threadTs === root),
    );
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
function everybodys({ workspace, fields }: Call, channel: Channel): readonly SlackMessage[] {
  const oldest = Number(textField(fields, 'oldest') ?? 0);
  return workspace.history.list(channel.id).filter(({ viewer, ts }) => viewer === null && Number(ts) > oldest);
}

const pageDefault = 100;
const pageMax = 999;

function listed(call: Call, messages: readonly SlackMessage[]): Reply {
  const asked = Number(call.fields['limit'] ?? pageDefault);
  const limit = Number.isSafeInteger(asked) && asked > 0 ? Math.min(asked, pageMax) : pageDefault;
  const page = messages.slice(0, limit).map((message) => shown(call, message));
  return { ok: true, messages: page, has_more: messages.length > limit };
}

/** Metadata is told whole only to who asks for it. */
function shown(call: Call, message: SlackMessage): Fields {
  const metadata = flagField(call.fields, 'include_all_metadata') ? message.metadata : null;
  return messageForApps({ ...message, metadata }, call.workspace, call);
}
