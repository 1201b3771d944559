/** chat.postMessage, chat.postEphemeral, chat.update, chat.delete, chat.getPermalink. */
import { limits } from '../../shared/block-kit/limits.ts';
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import { asSent, isEmpty, Refused, readPostedContent } from '../state/content.ts';
import type { Draft, SlackMessage } from '../state/history.ts';
import type { Channel } from '../state/seed.ts';
import { findPerson } from '../state/workspace.ts';
import { type Call, messageForApps, resolveChannel, writableChannel } from './method.ts';

export function postMessage(call: Call): JsonRecord {
  const draft = { ...readDraft(call, writableChannel(call)), metadata: readMetadata(call) ?? null };
  const message = call.workspace.history.post(draft, call.visibleAfter);
  return { channel: message.channel, ts: message.ts, message: messageForApps(message, call.workspace, call) };
}

export function postEphemeral(call: Call): JsonRecord {
  const channel = writableChannel(call);
  const viewer = findPerson(call.workspace, readText(call.fields, 'user') ?? '');
  if (!viewer) throw new Refused('user_not_found');
  if (!channel.memberIds.includes(viewer.id)) throw new Refused('user_not_in_channel');
  return { message_ts: call.workspace.history.post({ ...readDraft(call, channel), viewer: viewer.id }).ts };
}

/** Reads the bot's message for a channel or a thread in it. */
function readDraft(call: Call, channel: Channel): Draft {
  const content = readPostedContent(call.fields);
  if (isEmpty(content)) throw new Refused('no_text');
  const { text = '', blocks = [] } = content;
  const threadTs = readThread(call, channel);
  return { channel: channel.id, threadTs, user: call.workspace.botUserId, text, blocks };
}

/** A reply goes under the root of its thread; ephemeral messages have no replies. @returns null outside of threads */
export function readThread(call: Call, channel: Channel): string | null {
  const threadTs = readText(call.fields, 'thread_ts');
  if (threadTs === undefined) return null;
  if (!/^\d+\.\d{6}$/.test(threadTs)) throw new Refused('invalid_thread_ts');
  const root = call.workspace.history.threadRoot(channel.id, threadTs);
  if (root === undefined) throw new Refused('cannot_reply_to_message');
  return root;
}

/** @returns undefined if the call has none */
function readMetadata({ fields }: Call): unknown {
  const metadata = asSent(fields['metadata']);
  if (metadata === undefined) return undefined;
  const isWhole = isRecord(metadata) && readText(metadata, 'event_type') && isRecord(metadata['event_payload']);
  if (!isWhole) throw new Refused('invalid_metadata_format');
  return metadata;
}

export function update(call: Call): JsonRecord {
  const own = ownMessage(call, 'cant_update_message');
  const content = readPostedContent(call.fields, limits.message.advisedTextUnitsMax);
  const { text = own.text, blocks = own.blocks } = content;
  const isNothing = content.text === undefined && content.blocks === undefined;
  if (isNothing || isEmpty({ text, blocks })) throw new Refused('no_text');
  const sent = asSent(call.fields['metadata']);
  // An empty object removes the metadata.
  const isRemoved = isRecord(sent) && Object.keys(sent).length === 0;
  const metadata = isRemoved ? null : (readMetadata(call) ?? own.metadata);
  const changed = call.workspace.history.change(own, { text, blocks, metadata });
  const message = messageForApps(changed, call.workspace, call);
  return { channel: changed.channel, ts: changed.ts, text: changed.text, message };
}

export function remove(call: Call): JsonRecord {
  const own = ownMessage(call, 'cant_delete_message');
  call.workspace.history.remove(own);
  return { channel: own.channel, ts: own.ts };
}

export function getPermalink({ fields, workspace, baseUrl }: Call): JsonRecord {
  const channel = resolveChannel(workspace, readText(fields, 'channel') ?? '');
  if (!channel) throw new Refused('channel_not_found');
  const message = workspace.history.find(channel.id, readText(fields, 'message_ts') ?? '');
  if (!message || message.isEphemeral) throw new Refused('message_not_found');
  const thread = message.threadTs === null ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
  const permalink = `${baseUrl}/archives/${channel.id}/p${message.ts.replace('.', '')}${thread}`;
  return { channel: channel.id, permalink };
}

/** As in Slack, neither method reaches an ephemeral message. */
function ownMessage({ fields, workspace }: Call, foreign: string): SlackMessage {
  const channel = workspace.channels.find(({ id }) => id === readText(fields, 'channel'));
  if (!channel) throw new Refused('channel_not_found');
  const message = workspace.history.find(channel.id, readText(fields, 'ts') ?? '');
  if (!message || message.isEphemeral) throw new Refused('message_not_found');
  if (message.user !== workspace.botUserId) throw new Refused(foreign);
  return message;
}
