/** Posting: chat.postMessage and chat.postEphemeral. */

import { isRecord, textField } from '../server/json.ts';
import { asSent, isEmpty, readContent } from '../state/content.ts';
import type { Channel } from '../state/seed.ts';
import { findPerson, type Workspace } from '../state/workspace.ts';
import {
  type Call,
  type Method,
  messageForApps,
  type Reply,
  refuse,
  refuseContent,
  writableChannel,
} from './method.ts';

export const postMessage: Method = {
  token: 'bot',
  scope: 'chat:write',
  run: (call) => {
    const target = writableChannel(call);
    if ('reply' in target) return target.reply;
    const content = readContent(call.fields);
    if (!content.ok) return refuseContent(content);
    if (isEmpty(content)) return refuse('no_text');
    const thread = readThread(call, target.channel);
    if ('reply' in thread) return thread.reply;
    const metadata = readMetadata(call);
    if ('reply' in metadata) return metadata.reply;
    const { workspace } = call;
    const draft = {
      channel: target.channel.id,
      threadTs: thread.ts,
      user: workspace.botUserId,
      text: content.text ?? '',
      blocks: content.blocks ?? [],
      viewer: null,
      metadata: metadata.value,
    };
    const message = workspace.history.post(draft, call.seenAfter);
    return {
      ok: true,
      channel: message.channel,
      ts: message.ts,
      message: messageForApps(message, workspace, call),
    };
  },
};

export const postEphemeral: Method = {
  token: 'bot',
  scope: 'chat:write',
  run: (call) => {
    const target = writableChannel(call);
    if ('reply' in target) return target.reply;
    const viewer = findPerson(call.workspace, textField(call.fields, 'user') ?? '');
    if (!viewer) return refuse('user_not_found');
    if (!target.channel.memberIds.includes(viewer.id)) return refuse('user_not_in_channel');
    const content = readContent(call.fields);
    if (!content.ok) return refuseContent(content);
    if (isEmpty(content)) return refuse('no_text');
    const thread = readThread(call, target.channel);
    if ('reply' in thread) return thread.reply;
    const { ts } = call.workspace.history.post({
      channel: target.channel.id,
      threadTs: thread.ts,
      user: call.workspace.botUserId,
      text: content.text ?? '',
      blocks: content.blocks ?? [],
      viewer: viewer.id,
    });
    return { ok: true, message_ts: ts };
  },
};

/** A reply goes under the root of its thread; what only one person sees has no replies. */
export function readThread(call: Call, channel: Channel): { readonly ts: string | null } | { readonly reply: Reply } {
  const threadTs = textField(call.fields, 'thread_ts');
  if (threadTs === undefined) return { ts: null };
  if (!/^\d+\.\d{6}$/.test(threadTs)) return { reply: refuse('invalid_thread_ts') };
  const root = threadRoot(call.workspace, channel.id, threadTs);
  return root === undefined ? { reply: refuse('cannot_reply_to_message') } : { ts: root };
}

/** @returns the `ts` of the thread's first message, which may be gone while replies stand; undefined where no thread can be */
export function threadRoot({ history }: Workspace, channelId: string, ts: string): string | undefined {
  const message = history.find(channelId, ts);
  if (!message && history.list(channelId).some(({ threadTs, viewer }) => threadTs === ts && viewer === null)) return ts;
  return message && !message.isEphemeral ? (message.threadTs ?? message.ts) : undefined;
}

/** What an app attaches for itself. @returns null where nothing was sent */
export function readMetadata(call: Call): { readonly value: unknown } | { readonly reply: Reply } {
  const metadata = asSent(call.fields['metadata']);
  if (metadata === undefined) return { value: null };
  const isWhole = isRecord(metadata) && textField(metadata, 'event_type') && isRecord(metadata['event_payload']);
  return isWhole ? { value: metadata } : { reply: refuse('invalid_metadata_format') };
}
