/** files.getUploadURLExternal, files.completeUploadExternal, files.delete. */
import { limits } from '../../shared/block-kit/limits.ts';
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import { fileBytesMax, fileForApps, fileForPage } from '../files/store.ts';
import type { PageSharedFile } from '../page/protocol.ts';
import { asSent, type Content, isEmpty, Refused, readContent } from '../state/content.ts';
import type { Channel } from '../state/seed.ts';
import { findChannel } from '../state/workspace.ts';
import { readThread } from './chat.ts';
import { type Call, writableChannel } from './method.ts';

/** Slack reads `alt_txt`; the SDK's type has `alt_text`, which Slack ignores. */
export function getUploadUrlExternal({ fields, workspace, baseUrl }: Call): JsonRecord {
  const name = readText(fields, 'filename');
  const length = Number(fields['length'] ?? 0);
  if (name === undefined || length === 0) throw new Refused('missing_argument');
  if (!Number.isSafeInteger(length) || length < 0) throw new Refused('invalid_arguments');
  if (length > fileBytesMax) throw new Refused('file_upload_size_restricted');
  const altText = readText(fields, 'alt_txt') ?? '';
  if (altText.length > limits.file.altUnitsMax) throw new Refused('alt_txt_too_large');
  const { id, key } = workspace.files.announce({ name, length, altText });
  return { upload_url: `${baseUrl}/upload/v1/${key}`, file_id: id };
}

export function completeUploadExternal(call: Call): JsonRecord {
  const titled = readTitled(asSent(call.fields['files']));
  if (!titled) throw new Refused('invalid_arguments');
  const targets = readTargets(call);
  const content = readComment(call.fields);
  const files = call.workspace.files.complete(titled)?.map((file) => fileForPage(file, call.workspace.teamId));
  if (!files) throw new Refused('file_not_found');
  for (const target of targets) share(call, target, content, files);
  return { files: files.map((file) => fileForApps(file, call.baseUrl)) };
}

/** Messages with the file stay; one without other content gets a note that the file was deleted. */
export function removeFile({ fields, workspace }: Call): JsonRecord {
  const id = readText(fields, 'file') ?? '';
  if (!workspace.files.remove(id)) throw new Refused('file_not_found');
  for (const message of workspace.channels.flatMap((channel) => workspace.history.list(channel.id))) {
    const files = message.files.filter((file) => file.id !== id);
    if (files.length === message.files.length) continue;
    const isEmptied = isEmpty(message) && files.length === 0;
    workspace.history.change(message, { files, ...(isEmptied && { text: '_This file was deleted._' }) });
  }
  return {};
}

type Target = { readonly channel: Channel; readonly threadTs: string | null };

/** Returns no target if the call names no channel; the file is then not shared. */
function readTargets(call: Call): readonly Target[] {
  const { fields, workspace } = call;
  const channelId = readText(fields, 'channel_id');
  if (channelId !== undefined && !findChannel(workspace, channelId)) throw new Refused('channel_not_found');
  const given = [channelId ?? '', ...(readText(fields, 'channels') ?? '').split(',')].filter(Boolean);
  return given.map((id) => {
    const channel = writableChannel(call, id);
    return { channel, threadTs: readThread(call, channel) };
  });
}

/** A comment takes precedence over blocks. */
function readComment(fields: JsonRecord): Content {
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
