/** A shared file as the page draws it, and as Slack describes it to apps. */

import type { PageSharedFile } from '../page/protocol.ts';
import type { Fields } from '../server/json.ts';
import { extension } from './kind.ts';
import type { StoredFile } from './store.ts';

export function fileForPage(file: StoredFile, teamId: string): PageSharedFile {
  const { id, name, title, kind, altText, head, lineCount } = file;
  const folder = `/files-pri/${teamId}-${id}`;
  const ending = encodeURIComponent(name.toLowerCase());
  return {
    ...{ id, name, title, kind, altText, head, lineCount },
    bytes: file.content.byteLength,
    mimeType: file.mimeType,
    url: `${folder}/${ending}`,
    downloadUrl: `${folder}/download/${ending}`,
  };
}

/** https://docs.slack.dev/reference/objects/file-object, with what an app could want of it. */
export function fileForApps(file: PageSharedFile, baseUrl: string): Fields {
  const { id, name, title, kind, bytes, mimeType, altText, head, lineCount } = file;
  const snippet = { preview: head, lines: lineCount, lines_more: Math.max(0, lineCount - head.split('\n').length) };
  return {
    ...{ id, name, title, size: bytes },
    mimetype: mimeType,
    filetype: extension(name) || (kind === 'text' ? 'text' : 'binary'),
    mode: kind === 'text' ? 'snippet' : 'hosted',
    is_external: false,
    url_private: baseUrl + file.url,
    url_private_download: baseUrl + file.downloadUrl,
    ...(kind === 'text' ? snippet : {}),
    ...(altText === '' ? {} : { alt_txt: altText }),
  };
}
