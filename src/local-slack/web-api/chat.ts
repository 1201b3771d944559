/** chat.postMessage, chat.postEphemeral, chat.update, chat.delete, chat.getPermalink. */
import { limits } from '../../shared/block-kit/limits.ts';
import { isRecord, readText } from '../../shared/json.ts';
import { asSent, isEmpty, readPostedContent } from '../state/content.ts';
import type { Draft, SlackMessage } from '../state/history.ts';
import type { Channel } from '../state/seed.ts';
import { findPerson, type Workspace } from '../state/workspace.ts';
import {
  type Call,
  type Method,
  messageForApps,
  type Reply,
  refuse,
  refuseContent,
  resolveChannel,
  writableChannel,
} from './method.ts';

export const postMessage: Method = {
  token: 'bot',
  scope: 'chat:write',
  run: (call) => {
    const target = writableChannel(call);
    if ('reply' in target) return target.reply;
    const read = readDraft(call, target.channel);
    if ('reply' in read) return read.reply;
    const metadata = readMetadata(call);
    if ('reply' in metadata) return metadata.reply;
    const { workspace, visibleAfter } = call;
    const message = workspace.history.post({ ...read.draft, metadata: metadata.value }, visibleAfter);
    return { ok: true, channel: message.channel, ts: message.ts, message: messageForApps(message, workspace, call) };
  },
};

export const postEphemeral: Method = {
  token: 'bot',
  scope: 'chat:write',
  run: (call) => {
    const target = writableChannel(call);
    if ('reply' in target) return target.reply;
    const viewer = findPerson(call.workspace, readText(call.fields, 'user') ?? '');
    if (!viewer) return refuse('user_not_found');
    if (!target.channel.memberIds.includes(viewer.id)) return refuse('user_not_in_channel');
    const read = readDraft(call, target.channel);
    if ('reply' in read) return read.reply;
    return { ok: true, message_ts: call.workspace.history.post({ ...read.draft, viewer: viewer.id }).ts };
  },
};

/** Reads the bot's message for a channel or a thread in it. */
function readDraft(call: Call, channel: Channel): { readonly draft: Draft } | { readonly reply: Reply } {
  const content = readPostedContent(call.fields);
  if (!content.ok) return { reply: refuseContent(content) };
  if (isEmpty(content)) return { reply: refuse('no_text') };
  const thread = readThread(call, channel);
  if ('reply' in thread) return thread;
  const { text = '', blocks = [] } = content;
  return { draft: { channel: channel.id, threadTs: thread.ts, user: call.workspace.botUserId, text, blocks } };
}

/** A reply goes under the root of its thread; ephemeral messages have no replies. */
export function readThread(call: Call, channel: Channel): { readonly ts: string | null } | { readonly reply: Reply } {
  const threadTs = readText(call.fields, 'thread_ts');
  if (threadTs === undefined) return { ts: null };
  if (!/^\d+\.\d{6}$/.test(threadTs)) return { reply: refuse('invalid_thread_ts') };
  const root = threadRoot(call.workspace, channel.id, threadTs);
  return root === undefined ? { reply: refuse('cannot_reply_to_message') } : { ts: root };
}

/** @returns the `ts` of the thread's root, which may be deleted while replies remain; undefined if no thread is possible */
export function threadRoot({ history }: Workspace, channelId: string, ts: string): string | undefined {
  const message = history.find(channelId, ts);
  if (!message && history.list(channelId).some(({ threadTs, viewer }) => threadTs === ts && viewer === null)) return ts;
  return message && !message.isEphemeral ? (message.threadTs ?? message.ts) : undefined;
}

/** Reads `metadata`. @returns null for none */
function readMetadata(call: Call): { readonly value: unknown } | { readonly reply: Reply } {
  const metadata = asSent(call.fields['metadata']);
  if (metadata === undefined) return { value: null };
  const isWhole = isRecord(metadata) && readText(metadata, 'event_type') && isRecord(metadata['event_payload']);
  return isWhole ? { value: metadata } : { reply: refuse('invalid_metadata_format') };
}

export const update: Method = {
  token: 'bot',
  scope: 'chat:write',
  run: (call) => {
    const found = ownMessage(call, 'cant_update_message');
    if ('reply' in found) return found.reply;
    const content = readPostedContent(call.fields, limits.message.advisedTextUnitsMax);
    if (!content.ok) return refuseContent(content);
    const { text = found.message.text, blocks = found.message.blocks } = content;
    const isNothing = content.text === undefined && content.blocks === undefined;
    if (isNothing || isEmpty({ ok: true, text, blocks })) return refuse('no_text');
    const metadata = editedMetadata(call, found.message);
    if ('reply' in metadata) return metadata.reply;
    const changed = call.workspace.history.change(found.message, { text, blocks, metadata: metadata.value });
    const message = messageForApps(changed, call.workspace, call);
    return { ok: true, channel: changed.channel, ts: changed.ts, text: changed.text, message };
  },
};

/** Keeps metadata that the call omits; an empty object removes it. */
function editedMetadata(call: Call, message: SlackMessage): ReturnType<typeof readMetadata> {
  const sent = asSent(call.fields['metadata']);
  if (sent === undefined) return { value: message.metadata };
  return isRecord(sent) && Object.keys(sent).length === 0 ? { value: null } : readMetadata(call);
}

export const remove: Method = {
  token: 'bot',
  scope: 'chat:write',
  run: (call) => {
    const found = ownMessage(call, 'cant_delete_message');
    if ('reply' in found) return found.reply;
    call.workspace.history.remove(found.message);
    return { ok: true, channel: found.message.channel, ts: found.message.ts };
  },
};

export const getPermalink: Method = {
  token: 'bot',
  scope: null,
  run: ({ fields, workspace, baseUrl }) => {
    const channel = resolveChannel(workspace, readText(fields, 'channel') ?? '');
    if (!channel) return refuse('channel_not_found');
    const message = workspace.history.find(channel.id, readText(fields, 'message_ts') ?? '');
    if (!message || message.isEphemeral) return refuse('message_not_found');
    const thread = message.threadTs === null ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
    const permalink = `${baseUrl}/archives/${channel.id}/p${message.ts.replace('.', '')}${thread}`;
    return { ok: true, channel: channel.id, permalink };
  },
};

/** As in Slack, neither method reaches an ephemeral message. */
function ownMessage(call: Call, foreign: string): { readonly message: SlackMessage } | { readonly reply: Reply } {
  const { fields, workspace } = call;
  const channel = workspace.channels.find(({ id }) => id === readText(fields, 'channel'));
  if (!channel) return { reply: refuse('channel_not_found') };
  const message = workspace.history.find(channel.id, readText(fields, 'ts') ?? '');
  if (!message || message.isEphemeral) return { reply: refuse('message_not_found') };
  return message.user === workspace.botUserId ? { message } : { reply: refuse(foreign) };
}
