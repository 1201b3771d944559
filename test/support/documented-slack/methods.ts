/** The Web API methods that the app calls: docs.slack.dev/reference/methods, one page each. */
import type { JsonRecord } from '../../../src/shared/json.ts';
import { messageLimits } from './contract/block-limits.ts';
import { contentUnits, messageProblems } from './contract/block-rules.ts';
import { refuseProblems, SlackError } from './refusals.ts';
import { openView, publishView, updateView } from './views.ts';
import { app, type Conversation, isPerson, named, type SlackMessage, team, type Workspace } from './workspace.ts';

export type Method = {
  /** The bot scope that the page names; by the kind of conversation if it names several. Null if it needs none. */
  readonly scope: string | null | ((kind: Conversation['kind']) => string);
  readonly run: (args: JsonRecord, slack: Workspace) => JsonRecord;
};

const byKind = (action: string) => (kind: Conversation['kind']) =>
  `${{ public: 'channels', private: 'groups', im: 'im' }[kind]}:${action}`;

/** @throws SlackError as every method with a channel documents it */
function conversationOf(slack: Workspace, id: unknown): Conversation {
  const found = slack.find(String(id));
  if (!found) throw new SlackError('channel_not_found');
  return found;
}

function checkScope({ scopes }: Workspace, needed: string): void {
  if (!scopes.includes(needed)) throw new SlackError('missing_scope', { needed, provided: scopes.join() });
}

/** @throws SlackError if the token lacks the scope */
export function call({ scope, run }: Method, args: JsonRecord, slack: Workspace): JsonRecord {
  if (typeof scope === 'string') checkScope(slack, scope);
  if (typeof scope === 'function') checkScope(slack, scope(conversationOf(slack, args['channel']).kind));
  return run(args, slack);
}

/** @returns the message as every method returns it: https://docs.slack.dev/reference/objects/message-object */
export function messageObject({ ts, text, blocks, threadTs, metadata, author, files }: SlackMessage): JsonRecord {
  const own = author === app.userId ? { bot_id: app.botId, app_id: app.id } : {};
  return {
    ...{ type: 'message', user: author, ts, text, team: team.id, ...own },
    ...(blocks.length > 0 && { blocks }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(metadata !== undefined && { metadata }),
    ...(files.length > 0 && { files }),
  };
}

/** @throws SlackError if the content is refused */
export function checkContent({ text, blocks, attachments }: JsonRecord, textUnitsMax: number): void {
  if (text === undefined && blocks === undefined && attachments === undefined) throw new SlackError('no_text');
  if (typeof text === 'string' && text.length > textUnitsMax) throw new SlackError('msg_too_long');
  refuseProblems('invalid_blocks', messageProblems(blocks));
  if (contentUnits(blocks) > messageLimits.contentUnits) throw new SlackError('msg_blocks_too_long');
}

const { textUnits: posted, updateTextUnits: updated } = messageLimits;

/** @returns the message, which its readers see */
export function addMessage(
  slack: Workspace,
  args: JsonRecord,
  of: Pick<SlackMessage, 'channel' | 'viewer' | 'files'>,
): SlackMessage {
  const message: SlackMessage = {
    ...of,
    ts: slack.newTs(),
    text: String(args['text'] ?? ''),
    blocks: named(args['blocks'], slack),
    threadTs: typeof args['thread_ts'] === 'string' ? args['thread_ts'] : undefined,
    metadata: args['metadata'],
    author: app.userId,
    isDeleted: false,
  };
  const root = slack.messages.find(({ ts, channel }) => ts === message.threadTs && channel === message.channel);
  if (root && message.viewer === undefined) root.threadTs = root.ts;
  slack.messages.push(message);
  slack.show({ message });
  return message;
}

function checkThread(slack: Workspace, { channel, thread_ts: ts }: JsonRecord): void {
  if (ts === undefined) return;
  const root = slack.messages.find((each) => each.ts === ts && each.channel === channel && !each.isDeleted);
  if (!root || root.viewer !== undefined) throw new SlackError('thread_not_found');
}

function postMessage(args: JsonRecord, slack: Workspace): JsonRecord {
  const { id: channel, isMember, kind } = conversationOf(slack, args['channel']);
  if (!isMember) throw new SlackError(kind === 'private' ? 'channel_not_found' : 'not_in_channel');
  checkThread(slack, args);
  checkContent(args, posted);
  const message = addMessage(slack, args, { channel, viewer: undefined, files: [] });
  return { channel, ts: message.ts, message: messageObject(message) };
}

function postEphemeral(args: JsonRecord, slack: Workspace): JsonRecord {
  const { id: channel, isMember, kind } = conversationOf(slack, args['channel']);
  if (!isMember) throw new SlackError(kind === 'private' ? 'channel_not_found' : 'not_in_channel');
  if (!isPerson(args['user'])) throw new SlackError('user_not_in_channel');
  checkContent(args, posted);
  const { ts } = addMessage(slack, args, { channel, viewer: String(args['user']), files: [] });
  return { message_ts: ts };
}

/** @throws SlackError unless the app wrote it and its conversation sees it */
function ownMessage(args: JsonRecord, slack: Workspace, refusal: string): SlackMessage {
  const { id } = conversationOf(slack, args['channel']);
  const found = slack.messages.find(({ ts, channel }) => ts === args['ts'] && channel === id);
  if (!found || found.isDeleted || found.viewer !== undefined) throw new SlackError('message_not_found');
  if (found.author !== app.userId) throw new SlackError(refusal);
  return found;
}

function update(args: JsonRecord, slack: Workspace): JsonRecord {
  const message = ownMessage(args, slack, 'cant_update_message');
  checkContent(args, updated);
  message.text = String(args['text'] ?? '');
  message.blocks = named(args['blocks'], slack);
  slack.show({ message });
  return { channel: message.channel, ts: message.ts, text: message.text, message: messageObject(message) };
}

function deleteMessage(args: JsonRecord, slack: Workspace): JsonRecord {
  const message = ownMessage(args, slack, 'cant_delete_message');
  message.isDeleted = true;
  slack.changed();
  return { channel: message.channel, ts: message.ts };
}

function getPermalink(args: JsonRecord, slack: Workspace): JsonRecord {
  const { id: channel } = conversationOf(slack, args['channel']);
  const ts = String(args['message_ts']);
  if (!slack.messages.some((each) => each.ts === ts && each.channel === channel))
    throw new SlackError('message_not_found');
  return { channel, permalink: `https://${team.domain}.slack.com/archives/${channel}/p${ts.replace('.', '')}` };
}

const historyLimits = { least: 1, most: 999 };

/** Newest first; each page has a cursor to the next. */
function pageOf(args: JsonRecord, found: readonly SlackMessage[], slack: Workspace): JsonRecord {
  const {
    limit = 100,
    oldest = '0',
    latest = '9999999999',
    inclusive = false,
    include_all_metadata: hasMetadata,
  } = args;
  const size = Number(limit);
  if (size < historyLimits.least || size > historyLimits.most) throw new SlackError('invalid_limit');
  const from = Number(args['cursor'] ?? 0);
  const isWithin = (ts: number) =>
    inclusive === true ? ts >= Number(oldest) && ts <= Number(latest) : ts > Number(oldest) && ts < Number(latest);
  const all = found.filter(({ ts, viewer, isDeleted }) => viewer === undefined && !isDeleted && isWithin(Number(ts)));
  const page = all.slice(from, from + size).map((each) => ({ ...messageObject(each), ...threadOf(each, slack) }));
  const hasMore = all.length > from + size;
  return {
    messages: hasMetadata === true ? page : page.map(({ metadata: _, ...message }) => message),
    has_more: hasMore,
    ...(hasMore && { response_metadata: { next_cursor: String(from + size) } }),
  };
}

/** A root has the number of its replies and the last one: https://docs.slack.dev/messaging/retrieving-messages. */
function threadOf({ ts: root, channel }: SlackMessage, { messages }: Workspace): JsonRecord {
  const replies = messages.filter(
    ({ ts, threadTs, viewer, isDeleted, ...each }) =>
      threadTs === root && ts !== root && each.channel === channel && viewer === undefined && !isDeleted,
  );
  return replies.length === 0 ? {} : { reply_count: replies.length, latest_reply: replies.at(-1)?.ts };
}

function history(args: JsonRecord, slack: Workspace): JsonRecord {
  const { id, isMember } = conversationOf(slack, args['channel']);
  if (!isMember) throw new SlackError('not_in_channel');
  const inChannel = slack.messages.filter(({ channel }) => channel === id);
  const roots = inChannel.filter(({ ts, threadTs }) => threadTs === undefined || threadTs === ts);
  return pageOf(args, roots.toReversed(), slack);
}

function replies(args: JsonRecord, slack: Workspace): JsonRecord {
  const { id, kind } = conversationOf(slack, args['channel']);
  // The page says that bots lack permissions for threads in channels, and not how Slack words it.
  if (kind !== 'im') throw new SlackError('not_allowed_token_type');
  const root = slack.messages.find(({ ts, channel }) => ts === args['ts'] && channel === id);
  if (!root) throw new SlackError('thread_not_found');
  return pageOf(
    args,
    slack.messages.filter((each) => each === root || (each.channel === id && each.threadTs === root.ts)),
    slack,
  );
}

/** https://docs.slack.dev/reference/objects/conversation-object */
function conversationInfo(args: JsonRecord, slack: Workspace): JsonRecord {
  const { id, name, kind, isMember } = conversationOf(slack, args['channel']);
  if (kind === 'private' && !isMember) throw new SlackError('channel_not_found');
  const shared = { is_shared: false, is_ext_shared: false, is_org_shared: false, is_pending_ext_shared: false };
  const facts = { id, created: 1_700_000_000, is_archived: false, context_team_id: team.id, ...shared };
  if (kind === 'im') return { channel: { ...facts, is_im: true, user: `U${id.slice(1)}` } };
  const named = { name, is_channel: kind === 'public', is_group: kind === 'private', is_private: kind === 'private' };
  return {
    channel: {
      ...facts,
      ...named,
      is_im: false,
      is_mpim: false,
      is_member: isMember,
      pending_shared: [],
      creator: 'U0ADA',
    },
  };
}

function openConversation({ users }: JsonRecord, slack: Workspace): JsonRecord {
  if (typeof users !== 'string' || users.includes(',')) throw new SlackError('users_list_not_supplied');
  if (!isPerson(users)) throw new SlackError('user_not_found');
  return { no_op: true, already_open: true, channel: { id: slack.directIdOf(users) } };
}

/** https://docs.slack.dev/reference/objects/user-object: everybody here is an admin of the workspace. */
function userInfo({ user: id }: JsonRecord): JsonRecord {
  if (id !== app.userId && !isPerson(id)) throw new SlackError('user_not_found');
  const name = String(id).toLowerCase();
  const isHuman = id !== app.userId;
  const rights = {
    is_admin: isHuman,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
  };
  const zone = { tz: 'Europe/Vienna', tz_label: 'Central European Time', tz_offset: 3600 };
  const profile = { real_name: name, display_name: name, team: team.id };
  return {
    user: {
      ...{ id, team_id: team.id, name, deleted: false, real_name: name, ...zone, profile, ...rights },
      ...{ is_bot: !isHuman, is_app_user: false, updated: 1_700_000_000 },
    },
  };
}

/** Those of files are in files.ts. */
export const methods: Readonly<Record<string, Method>> = {
  'api.test': { scope: null, run: (args) => ({ args }) },
  'auth.test': {
    scope: null,
    run: () => ({
      ...{ url: `https://${team.domain}.slack.com/`, team: team.name, user: app.name, team_id: team.id },
      ...{ user_id: app.userId, bot_id: app.botId, is_enterprise_install: false },
    }),
  },
  'bots.info': {
    scope: 'users:read',
    run: () => ({
      bot: {
        id: app.botId,
        deleted: false,
        name: app.name,
        updated: 1_700_000_000,
        app_id: app.id,
        user_id: app.userId,
      },
    }),
  },
  'chat.delete': { scope: 'chat:write', run: deleteMessage },
  'chat.getPermalink': { scope: null, run: getPermalink },
  'chat.postEphemeral': { scope: 'chat:write', run: postEphemeral },
  'chat.postMessage': { scope: 'chat:write', run: postMessage },
  'chat.update': { scope: 'chat:write', run: update },
  'conversations.history': { scope: byKind('history'), run: history },
  'conversations.info': { scope: byKind('read'), run: conversationInfo },
  'conversations.open': { scope: 'im:write', run: openConversation },
  'conversations.replies': { scope: byKind('history'), run: replies },
  'users.info': { scope: 'users:read', run: userInfo },
  'views.open': { scope: null, run: openView },
  'views.publish': { scope: null, run: publishView },
  'views.update': { scope: null, run: updateView },
};
