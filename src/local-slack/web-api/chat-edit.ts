/** The bot's own messages afterwards: chat.update, chat.delete, chat.getPermalink. */

import { limits } from '../../shared/block-kit/limits.ts';
import { isRecord, textField } from '../server/json.ts';
import { asSent, isEmpty, readContent } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import { readMetadata } from './chat.ts';
import { type Call, type Method, messageForApps, type Reply, refuse, refuseContent, resolveChannel } from './method.ts';

export const update: Method = {
  token: 'bot',
  scope: 'chat:write',
  run: (call) => {
    const found = ownMessage(call, 'cant_update_message');
    if ('reply' in found) return found.reply;
    const content = readContent(call.fields, limits.message.advisedTextUnitsMax);
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

/** What is not sent stays; an empty object takes it away. */
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
    const channel = resolveChannel(workspace, textField(fields, 'channel') ?? '');
    if (!channel) return refuse('channel_not_found');
    const message = workspace.history.find(channel.id, textField(fields, 'message_ts') ?? '');
    if (!message || message.isEphemeral) return refuse('message_not_found');
    const thread = message.threadTs === null ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
    const permalink = `${baseUrl}/archives/${channel.id}/p${message.ts.replace('.', '')}${thread}`;
    return { ok: true, channel: channel.id, permalink };
  },
};

/** What only one person sees is out of reach for both methods, as in Slack. */
function ownMessage(call: Call, foreign: string): { readonly message: SlackMessage } | { readonly reply: Reply } {
  const { fields, workspace } = call;
  const channel = workspace.channels.find(({ id }) => id === textField(fields, 'channel'));
  if (!channel) return { reply: refuse('channel_not_found') };
  const message = workspace.history.find(channel.id, textField(fields, 'ts') ?? '');
  if (!message || message.isEphemeral) return { reply: refuse('message_not_found') };
  return message.user === workspace.botUserId ? { message } : { reply: refuse(foreign) };
}
