/** files.getUploadURLExternal, files.completeUploadExternal, files.delete. */
import { limits } from '../../shared/block-kit/limits.ts';
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import { fileBytesMax, fileForApps, fileForPage } from '../files/store.ts';
import type { PageSharedFile } from '../page/protocol.ts';
import { asSent, type Content, isEmpty, type Refusal, readContent } from '../state/content.ts';
import type { Channel } from '../state/seed.ts';
import { findChannel } from '../state/workspace.ts';
import { readThread } from './chat.ts';
import { type Call, type Method, type Reply, refuse, refuseContent, writableChannel } from './method.ts';

/** Slack reads `alt_txt`; the SDK's type has `alt_text`, which Slack ignores. */
export const getUploadUrlExternal: Method = {
  token: 'bot',
  scope: 'files:write',
  run: ({ fields, workspace, baseUrl }) => {
    const name = readText(fields, 'filename');
    const length = Number(fields['length'] ?? 0);
    if (name === undefined || length === 0) return refuse('missing_argument');
    if (!Number.isSafeInteger(length) || length < 0) return refuse('invalid_arguments');
    if (length > fileBytesMax) return refuse('file_upload_size_restricted');
    const altText = readText(fields, 'alt_txt') ?? '';
    if (altText.length > limits.file.altUnitsMax) return refuse('alt_txt_too_large');
    const { id, key } = workspace.files.announce({ name, length, altText });
    return { ok: true, upload_url: `${baseUrl}/upload/v1/${key}`, file_id: id };
  },
};

export const completeUploadExternal: Method = {
  token: 'bot',
  scope: 'files:write',
  run: (call) => {
    const titled = readTitled(asSent(call.fields['files']));
    if (!titled) return refuse('invalid_arguments');
    const targets = readTargets(call);
    if ('reply' in targets) return targets.reply;
    const content = readComment(call.fields);
    if (!content.ok) return refuseContent(content);
    const files = call.workspace.files.complete(titled)?.map((file) => fileForPage(file, call.workspace.teamId));
    if (!files) return refuse('file_not_found');
    for (const target of targets) share(call, target, content, files);
    return { ok: true, files: files.map((file) => fileForApps(file, call.baseUrl)) };
  },
};

/** Messages with the file stay; one without other content gets a note that the file was deleted. */
export const removeFile: Method = {
  token: 'bot',
  scope: 'files:write',
  run: ({ fields, workspace }) => {
    const id = readText(fields, 'file') ?? '';
    if (!workspace.files.remove(id)) return refuse('file_not_found');
    for (const channel of workspace.channels) {
      for (const message of workspace.history.list(channel.id)) {
        const files = message.files.filter((file) => file.id !== id);
        if (files.length === message.files.length) continue;
        const isEmptied = isEmpty({ ok: true, text: message.text, blocks: message.blocks }) && files.length === 0;
        workspace.history.change(message, { files, ...(isEmptied && { text: '_This file was deleted._' }) });
      }
    }
    return { ok: true };
  },
};

type Target = { readonly channel: Channel; readonly threadTs: string | null };

/** Returns no target if the call names no channel; the file is then not shared. */
function readTargets(call: Call): readonly Target[] | { readonly reply: Reply } {
  const { fields, workspace } = call;
  const channelId = readText(fields, 'channel_id');
  if (channelId !== undefined && !findChannel(workspace, channelId)) return { reply: refuse('channel_not_found') };
  const others = (readText(fields, 'channels') ?? '').split(',').filter(Boolean);
  const targets: Target[] = [];
  for (const given of [...(channelId === undefined ? [] : [channelId]), ...others]) {
    const target = writableChannel(call, given);
    if ('reply' in target) return target;
    const thread = readThread(call, target.channel);
    if ('reply' in thread) return thread;
    targets.push({ channel: target.channel, threadTs: thread.ts });
  }
  return targets;
}

/** A comment takes precedence over blocks. */
function readComment(fields: JsonRecord): Content | Refusal {
  const text = readText(fields, 'initial_comment');
  return readContent(text === undefined ? { blocks: fields['blocks'] } : { text });
}

/** As in Slack, the message with the files may come long after the answer. */
function share(
  { workspace, visibleAfter }: Call,
  target: Target,
  content: Content,
  files: readonly PageSharedFile[],
): void {
  const post = () =>
    workspace.history.post({
      channel: target.channel.id,
      threadTs: target.threadTs,
      user: workspace.botUserId,
      text: content.text ?? '',
      blocks: content.blocks ?? [],
      files,
    });
  if (visibleAfter === undefined) post();
  else void visibleAfter.then(post);
}

function readTitled(value: unknown) {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const titled = value.filter(isRecord).flatMap((file) => {
    const id = readText(file, 'id');
    return id === undefined ? [] : [{ id, title: readText(file, 'title') }];
  });
  return titled.length === value.length ? titled : undefined;
}
