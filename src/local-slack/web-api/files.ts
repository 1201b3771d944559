/** files.getUploadURLExternal, files.completeUploadExternal, files.delete. */
import { limits } from '../../shared/block-kit/limits.ts';
import { isRecord, type JsonRecord, readText } from '../../shared/json.ts';
import { fileBytesMax, fileForApps, fileForPage } from '../files/store.ts';
import { asSent, isEmpty, Refused } from '../state/content.ts';
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

/** Shares the files in one channel, without a comment. As in Slack, the message may come long after the answer. */
export function completeUploadExternal(call: Call): JsonRecord {
  const { fields, workspace, visibleAfter } = call;
  const titled = readTitled(asSent(fields['files']));
  if (!titled) throw new Refused('invalid_arguments');
  const channel = writableChannel(call, findChannel(workspace, readText(fields, 'channel_id') ?? '')?.id ?? '');
  const threadTs = readThread(call, channel);
  const files = workspace.files.complete(titled)?.map((file) => fileForPage(file, workspace.teamId));
  if (!files) throw new Refused('file_not_found');
  const post = () => {
    workspace.history.post({ channel: channel.id, threadTs, user: workspace.botUserId, text: '', files });
  };
  if (visibleAfter === undefined) post();
  else void visibleAfter.then(post);
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

function readTitled(value: unknown) {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const titled = value.filter(isRecord).flatMap((file) => {
    const id = readText(file, 'id');
    return id === undefined ? [] : [{ id, title: readText(file, 'title') }];
  });
  return titled.length === value.length ? titled : undefined;
}
